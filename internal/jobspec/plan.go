// SPDX-License-Identifier: Apache-2.0

// Package jobspec turns the plan of a run into the objects that execute it: a Job, and the
// ConfigMaps that hold its input files. It is pure: the same plan gives the same objects.
package jobspec

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Owner is the resource that a run belongs to.
type Owner struct {
	Kind      string
	Namespace string
	Name      string
	UID       types.UID
}

// InputFile is a file that is there before the command starts; Path is relative to the working directory.
type InputFile struct {
	Path     string
	Contents string
}

// SecretInput is an input file that is a key of a Secret.
type SecretInput struct {
	Path, Secret, Key string
}

// Plan is what a run executes, and how: what a kind makes of its spec.
type Plan struct {
	// Image has the command in it. RunnerImage has the runner in it, which an init container then
	// copies into the pod; empty when Image has the runner, too.
	Image       string
	RunnerImage string

	// Argv is executed; or Fetch is read from an API, in place of it.
	Argv         []string
	Fetch        *result.Fetch
	Env          []corev1.EnvVar
	Inputs       []InputFile
	SecretInputs []SecretInput
	OutputFiles  []string
	Timeout      time.Duration

	// OutputSecret is the name of the Secret that the output goes to, and SealTo whom it is encrypted
	// for on its way; empty when it goes to the status.
	OutputSecret string
	SealTo       string
	// KeepSecrets leaves tokens and private keys in the output.
	KeepSecrets bool

	ServiceAccountName string
	Identity           Identity
	Resources          corev1.ResourceRequirements

	// JobLabels are set on the Job, beside the operator's own: what queues Jobs goes by them.
	JobLabels map[string]string

	// Pod are the settings of the pod, the resources aside.
	Pod v1alpha1.PodSettings
	// CABundle are certificates that are trusted beside those of the image.
	CABundle string

	// CaptureBytes is how much of the output is kept; 0 for the runner's default.
	CaptureBytes int64

	// TTL is how long the Job stays after its end.
	TTL time.Duration
}

// Attempt is one attempt at a run: what the names and marks of its objects come from.
type Attempt struct {
	Owner   Owner
	Number  int64
	Attempt int32
	Key     string
}

// AttemptOf returns the attempt that a run stands at.
func AttemptOf(owner Owner, run *v1alpha1.Run) Attempt {
	return Attempt{Owner: owner, Number: run.Number, Attempt: run.Attempt, Key: run.Key}
}

// maxPrefix leaves room in a label's 63 characters for the hash and for the suffixes that the Job
// controller and this package append.
const maxPrefix = 40

// JobName is fixed by the resource's UID, the number of the run, and the attempt: however often a
// crash makes the controller create the Job, there is one. The resource's name leads, for people.
func (a Attempt) JobName() string {
	return prefix(a.Owner.Name) + "-" + shortHash(string(a.Owner.UID), strconv.FormatInt(a.Number, 10), strconv.Itoa(int(a.Attempt)))
}

// Identity is what the report of this attempt has to name.
func (a Attempt) Identity() string {
	return fmt.Sprintf("%s/%d/%d", a.Owner.UID, a.Number, a.Attempt)
}

// Labels mark every object of a resource.
func Labels(owner Owner) map[string]string {
	return map[string]string{
		v1alpha1.ManagedByLabel: v1alpha1.ManagedByValue,
		v1alpha1.OwnerUIDLabel:  string(owner.UID),
	}
}

func (a Attempt) annotations() map[string]string {
	return map[string]string{
		v1alpha1.OwnerAnnotation: a.Owner.Kind + "/" + a.Owner.Name,
		v1alpha1.RunAnnotation:   strconv.FormatInt(a.Number, 10),
		v1alpha1.KeyAnnotation:   a.Key,
	}
}

// Meta is the metadata of an object that belongs to a run and goes when its resource goes.
func (a Attempt) Meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:        name,
		Namespace:   a.Owner.Namespace,
		Labels:      Labels(a.Owner),
		Annotations: a.annotations(),
		OwnerReferences: []metav1.OwnerReference{{
			APIVersion:         v1alpha1.SchemeGroupVersion.String(),
			Kind:               a.Owner.Kind,
			Name:               a.Owner.Name,
			UID:                a.Owner.UID,
			Controller:         new(true),
			BlockOwnerDeletion: new(true),
		}},
	}
}

func (p Plan) task(a Attempt) result.Task {
	return result.Task{
		Run:          a.Identity(),
		Argv:         p.Argv,
		Fetch:        p.Fetch,
		Timeout:      p.Timeout,
		Grace:        GracePeriod,
		InputsSHA256: p.inputsHash(),
		OutputFiles:  p.OutputFiles,
		CaptureBytes: p.CaptureBytes,
		SecretInputs: p.secretPaths(),
		Identity:     p.Identity.task(),
		KeepSecrets:  p.KeepSecrets,
		SealTo:       p.SealTo,
	}
}

func (p Plan) secretPaths() []string {
	var paths []string
	for _, s := range p.SecretInputs {
		paths = append(paths, s.Path)
	}
	return paths
}

func (p Plan) inputsHash() string {
	if len(p.Inputs) == 0 {
		return ""
	}
	files := make(map[string][]byte, len(p.Inputs))
	for _, f := range p.Inputs {
		files[f.Path] = []byte(f.Contents)
	}
	return result.HashInputs(files)
}

// prefix makes the beginning of a DNS label out of a resource's name.
func prefix(name string) string {
	name = strings.ReplaceAll(name, ".", "-")
	if len(name) > maxPrefix {
		name = name[:maxPrefix]
	}
	return strings.TrimRight(name, "-")
}

func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:6])
}
