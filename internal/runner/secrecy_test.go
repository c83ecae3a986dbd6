// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/redact"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/seal"
)

// Secrets of the command's; put together, so that they are none of this file.
var (
	aToken = "ya29." + "a0A" + strings.Repeat("bC3_d-E4", 20)
	aKey   = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte(strings.Repeat("secret", 30))}))
)

// everywhere is all text in which a secret must not stand.
func everywhere(t *testing.T, p *pod, e ending) string {
	t.Helper()
	message, err := os.ReadFile(filepath.Join(p.dir, "termination-log"))
	must(t, err)
	all := []string{string(message), e.fullLog, e.report.Message, string(e.report.Stdout.Data), string(e.report.Stderr.Data)}
	for _, f := range e.report.Files {
		all = append(all, f.Path, string(f.Data))
	}
	for _, l := range e.report.LeftOut {
		all = append(all, l.Path, l.Why)
	}
	return strings.Join(all, "\n")
}

func TestSecretsReachNeitherReportNorLog(t *testing.T) {
	half := len(aToken) / 2
	for name, c := range map[string]struct {
		script   string
		redacted int64
		stdout   string
		log      string
	}{
		"a token on stdout":                   {"echo a $TOKEN z", 1, "a [redacted] z\n", "a [redacted] z\n"},
		"a token on stderr":                   {"echo a $TOKEN z >&2", 1, "", "a [redacted] z\n"},
		"a token in two writes, far apart":    {"printf %s $HALF; sleep 0.6; echo $REST", 1, "[redacted]\n", "[redacted]\n"},
		"a token without an end":              {"printf %s $TOKEN", 1, "[redacted]", "[redacted]\n"},
		"a token byte by byte":                {"for c in $BYTES; do printf %s $c; done; echo", 1, "[redacted]\n", "[redacted]\n"},
		"a token in an endless line":          {"head -c 40000 /dev/zero | tr '\\0' ' '; echo $TOKEN", 1, strings.Repeat(" ", 40000) + "[redacted]\n", strings.Repeat(" ", 40000) + "[redacted]\n"},
		"what begins like one, and ends":      {"printf ya2", 0, "ya2", "ya2\n"},
		"a key":                               {`printf %s "$KEY"`, 1, "-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("[redacted]\n", 4) + "-----END PRIVATE KEY-----\n", ""},
		"both streams, each with its own":     {"echo $TOKEN; echo $TOKEN >&2; echo $TOKEN", 3, "[redacted]\n[redacted]\n", ""},
		"files":                               {`mkdir d; echo $TOKEN > a; printf %s "$KEY" > d/k; printf '\000%s\377' $TOKEN > b`, 3, "", ""},
		"a file of several megabytes":         {`(head -c 3000000 /dev/zero; echo $TOKEN; head -c 3000000 /dev/zero) > large`, 1, "", ""},
		"the end of more than a report holds": {"yes x | head -c 9000000; echo $TOKEN", 1, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPod(t)
			p.env = []string{"TOKEN=" + aToken, "HALF=" + aToken[:half], "REST=" + aToken[half:], "KEY=" + aKey, "BYTES=" + strings.Join(strings.Split(aToken, ""), " ")}
			e := p.run(shell(c.script))
			all := everywhere(t, p, e)
			for _, secret := range append(strings.Split(aKey, "\n")[1:4], aToken[:half], aToken[half:], aToken[5:25]) {
				if strings.Contains(all, secret) {
					t.Errorf("%q is there", secret)
				}
			}
			if e.report.Redacted != c.redacted {
				t.Errorf("it says that %d were replaced, want %d", e.report.Redacted, c.redacted)
			}
			if c.stdout != "" && string(e.report.Stdout.Data) != c.stdout {
				t.Errorf("stdout is %.200q", e.report.Stdout.Data)
			}
			if c.log != "" && e.log != c.log {
				t.Errorf("the log is %.200q", e.log)
			}
			hashesAreOfWhatIsKept(t, e.report)
		})
	}
}

// A hash of the secret text would tell whether a guess is right.
func hashesAreOfWhatIsKept(t *testing.T, r result.Report) {
	t.Helper()
	streams := []result.Stream{r.Stdout, r.Stderr}
	for _, f := range r.Files {
		streams = append(streams, f.Stream)
	}
	for _, s := range streams {
		sum := sha256.Sum256(s.Data)
		if s.SHA256 != "" && !s.Truncated() && (s.SHA256 != hex.EncodeToString(sum[:]) || s.Bytes != int64(len(s.Data))) {
			t.Errorf("%d bytes, hash %s, of %.100q", s.Bytes, s.SHA256, s.Data)
		}
	}
}

// gcloud prints its token where it is told to, and with its requests.
func TestTheTokensThatGcloudPrintsAreReplaced(t *testing.T) {
	if _, err := exec.LookPath("gcloud"); err != nil {
		t.Skip("gcloud is not installed")
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+aToken {
			t.Errorf("gcloud's own token is %q", r.Header.Get("Authorization"))
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"projectId": "p", "access_token": "`+strings.Repeat("opaque-0", 5)+`"}`)
	}))
	defer api.Close()
	for name, c := range map[string]struct {
		argv []string
		want string
	}{
		"it is asked for":           {[]string{"gcloud", "auth", "print-access-token"}, "[redacted]\n"},
		"it is shown with requests": {[]string{"gcloud", "projects", "describe", "p", "--log-http"}, "b'Bearer [redacted]'"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			p.write("token", aToken, 0o644)
			p.env = []string{
				"CLOUDSDK_AUTH_ACCESS_TOKEN_FILE=" + filepath.Join(p.dir, "token"), "CLOUDSDK_CORE_LOG_HTTP_REDACT_TOKEN=false",
				"CLOUDSDK_API_ENDPOINT_OVERRIDES_CLOUDRESOURCEMANAGER=" + api.URL + "/", "CLOUDSDK_CORE_CHECK_GCE_METADATA=false",
				"CLOUDSDK_CORE_DISABLE_PROMPTS=1", "CLOUDSDK_CORE_DISABLE_USAGE_REPORTING=true",
			}
			e := p.run(task(c.argv...))
			printed := string(e.report.Stdout.Data) + string(e.report.Stderr.Data)
			if e.report.ExitCode != 0 || !strings.Contains(printed, c.want) {
				t.Errorf("exit code %d, %s", e.report.ExitCode, printed)
			}
			if all := everywhere(t, p, e); strings.Contains(all, aToken[5:25]) || strings.Contains(all, "opaque") {
				t.Errorf("a token is in %s", all)
			}
		})
	}
}

func TestWhatMayBeASecretIsHeldBackAndNothingElse(t *testing.T) {
	w := released()
	r := &run{task: result.Task{CaptureBytes: 1000}, live: newLiveLog(w, 1<<20)}
	s, err := r.newStream()
	must(t, err)
	fd, err := syscall.Dup(int(s.write.Fd()))
	must(t, err)
	command := os.NewFile(uintptr(fd), "the command's end")
	go s.pump()
	write := func(text, want string) {
		t.Helper()
		_, err := command.WriteString(text)
		must(t, err)
		time.Sleep(3 * holdTime)
		eventually(t, "after "+text+" there is "+want, func() bool { return w.text() == want })
	}
	write("Waiting for ya2", "Waiting for ")
	write("9", "Waiting for ")
	write(" and for 1", "Waiting for ya29 and for ")
	must(t, command.Close())
	<-s.done
	if got, ok := r.live.close(time.Second); !ok || w.text() != "Waiting for ya29 and for 1\n" {
		t.Errorf("at the end there is %q, %d", w.text(), got)
	}
	if got, n, err := s.close(); string(got.Data) != "Waiting for ya29 and for 1" || n != 0 || err != nil {
		t.Errorf("captured: %q, %d, %v", got.Data, n, err)
	}
}

func TestSecretsStayWhereTheTaskSaysSo(t *testing.T) {
	p := newPod(t)
	p.env = []string{"TOKEN=" + aToken}
	task := shell("echo $TOKEN; echo $TOKEN > a")
	task.KeepSecrets = true
	e := p.run(task)
	if string(e.report.Stdout.Data) != aToken+"\n" || e.log != aToken+"\n" || string(e.report.Files[0].Data) != aToken+"\n" || e.report.Redacted != 0 {
		t.Errorf("got %+v; log %q", e.report, e.log)
	}
}

func TestSecretsInFetchedFilesAreReplaced(t *testing.T) {
	e := newPod(t).run(fetchTask("documents/secret"))
	if got := string(e.report.Files[0].Data); got != "a "+redact.Replacement || e.report.Redacted != 1 {
		t.Errorf("got %q, %d", got, e.report.Redacted)
	}
	hashesAreOfWhatIsKept(t, e.report)
}

func newKey(t *testing.T) (recipient string, open result.Opener) {
	t.Helper()
	identity, recipient, err := seal.NewKey()
	must(t, err)
	open, err = seal.With(identity)
	must(t, err)
	return recipient, open
}

func TestSealedOutputIsSeenByTheKeysOwnerAlone(t *testing.T) {
	const secret = "correct horse battery staple"
	for name, c := range map[string]struct{ script, stdout, file string }{
		"little output":    {"echo $S; echo $S >&2; echo $S > \"$S\"", secret + "\n", secret + "\n"},
		"much output":      {"for i in $(seq 20000); do echo $S $i; done; echo $S >&2; echo $S > f", "", secret + "\n"},
		"tokens in it":     {"echo $TOKEN; echo $TOKEN > f", aToken + "\n", aToken + "\n"},
		"a failed command": {"echo $S; exit 3", secret + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPod(t)
			p.env = []string{"S=" + secret, "TOKEN=" + aToken}
			task := shell(c.script)
			task.SealTo, p.open = newKey(t)
			e := p.run(task)
			message, err := os.ReadFile(filepath.Join(p.dir, "termination-log"))
			must(t, err)
			sum := sha256.Sum256([]byte(secret + "\n"))
			for _, text := range []string{secret, "horse", aToken, e.report.Stdout.SHA256, hex.EncodeToString(sum[:])} {
				if strings.Contains(e.fullLog+string(message), text) {
					t.Errorf("%q is there in clear", text)
				}
			}
			if e.log != sealedNotice {
				t.Errorf("the log is %.200q", e.log)
			}
			if c.stdout != "" && string(e.report.Stdout.Data) != c.stdout || c.file != "" && string(e.report.Files[0].Data) != c.file {
				t.Errorf("got %q, %+v", e.report.Stdout.Data, e.report.Files)
			}
			if e.Report.Stdout.Bytes != e.report.Stdout.Bytes || e.Report.Stdout.SHA256 != "" || e.report.Redacted != 0 {
				t.Errorf("in clear it says %+v", e.Report.Stdout)
			}
			hashesAreOfWhatIsKept(t, e.report)
		})
	}
}

func TestNothingIsStartedWhereTheKeyToSealWithIsNone(t *testing.T) {
	p := newPod(t)
	task := shell("touch ran")
	task.SealTo = "age1none"
	cmd, log := p.start(task)
	_ = cmd.Wait()
	if _, err := os.Stat(filepath.Join(p.dir, "files/ran")); err == nil || cmd.ProcessState.ExitCode() != exitReportLost {
		t.Errorf("executed: %v, exit code %d", err == nil, cmd.ProcessState.ExitCode())
	}
	if !strings.Contains(log.String(), "sealTo: no age X25519 key: a recipient begins with age1") {
		t.Errorf("the log is %q", log)
	}
}

// mountSecrets lays files out as the kubelet does for a projected volume.
func (p *pod) mountSecrets(files map[string]string) {
	p.t.Helper()
	for name, content := range files {
		p.write("secret-inputs/..2026_01_02_03_04_05.123/"+name, content, 0o644)
		top, _, _ := strings.Cut(name, "/")
		_ = os.Symlink("..data/"+top, filepath.Join(p.dir, "secret-inputs", top))
	}
	must(p.t, os.Symlink("..2026_01_02_03_04_05.123", filepath.Join(p.dir, "secret-inputs/..data")))
}

func TestSecretInputsAreLinkedAndNeverCollected(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		globs   []string
		files   []string
		leftOut []string
	}{
		"the command reads them": {"cat key.json dir/b; echo -n 1 > a", nil, []string{"a=1"}, nil},
		"a glob matches them": {"echo -n 1 > a", []string{"**"}, []string{"a=1"},
			[]string{"dir/b: an input file from a Secret: such are never collected", "key.json: an input file from a Secret: such are never collected"}},
		"another link leads to one": {"ln -s key.json a; ln -s $PWD/key.json b", nil, nil,
			[]string{"a: a link that leads nowhere, or out of the working directory", "b: a link that leads nowhere, or out of the working directory"}},
		"the command put a file of its own in its place": {"rm key.json; echo other > key.json", nil, nil,
			[]string{"key.json: an input file from a Secret: such are never collected"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPod(t)
			p.mountSecrets(map[string]string{"key.json": "the-key\n", "dir/b": "the-password\n"})
			p.mount(map[string]string{"dir/c": "3"})
			task := shell(c.script)
			task.OutputFiles, task.SecretInputs, task.InputsSHA256 = c.globs, []string{"key.json", "dir/b"}, hashOf(map[string]string{"dir/c": "3"})
			e := p.run(task)
			files, leftOut := describeFiles(e.report)
			if c.globs != nil {
				files = slices.DeleteFunc(files, func(f string) bool { return f == "dir/c=3" })
			}
			if !slices.Equal(files, c.files) || !slices.Equal(leftOut, c.leftOut) || e.report.ExitCode != 0 {
				t.Errorf("got %q, left out %q; %s %s", files, leftOut, e.report.Message, e.report.Stderr.Data)
			}
			if info, err := os.Lstat(filepath.Join(p.dir, "files/dir/b")); err != nil || info.Mode()&os.ModeSymlink == 0 {
				t.Errorf("it is no link: %v, %v", info, err)
			}
		})
	}
}

func TestSecretInputsThatAreMissingPreventTheStart(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(p *pod)
		inputs  []string
		reason  result.Reason
		want    string
	}{
		"nothing is mounted":  {func(*pod) {}, []string{"a"}, result.InputsMissing, `input files are missing: "a"`},
		"the volume is empty": {func(p *pod) { p.mountSecrets(nil) }, []string{"a", "b/c d"}, result.InputsMissing, `"a", "b/c d": the Secret, or the key in it, does not exist`},
		"one of two is missing": {func(p *pod) { p.mountSecrets(map[string]string{"a": "1"}) }, []string{"a", "b"},
			result.InputsMissing, `input files are missing: "b":`},
		"a folder is in its place": {func(p *pod) { p.mountSecrets(map[string]string{"a/b": "1"}) }, []string{"a"},
			result.InputsFailed, `linking secret input "a": it is not a regular file`},
		"a file is in the place of its folder": {func(p *pod) {
			p.mountSecrets(map[string]string{"a/b": "1"})
			p.write("files/a", "", 0o644)
		}, []string{"a/b"}, result.InputsFailed, `linking secret input "a/b"`},
		"something is in its place": {func(p *pod) {
			p.mountSecrets(map[string]string{"a": "1"})
			p.write("files/a", "", 0o644)
		}, []string{"a"}, result.InputsFailed, `linking secret input "a"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPod(t)
			must(t, os.MkdirAll(filepath.Join(p.dir, "secret-inputs"), 0o755))
			c.prepare(p)
			task := shell("touch ran")
			task.SecretInputs = c.inputs
			e := p.run(task)
			refused(t, p, e, c.reason)
			if !strings.Contains(e.report.Message, c.want) || !e.report.Reason.NeverRan() {
				t.Errorf("it says %q, want %q", e.report.Message, c.want)
			}
		})
	}
}
