// SPDX-License-Identifier: Apache-2.0

package result

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
)

// Environment variables of the runner's container. The runner keeps all that
// begin with EnvPrefix, and those of Kubernetes' service links, from the command.
const (
	EnvPrefix = "GCLOUD_OPERATOR_"
	// TaskEnv holds an encoded Task.
	TaskEnv = EnvPrefix + "TASK"
	// StartBeforeEnv holds the end of the start window, RFC 3339. It comes from
	// an annotation by fieldRef, so it is read anew whenever a container starts;
	// missing or malformed, the runner starts nothing.
	StartBeforeEnv = EnvPrefix + "START_BEFORE"
	// CABundleEnv holds certificates in PEM. The runner writes them to CABundleFile,
	// behind those that the image trusts. Unset, there is no such file.
	CABundleEnv = EnvPrefix + "CA_BUNDLE"
)

// Where things stand in the runner's container. One emptyDir is mounted at
// WorkspaceDir; the runner makes the folders below it.
const (
	WorkspaceDir       = "/workspace"
	FilesDir           = WorkspaceDir + "/files"         // the command's working directory
	HomeDir            = WorkspaceDir + "/home"          // HOME
	ConfigDir          = WorkspaceDir + "/config"        // CLOUDSDK_CONFIG
	TempDir            = WorkspaceDir + "/tmp"           // TMPDIR
	MarkerFile         = WorkspaceDir + "/state/started" // stands once the run was started
	InputsDir          = "/inputs"                       // ConfigMap volume, read-only
	SecretInputsDir    = "/secret-inputs"                // projected volume of Secrets, read-only
	IdentityDir        = "/identity"                     // projected volume of credentials, read-only
	FederationFile     = WorkspaceDir + "/identity/federation.json"
	CABundleFile       = WorkspaceDir + "/identity/ca.pem"
	TerminationLogFile = "/dev/termination-log" // Kubernetes' default
)

// Names below IdentityDir.
const (
	KeyName   = "key.json" // a key, or whatever else gcloud takes for one
	TokenName = "token"    // of the pod's ServiceAccount
)

// Defaults and limits of a Task's numbers.
const (
	DefaultCaptureBytes = 4 << 20
	MaxCaptureBytes     = 16 << 20
	// DefaultMessageBytes is what the kubelet keeps of one container's message;
	// PodMessageBytes, divided by the number of all containers of the pod
	// (init and sidecars too), is the other bound.
	DefaultMessageBytes = 4096
	MinMessageBytes     = 1024
	PodMessageBytes     = 12288
	// DefaultLogBytes is the kubelet's default containerLogMaxSize.
	DefaultLogBytes = 10 << 20
	DefaultGrace    = 30 * time.Second
	// MaxRunBytes bounds Task.Run, so that a message's header has room for it.
	MaxRunBytes = 56
	// MaxTaskBytes bounds an encoded Task: Linux takes no environment variable
	// of 128 KiB or more.
	MaxTaskBytes = 120 << 10
)

// ErrTask is what every error of DecodeTask wraps.
var ErrTask = errors.New("invalid task")

// Task is what the controller hands to the runner. Zero numbers stand for
// their defaults, except Timeout.
type Task struct {
	// Run identifies this attempt: "<uid>/<number>/<attempt>", at most
	// MaxRunBytes. Every message repeats it.
	Run string `json:"run"`
	// Argv is executed as it stands, without a shell. Argv[0] is looked up on
	// PATH unless it has a slash.
	Argv []string `json:"argv,omitempty"`
	// Fetch is what to read from an API, in place of Argv.
	Fetch *Fetch `json:"fetch,omitempty"`
	// Timeout is how long the command may run; 0 is no limit. The pod's
	// activeDeadlineSeconds is to be later than Timeout + Grace.
	Timeout time.Duration `json:"timeout,omitempty"`
	// Grace is the pod's terminationGracePeriodSeconds. SIGINT, SIGTERM, SIGKILL
	// and the report all fit into it, after a timeout as after a SIGTERM.
	Grace time.Duration `json:"grace,omitempty"`
	// InputsSHA256 is HashInputs of the files below InputsDir, as hex. Empty:
	// there are no inputs, and InputsDir is not looked at.
	InputsSHA256 string `json:"inputs,omitempty"`
	// SecretInputs are the slash-separated paths, below SecretInputsDir as in the
	// working directory, of the input files that come from Secrets. The runner
	// makes links to them, copies nothing, and collects none as an output file.
	// They are no part of InputsSHA256. One that isn't mounted is InputsMissing;
	// so the volume's sources can be optional.
	SecretInputs []string `json:"secretInputs,omitempty"`
	// Identity is what there has to be before the command can act as anybody.
	Identity Identity `json:"identity,omitzero"`
	// OutputFiles are globs (see MatchGlob), relative to the working directory,
	// of the files to collect. Empty: every regular file that is new or changed.
	OutputFiles []string `json:"outputs,omitempty"`
	// CaptureBytes caps stdout, stderr and files together, before encoding; at
	// most MaxCaptureBytes.
	CaptureBytes int64 `json:"capture,omitempty"`
	// MessageBytes is this container's share of the termination message, from
	// MinMessageBytes to DefaultMessageBytes.
	MessageBytes int64 `json:"message,omitempty"`
	// LogBytes is the kubelet's containerLogMaxSize. What is passed through and
	// the trailer stay below it together, each log record's own bytes counted.
	LogBytes int64 `json:"log,omitempty"`
	// KeepSecrets turns the redaction of tokens and private keys off.
	KeepSecrets bool `json:"keepSecrets,omitempty"`
	// SealTo is an age X25519 recipient ("age1…"). Where it is set, the report is
	// encrypted for it, nothing is passed through to the log, and nothing is
	// redacted.
	SealTo string `json:"sealTo,omitempty"`
}

// Identity is what the runner sees to before it starts the command. At most one
// field is set.
type Identity struct {
	// Key: KeyName is to be mounted, else it is InputsMissing; so the volume's
	// source can be optional.
	Key bool `json:"key,omitempty"`
	// Federation is the configuration of a federated identity. The runner writes
	// it to FederationFile. There is nothing secret in it.
	Federation string `json:"federation,omitempty"`
	// Metadata: the metadata server has to give a token, for which the runner
	// waits a while, else it is NoIdentity.
	Metadata bool `json:"metadata,omitempty"`
}

// Encode returns the task as text for an environment variable in a pod: JSON
// without a dollar sign, because Kubernetes expands $(NAME) and $$ there. The
// pod is refused by Linux where the text is longer than MaxTaskBytes.
func (t Task) Encode() string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(t); err != nil {
		panic("encoding strings and numbers: " + err.Error())
	}
	return strings.ReplaceAll(strings.TrimSuffix(text.String(), "\n"), "$", `\u0024`)
}

// DecodeTask reads what Encode wrote, fills in defaults and checks the limits.
func DecodeTask(text string) (Task, error) {
	var t Task
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&t); err != nil {
		return Task{}, fmt.Errorf("%w: %w", ErrTask, err)
	}
	t = t.withDefaults()
	if err := t.check(); err != nil {
		return Task{}, fmt.Errorf("%w: %w", ErrTask, err)
	}
	return t, nil
}

// Seals says whether an encoded task asks for a sealed report, whatever else another version of this
// package has put into it.
func Seals(task string) bool {
	var t struct {
		SealTo string `json:"sealTo"`
	}
	return json.Unmarshal([]byte(task), &t) == nil && t.SealTo != ""
}

func (t Task) withDefaults() Task {
	t.Grace = cmp.Or(t.Grace, DefaultGrace)
	t.CaptureBytes = cmp.Or(t.CaptureBytes, DefaultCaptureBytes)
	t.MessageBytes = cmp.Or(t.MessageBytes, DefaultMessageBytes)
	t.LogBytes = cmp.Or(t.LogBytes, DefaultLogBytes)
	return t
}

func (t Task) check() error {
	switch {
	case t.Fetch == nil && (len(t.Argv) == 0 || t.Argv[0] == ""):
		return errors.New("argv is empty")
	case t.Fetch != nil && len(t.Argv) > 0:
		return errors.New("there are both argv and fetch")
	case t.Timeout < 0 || t.Grace < 0:
		return errors.New("timeout and grace must not be negative")
	case t.CaptureBytes < 0 || t.CaptureBytes > MaxCaptureBytes:
		return fmt.Errorf("capture is %d, it must be from 0 to %d", t.CaptureBytes, MaxCaptureBytes)
	case t.LogBytes < 0:
		return errors.New("log must not be negative")
	}
	return errors.Join(checkName("run", t.Run), checkMessageBytes(t.MessageBytes), t.checkPaths(), t.checkFetch())
}

func (t Task) checkPaths() error {
	for _, pattern := range t.OutputFiles {
		if err := CheckGlob(pattern); err != nil {
			return err
		}
	}
	for _, name := range t.SecretInputs {
		if !fs.ValidPath(name) || name == "." {
			return fmt.Errorf("secret input %q is not a path relative to the working directory", name)
		}
	}
	return nil
}

func (t Task) checkFetch() error {
	if t.Fetch == nil {
		return nil
	}
	return t.Fetch.check()
}

// checkName bounds what stands in every header.
func checkName(field, s string) error {
	if s == "" || len(s) > MaxRunBytes {
		return fmt.Errorf("%s has %d bytes, it must have from 1 to %d", field, len(s), MaxRunBytes)
	}
	for _, c := range []byte(s) {
		if c <= ' ' || c > '~' || strings.IndexByte(`"\<>&`, c) >= 0 {
			return fmt.Errorf("%s %q has a character other than plain letters, digits and marks", field, s)
		}
	}
	return nil
}

func checkMessageBytes(n int64) error {
	if n < MinMessageBytes || n > DefaultMessageBytes {
		return fmt.Errorf("message is %d, it must be from %d to %d", n, MinMessageBytes, DefaultMessageBytes)
	}
	return nil
}
