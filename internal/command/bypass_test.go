// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// bypasses are commands with which real gcloud prints credentials, runs programs, or reads files outside the working
// directory. A rule that is to refuse each is named.
var bypasses = map[string]Rule{
	"gcloud --flags-file=f.yaml":                                                                           FlagsFile,
	"gcloud --flags-file=-":                                                                                FlagsFile,
	"gcloud projects describe p1 --flags-file=flags.yaml":                                                  FlagsFile,
	"gcloud logging write l -- --flags-file=x":                                                             FlagsFile,
	"gcloud projects describe p1 --flags-file=/etc/shadow":                                                 FlagsFile,
	"gcloud projects describe p1 --flags-file":                                                             FlagsFile,
	"gcloud projects describe p1 ---flag-file-line-=x":                                                     UnsafeFlag,
	"gcloud projects describe p1 --access-token-file=/etc/passwd":                                          UnsafeFlag,
	"gcloud projects describe p1 --access-token-file=token":                                                UnsafeFlag,
	"gcloud projects describe p1 --authorization-token-file=token":                                         UnsafeFlag,
	"gcloud projects describe p1 --authority-selector=x":                                                   UnsafeFlag,
	"gcloud projects describe p1 --credential-file-override=ext.json":                                      UnsafeFlag,
	"gcloud projects describe p1 --universe-domain=evil.example":                                           UnsafeFlag,
	"gcloud projects describe p1 --log-http":                                                               UnsafeFlag,
	"gcloud projects describe p1 --configuration=nope":                                                     UnsafeFlag,
	"gcloud projects describe p1 --configuration=../../x":                                                  UnsafeFlag,
	"gcloud projects describe p1 --account=other":                                                          UnsafeFlag,
	"gcloud projects describe p1 --impersonate-service-account=x@y":                                        UnsafeFlag,
	"gcloud projects describe p1 --document=style=markdown":                                                UnsafeFlag,
	"gcloud auth login --cred-file=ext.json":                                                               ForbiddenCommand,
	"gcloud auth print-access-token":                                                                       ForbiddenCommand,
	"gcloud auth print-identity-token":                                                                     ForbiddenCommand,
	"gcloud alpha auth print-access-token":                                                                 ForbiddenCommand,
	"gcloud beta auth application-default print-access-token":                                              ForbiddenCommand,
	"gcloud auth configure-docker":                                                                         ForbiddenCommand,
	"gcloud auth activate-service-account --key-file=k":                                                    ForbiddenCommand,
	"gcloud config config-helper --format=json":                                                            ForbiddenCommand,
	"gcloud config set api_endpoint_overrides/compute http://evil/":                                        ForbiddenCommand,
	"gcloud config set auth/access_token_file /etc/passwd":                                                 ForbiddenCommand,
	"gcloud config configurations create x":                                                                ForbiddenCommand,
	"gcloud config virtualenv create":                                                                      ForbiddenCommand,
	"gcloud meta test --exec-file=F":                                                                       ForbiddenCommand,
	"gcloud meta debug":                                                                                    ForbiddenCommand,
	"gcloud meta apis methods call --collection=cloudresourcemanager.projects delete p1":                   ForbiddenCommand,
	"gcloud compute url-maps edit m":                                                                       Interactive,
	"gcloud compute backend-services edit b":                                                               Interactive,
	"gcloud compute ssh vm --command='id; echo hi' -- -o ProxyCommand=evil":                                Interactive,
	"gcloud compute ssh vm --dry-run":                                                                      Interactive,
	"gcloud compute scp /etc/passwd vm:/x":                                                                 Interactive,
	"gcloud docker -- run x":                                                                               ForbiddenCommand,
	"gcloud alpha interactive":                                                                             Interactive,
	"gcloud init":                                                                                          ForbiddenCommand,
	"gcloud feedback":                                                                                      ForbiddenCommand,
	"gcloud survey":                                                                                        ForbiddenCommand,
	"gcloud info":                                                                                          ForbiddenCommand,
	"gcloud components install x":                                                                          ForbiddenCommand,
	"gcloud iam service-accounts keys create key.json --iam-account=a@b":                                   ForbiddenCommand,
	"gcloud iam service-accounts sign-jwt in out --iam-account=a@b":                                        ForbiddenCommand,
	"gcloud secrets versions add s --data-file=/etc/hostname":                                              LocalPath,
	"gcloud secrets versions add s --data-file=/var/run/secrets/kubernetes.io/serviceaccount/token":        LocalPath,
	"gcloud compute instances add-metadata vm --metadata-from-file=x=/etc/passwd":                          LocalPath,
	"gcloud compute instances add-metadata vm --metadata-from-file=a=ok,x=/proc/self/environ":              LocalPath,
	"gcloud compute instances add-metadata vm --metadata-from-file=^:^a=ok:x=../../etc/passwd":             LocalPath,
	"gcloud storage cp /etc/hostname gs://b":                                                               LocalPath,
	"gcloud storage cp /etc/hostname -":                                                                    LocalPath,
	"gcloud storage cp file:///etc/hostname gs://b":                                                        LocalPath,
	"gcloud storage cp FILE:///etc/hostname gs://b":                                                        LocalPath,
	"gcloud storage cp a/../../etc/hostname gs://b":                                                        LocalPath,
	"gcloud storage cp gs://b/key /root/.ssh/authorized_keys":                                              LocalPath,
	"gcloud storage cat /etc/passwd":                                                                       LocalPath,
	"gcloud storage rsync / gs://b":                                                                        LocalPath,
	"gcloud builds submit /dir --async":                                                                    LocalPath,
	"gcloud builds submit ../.. --async":                                                                   LocalPath,
	"gcloud builds submit . --config=/etc/passwd --async":                                                  LocalPath,
	"gcloud builds submit . --ignore-file=../../etc/passwd --async":                                        LocalPath,
	"gcloud ai endpoints raw-predict 1 --region=r --request=@/etc/passwd":                                  LocalPath,
	"gcloud firebase test android run /etc/passwd:group --async":                                           LocalPath,
	"gcloud dns record-sets export /tmp/x --zone=z":                                                        LocalPath,
	"gcloud kms decrypt --plaintext-file=/dev/stdout --ciphertext-file=c --key=k --keyring=r --location=l": LocalPath,
	"gcloud app instances ssh i":                                                                           ForbiddenCommand,
	"gcloud cloud-shell ssh":                                                                               Interactive,
	"gcloud sql connect i":                                                                                 Interactive,
	"gcloud run services proxy s":                                                                          Interactive,
	"gcloud ai-platform local train --module-name=m --package-path=p":                                      Interactive,
	"gcloud ml-engine local train --module-name=m --package-path=p":                                        Interactive,
	"gcloud source repos clone r":                                                                          Interactive,
	"gcloud emulators spanner start":                                                                       Interactive,
}

func TestBypassesAreRefused(t *testing.T) {
	for line, rule := range bypasses {
		r := admitted()
		r.Command = line
		if strings.Contains(line, " -- ") {
			r.Command = strings.Replace(line, " -- ", p+" -- ", 1)
		} else {
			r.Command += p
		}
		if _, v := (Policy{}).Check(r); !slices.Contains(errorsOf(v), rule) {
			t.Errorf("%s: refused by %v, not by %s: %v", line, errorsOf(v), rule, v.Errors)
		}
	}
}

// disguises write a word so that a shell reads the same word.
var disguises = map[string]func(string) string{
	"plain":                      func(w string) string { return w },
	"in single quotes":           func(w string) string { return "'" + w + "'" },
	"in double quotes":           func(w string) string { return `"` + w + `"` },
	"half in quotes":             func(w string) string { return w[:2] + "'" + w[2:] + "'" },
	"with empty quotes inside":   func(w string) string { return w[:2] + `''""` + w[2:] },
	"with a backslash inside":    func(w string) string { return w[:2] + `\` + w[2:] },
	"broken by a joined line":    func(w string) string { return w[:2] + "\\\n" + w[2:] },
	"broken in double quotes":    func(w string) string { return `"` + w[:2] + "\\\n" + w[2:] + `"` },
	"on a line of its own":       func(w string) string { return "\n\t" + w + "\r\n" },
	"after a joined line":        func(w string) string { return "\\\r\n  " + w },
	"each letter in own quotes":  func(w string) string { return "'" + strings.Join(strings.Split(w, ""), "''") + "'" },
	"each letter after a slash":  func(w string) string { return `\` + strings.Join(strings.Split(w, ""), `\`) },
	"between tabs":               func(w string) string { return "\t" + w + "\t" },
	"quotes of both kinds mixed": func(w string) string { return `"` + w[:1] + `"'` + w[1:2] + "'" + w[2:] },
}

// lookAlikes write a word so that a reader takes it for the same.
var lookAlikes = map[string]func(string) string{
	"Cyrillic letters":     strings.NewReplacer("a", "а", "o", "о", "e", "е", "c", "с").Replace,
	"full-width letters":   strings.NewReplacer("a", "ａ", "o", "ｏ", "e", "ｅ", "i", "ｉ").Replace,
	"typographic hyphens":  strings.NewReplacer("-", "‐", "a", "а").Replace,
	"a zero-width space":   func(w string) string { return w[:2] + "\u200b" + w[2:] },
	"a soft hyphen":        func(w string) string { return w[:2] + "\u00ad" + w[2:] },
	"a quoted joiner":      func(w string) string { return "'" + w[:2] + "\u200d" + w[2:] + "'" },
	"a combining accent":   func(w string) string { return w[:3] + "\u0301" + w[3:] },
	"a zero byte":          func(w string) string { return w[:2] + "\x00" + w[2:] },
	"a quoted zero byte":   func(w string) string { return "'" + w[:2] + "\x00" + w[2:] + "'" },
	"an escape sequence":   func(w string) string { return w[:2] + "\x1b[0m" + w[2:] },
	"a backspace":          func(w string) string { return w[:2] + "x\b" + w[2:] },
	"a carriage return":    func(w string) string { return w[:2] + "\r" + w[2:] },
	"a quoted newline":     func(w string) string { return "'" + w[:2] + "\n" + w[2:] + "'" },
	"reordering":           func(w string) string { return "'\u202e" + w + "\u202c'" },
	"a byte order mark":    func(w string) string { return "\ufeff" + w },
	"a no-break space":     func(w string) string { return w + "\u00a0" },
	"capitals":             strings.ToUpper,
	"a capital":            func(w string) string { return strings.ToUpper(w[:3]) + w[3:] },
	"underscores":          func(w string) string { return w[:2] + strings.ReplaceAll(w[2:], "-", "_") + "_" },
	"a letter less":        func(w string) string { return w[:len(w)-1] },
	"two letters less":     func(w string) string { return w[:len(w)-2] },
	"a C-style quote":      func(w string) string { return "$'" + w + "'" },
	"a variable":           func(w string) string { return w[:2] + "${x}" + w[2:] },
	"a trailing backslash": func(w string) string { return w + `\` },
}

func TestForbiddenCommandsAreRefusedInAnyForm(t *testing.T) {
	starts := []string{"", "alpha ", "beta ", "preview ", "-q ", "--quiet alpha ", "--project=my-project ", "--project my-project beta ", "--format=json -q "}
	for _, f := range forbidden {
		words := strings.Fields(f.command)
		first, rest := words[0], strings.Join(words[1:], " ")
		for _, start := range starts {
			for name, disguise := range disguises {
				line := fmt.Sprintf("gcloud %s%s %s --project=my-project", start, disguise(first), rest)
				if rules := refusedBy(line); !slices.Contains(rules, ForbiddenCommand) {
					t.Errorf("%s, %q: refused by %v", name, line, rules)
				}
			}
			for name, disguise := range lookAlikes {
				if looks := disguise(first); looks != first {
					mustRefuse(t, name, fmt.Sprintf("gcloud %s%s %s --project=my-project", start, looks, rest))
				}
			}
		}
	}
}

func TestUnsafeFlagsAreRefusedAnywhere(t *testing.T) {
	base := []string{"gcloud", "beta", "compute", "instances", "list", "vm-1", "--limit=5", "--project=my-project"}
	flags := []string{"--flags-file", "--account", "--access-token-file", "--configuration", "--impersonate-service-account", "--trace-token", "--universe-domain", "--credential-file-override", "--authorization-token-file", "--authority-selector", "--http-timeout", "---flag-file-line-"}
	for _, flag := range flags {
		for at := 1; at <= len(base); at++ {
			for name, disguise := range disguises {
				for _, written := range []string{disguise(flag) + "=x", disguise(flag + "=x"), disguise(flag) + " x"} {
					line := strings.Join(slices.Insert(slices.Clone(base), at, written), " ")
					if rules := refusedBy(line); !slices.Contains(rules, UnsafeFlag) && !slices.Contains(rules, FlagsFile) {
						t.Errorf("%s, %q: refused by %v", name, line, rules)
					}
				}
			}
			for name, disguise := range lookAlikes {
				if looks := disguise(flag); looks != flag {
					mustRefuse(t, name, strings.Join(slices.Insert(slices.Clone(base), at, looks+"=x"), " "))
				}
			}
		}
	}
}

func TestBooleanUnsafeFlagsAreRefusedAnywhere(t *testing.T) {
	base := []string{"gcloud", "compute", "instances", "list", "--limit=5", "--project=my-project"}
	for _, flag := range []string{"--log-http", "--no-log-http", "--no-user-output-enabled", "--log-http=true", "--log-htt"} {
		for at := 1; at <= len(base); at++ {
			mustRefuse(t, flag, strings.Join(slices.Insert(slices.Clone(base), at, flag), " "))
		}
	}
}

func TestLocalPathsAreRefusedInAnyForm(t *testing.T) {
	paths := []string{
		"/etc/passwd", "//etc/passwd", "/./etc/passwd", "/var/run/secrets/x", "/proc/self/environ", "../x", "a/../../x", "./../x", "~/x", "~root/x", "file:///etc/passwd",
		"file:/etc/passwd", "FILE:///etc/passwd", `..\x`, "/", "..", "/dev/stdin", "/proc/1/root/etc/passwd", "x/..", "//storage.googleapis.com/../../etc/passwd",
	}
	commands := []string{
		"storage cp %s gs://b/o", "storage cp gs://b/o %s", "storage rsync %s gs://b", "builds submit %s --async", "builds submit . --async --config=%s", "secrets versions add s --data-file=%s",
		"compute instances add-metadata v --metadata-from-file=k=%s", "compute instances add-metadata v --metadata-from-file=a=b,k=%s", "compute instances add-metadata v --metadata-from-file=^!^a=b!k=%s", "firebase test android run --app=a --other-files=x=%s", "firebase test android run --async args.yaml:%s", "projects set-iam-policy my-project %s", "kms decrypt --plaintext-file=p --ciphertext-file=%s --key=k --keyring=r --location=l",
		"alpha storage cp %s gs://b/o", "beta builds submit %s --async", "run services replace %s --async", "functions call f --data=x --region=r --flags-file=%s",
	}
	for _, c := range commands {
		for _, path := range paths {
			line := "gcloud " + fmt.Sprintf(c, "'"+path+"'") + p
			if rules := refusedBy(line); !slices.Contains(rules, LocalPath) && !slices.Contains(rules, FlagsFile) {
				t.Errorf("%s: refused by %v", line, rules)
			}
		}
	}
}

// The lists of commands name what the SDK has: a rule on a command that was renamed would guard nothing.
func TestListedCommandsExist(t *testing.T) {
	var all []string
	for _, f := range forbidden {
		all = append(all, f.command)
	}
	for _, entry := range interactiveCommands {
		all = append(all, strings.Split(entry.commands, ", ")...)
	}
	for _, command := range all {
		if !existsInSomeTrack(strings.Fields(command)) {
			t.Errorf("gcloud %s is in no release track", command)
		}
	}
}

func TestListedFlagsExist(t *testing.T) {
	have := allFlags(tree.Load().Root, map[string]bool{})
	for _, name := range remotePaths {
		if !have[name] {
			t.Errorf("no command has the flag %s", name)
		}
	}
	for name := range unsafeFlags {
		if f := tree.Load().Root.Flag(name); f == nil || f.Hidden {
			t.Errorf("%s is no visible global flag", name)
		}
	}
}

func refusedBy(line string) []Rule {
	r := admitted()
	r.Command = line
	_, v := Policy{}.Check(r)
	return errorsOf(v)
}

func mustRefuse(t *testing.T, name, line string) {
	t.Helper()
	if len(refusedBy(line)) == 0 {
		t.Errorf("%s, %q: admitted", name, line)
	}
}
