// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"strings"
	"testing"
)

// admitted is a request that breaks no rule. The tests change one thing of it.
func admitted() Request {
	return Request{Namespace: "team", Project: "projects/my-project", Command: "gcloud projects describe my-project --project=my-project"}
}

// errorsOf lists the rules that refuse a request.
func errorsOf(v Verdict) []Rule {
	var ids []Rule
	for _, e := range v.Errors {
		if !slices.Contains(ids, e.Rule) {
			ids = append(ids, e.Rule)
		}
	}
	return ids
}

const p = " --project=my-project"

// ruleCases has for each rule commands that it accepts, and commands that it and no other rule refuses.
var ruleCases = map[Rule]struct{ accepts, refuses []string }{
	Syntax: {
		accepts: []string{
			`gcloud logging read 'a | b > c; $d # e' --limit=1` + p,
			`gcloud logging read "severity>=ERROR AND resource.type='gce_instance'" --limit=10` + p,
			"gcloud projects describe \\\n  my-project \\\n  --project=my-project\n",
		},
		refuses: []string{
			"gcloud projects list" + p + " | jq", "gcloud projects list" + p + "; ls", "gcloud projects list --project=$PROJECT", "gcloud projects list --filter='a" + p,
			"kubectl get pods" + p, "/usr/bin/gcloud projects list" + p, "GCLOUD projects list" + p, "$ gcloud projects list" + p, "CLOUDSDK_CORE_PROJECT=x gcloud projects list" + p,
		},
	},
	UnknownCommand: {
		accepts: []string{"gcloud beta compute instances list" + p, "gcloud ml-engine models list" + p},
		refuses: []string{"gcloud project list" + p, "gcloud projects lst" + p, "gcloud projects" + p, "gcloud alpha beta projects list" + p, "gcloud compute_instances list" + p, "gcloud Projects list" + p},
	},
	UnknownFlag: {
		accepts: []string{"gcloud projects list --limit=5 -q" + p},
		refuses: []string{"gcloud projects list --limt=5" + p, "gcloud projects list --form=json" + p, "gcloud projects list --Limit=5" + p, "gcloud projects list --page_size=5" + p, "gcloud projects list -x" + p},
	},
	UnexpectedArgument: {
		accepts: []string{"gcloud compute instances list a b" + p},
		refuses: []string{"gcloud projects describe my-project another" + p, "gcloud projects list more" + p, "gcloud compute instances describe a --zone=z b" + p},
	},
	MissingArgument: {
		accepts: []string{"gcloud projects describe my-project" + p},
		refuses: []string{"gcloud projects describe" + p, "gcloud projects list" + p + " --limit", "gcloud logging write log" + p},
	},
	ConflictingFlags: {
		accepts: []string{"gcloud compute instances list --zones=a,b" + p},
		refuses: []string{"gcloud container clusters create c --async --region=r --zone=z" + p},
	},
	InvalidValue: {
		accepts: []string{"gcloud projects list --limit=5 --sort-by=name" + p},
		refuses: []string{"gcloud projects list --limit=many" + p, "gcloud projects list --quiet=true" + p, "gcloud projects list --verbosity=loud" + p, "gcloud projects list --project='My Project'", "gcloud projects list --project=projects/my-project"},
	},
	ProjectFormat: {}, // of spec.project, see TestProjectFormat
	FlagEquals: {
		accepts: []string{"gcloud projects list --limit=5 -q" + p},
		refuses: []string{"gcloud projects list --limit 5" + p, "gcloud projects list --project my-project", "gcloud --project my-project projects list"},
	},
	ProjectRequired: {
		accepts: []string{
			"gcloud projects list --billing-project=my-project", "gcloud --project=my-project projects list", "gcloud organizations list --billing-project=my-project",
			"gcloud projects list --project=my-project --billing-project=other-project", "gcloud logging sinks list --organization=123 --billing-project=my-project",
			"gcloud projects create new-project --folder=123 --billing-project=my-project",
		},
		refuses: []string{"gcloud projects list", "gcloud organizations list", "gcloud organizations list" + p, "gcloud asset search-all-resources --scope=folders/1 --billing-project=my-project" + p, "gcloud asset search-all-resources --scope=organizations/1"},
	},
	BillingProjectValue: {
		accepts: []string{"gcloud projects list --billing-project=my-project", "gcloud projects list --billing-project=123456"},
		refuses: []string{"gcloud projects list --billing-project=LEGACY", "gcloud projects list --billing-project=CURRENT_PROJECT", "gcloud projects list --billing-project=CURRENT_PROJECT_WITH_FALLBACK", "gcloud projects list --billing-project=''", "gcloud projects list --billing-project=projects/x"},
	},
	ForbiddenCommand: {
		accepts: []string{"gcloud app services list" + p, "gcloud iam roles list" + p},
		refuses: []string{"gcloud billing accounts list" + p, "gcloud alpha billing accounts list" + p, "gcloud config list" + p, "gcloud iam service-accounts list" + p, "gcloud info" + p, "gcloud components list" + p, "gcloud app deploy" + p, "gcloud beta app deploy" + p},
	},
	FlagsFile: {
		refuses: []string{"gcloud projects list --flags-file=f.yaml" + p, "gcloud --flags-file=f projects list" + p, "gcloud logging write log -- --flags-file=x" + p},
	},
	AsyncRequired: {
		accepts: []string{"gcloud sql instances create i --async" + p, "gcloud compute instances list" + p, "gcloud run services list" + p},
		refuses: []string{"gcloud sql instances create i" + p, "gcloud sql instances create i --no-async" + p, "gcloud beta container clusters delete c" + p},
	},
	LoggingLimit: {
		accepts: []string{"gcloud logging read x --limit=10" + p},
		refuses: []string{"gcloud logging read x" + p, "gcloud beta logging read x" + p},
	},
	InputPath: {}, // of spec.inputFiles and spec.outputFiles, see TestInputPath
	Interactive: {
		accepts: []string{"gcloud compute instances describe vm" + p},
		refuses: []string{"gcloud compute ssh vm" + p, "gcloud beta compute ssh vm" + p, "gcloud compute url-maps edit m" + p, "gcloud sql connect i" + p, "gcloud cloud-shell ssh" + p, "gcloud alpha interactive" + p, "gcloud ml-engine local predict --model-dir=m" + p},
	},
	HiddenCommand: {
		refuses: []string{"gcloud alpha run compose up f.yaml" + p},
	},
	UnsafeFlag: {
		refuses: []string{
			"gcloud projects list --account=a@b.c" + p, "gcloud projects list --configuration=other" + p, "gcloud --impersonate-service-account=x@y projects list" + p,
			"gcloud projects list --log-http" + p, "gcloud projects list --no-log-http" + p, "gcloud projects list --universe-domain=evil.example" + p, "gcloud projects list --http-timeout=5" + p,
			"gcloud projects list --trace-token=x" + p, "gcloud logging write log -- --configuration=x" + p,
		},
	},
	LocalPath: {
		accepts: []string{
			"gcloud builds submit . --config=cloudbuild.yaml --async" + p, "gcloud storage cp gs://b/o out/o" + p, "gcloud storage cp 'gs://b/../o' ." + p, "gcloud compute url-maps add-path-matcher m --default-service=s --path-matcher-name=p --path-rules=/a=s" + p,
			"gcloud run deploy s --image=i --set-secrets=/var/run/x=s:latest --async" + p,
		},
		refuses: []string{
			"gcloud builds submit .. --async" + p, "gcloud builds submit --config=/etc/passwd --async" + p, "gcloud storage cp /var/run/secrets/token gs://b" + p, "gcloud storage cp gs://b/o ../o" + p,
			"gcloud compute instances add-metadata vm --metadata-from-file=x=/proc/self/environ" + p, "gcloud secrets versions add s --data-file=~/key" + p, "gcloud storage cp file:///etc/passwd gs://b" + p, "gcloud projects set-iam-policy my-project /tmp/policy.json" + p,
		},
	},
	FormatName: {
		accepts: []string{"gcloud projects list --format=json" + p, "gcloud projects list --format='value(name)'" + p, "gcloud projects list --format='table[box](name,a.b:label=X)'" + p, "gcloud projects list --format=" + p, "gcloud projects list --format='csv[no-heading](name)'" + p},
		refuses: []string{"gcloud projects list --format=bogus" + p, "gcloud projects list --format=jsn" + p, "gcloud projects list --format=table" + p, "gcloud projects list --format='value(name'" + p, "gcloud projects list --format='{a}'" + p},
	},
	CommandPolicy: {}, // see TestPolicy
	ProjectPolicy: {},
	Placeholder:   {}, // a warning, see TestPlaceholderIsAWarning
	SecretOutput:  {}, // a warning, see TestASecretInTheStatusIsWarnedOf

	ImpersonationPolicy: {}, // of spec.identity, see TestImpersonationPolicy
}

func TestRules(t *testing.T) {
	for _, rule := range Rules() {
		cases, ok := ruleCases[rule.ID]
		if !ok {
			t.Errorf("no case for the rule %s", rule.ID)
		}
		for _, line := range cases.accepts {
			t.Run(string(rule.ID)+" accepts "+line, func(t *testing.T) {
				r := admitted()
				r.Command = line
				if _, v := (Policy{}).Check(r); !v.OK() {
					t.Errorf("refused: %v", v.Errors)
				}
			})
		}
		for _, line := range cases.refuses {
			t.Run(string(rule.ID)+" refuses "+line, func(t *testing.T) {
				r := admitted()
				r.Command = line
				_, v := Policy{}.Check(r)
				if !slices.Contains(errorsOf(v), rule.ID) {
					t.Fatalf("not refused by this rule: %v", v.Errors)
				}
				for _, e := range v.Errors {
					if e.Rule == rule.ID && (e.Field != fieldCommand || e.Message == "" || !strings.HasSuffix(e.Fix, ".") && !strings.HasSuffix(e.Fix, "list shows both.")) {
						t.Errorf("the violation doesn't help: %+v", e)
					}
				}
			})
		}
	}
}

func TestRulesRefuseNothingElse(t *testing.T) {
	alone := []Rule{FlagEquals, ProjectRequired, BillingProjectValue, AsyncRequired, LoggingLimit, FormatName, LocalPath, UnknownFlag, UnexpectedArgument}
	for _, rule := range alone {
		for _, line := range ruleCases[rule].refuses {
			r := admitted()
			r.Command = line
			if _, v := (Policy{}).Check(r); !slices.Equal(errorsOf(v), []Rule{rule}) {
				t.Errorf("%s: refused by %v, not by %s alone: %v", line, errorsOf(v), rule, v.Errors)
			}
		}
	}
}

func TestProjectFormat(t *testing.T) {
	for project, ok := range map[string]bool{
		"projects/my-project": true, "projects/123456789": true, "projects/example.com:my-project": true,
		"": false, "my-project": false, "projects/": false, "projects/My-Project": false, "projects/a": false, "projects/my-project/locations/x": false,
		"Projects/my-project": false, "projects/my-project ": false, "projects/-my-project": false, "projects/0": false, "folders/123": false, "projects/my-project\n": false, "projects/мy-project": false,
	} {
		r := admitted()
		r.Project = project
		_, v := Policy{}.Check(r)
		if got := !slices.Contains(errorsOf(v), ProjectFormat); got != ok {
			t.Errorf("spec.project %q: accepted %v, want %v", project, got, ok)
		}
		if !ok && (v.Errors[0].Field != "spec.project" || v.Errors[0].Fix == "") {
			t.Errorf("spec.project %q: the violation doesn't help: %+v", project, v.Errors[0])
		}
	}
}

func TestInputPath(t *testing.T) {
	for path, ok := range map[string]bool{
		"a": true, "dir/cloudbuild.yaml": true, "a b.txt": true, ".hidden": true, "a..b": true, "a/..b": true,
		"": false, "/etc/passwd": false, "../a": false, "..a": false, `..\..\a`: false, "a/../b": false, "a/..": false, "./a": false, "a//b": false, "a/": false, "~/a": false, "$HOME/a": false, "a\x00b": false, "a\nb": false, "`id`": false, ".": false,
	} {
		r := admitted()
		r.InputFiles = []string{"first.txt", path}
		_, v := Policy{}.Check(r)
		if got := v.OK(); got != ok {
			t.Errorf("path %q: accepted %v, want %v (%v)", path, got, ok, v.Errors)
		}
		if !ok && !v.OK() && v.Errors[0].Field != "spec.inputFiles[1].path" {
			t.Errorf("path %q: field %s", path, v.Errors[0].Field)
		}
	}
	r := admitted()
	r.InputFiles, r.OutputFiles = []string{"a", "b", "a"}, []string{"*.txt", "../*"}
	_, v := Policy{}.Check(r)
	if len(v.Errors) != 2 || v.Errors[0].Field != "spec.inputFiles[2].path" || v.Errors[1].Field != "spec.outputFiles[1]" {
		t.Errorf("two files with one path, and a glob that climbs: %v", v.Errors)
	}
}

func TestTheToolsOwnExamples(t *testing.T) {
	for _, line := range []string{
		`gcloud logging read "severity>=ERROR AND resource.type='gce_instance'" --limit=10 --order=DESC --project=PROJECT_ID`,
		`gcloud compute forwarding-rules list --project=PROJECT_ID`,
		`gcloud compute forwarding-rules describe FORWARDING_RULE_NAME --region=REGION --project=PROJECT_ID`,
		`gcloud container clusters list --project=PROJECT_ID`,
		`gcloud container clusters describe CLUSTER_NAME --region=REGION --project=PROJECT_ID`,
		`gcloud compute instances list --project=PROJECT_ID`,
		`gcloud projects get-iam-policy PROJECT_ID --project=PROJECT_ID`,
	} {
		r := admitted()
		r.Command = line
		if _, v := (Policy{}).Check(r); !v.OK() || len(v.Warnings) != 1 || v.Warnings[0].Rule != Placeholder {
			t.Errorf("%s: errors %v, warnings %v; want only the warning of the placeholder", line, v.Errors, v.Warnings)
		}
		r.Command = strings.ReplaceAll(line, "PROJECT_ID", "my-project")
		if _, v := (Policy{}).Check(r); !v.OK() || len(v.Warnings) > 0 {
			t.Errorf("%s: %v %v", r.Command, v.Errors, v.Warnings)
		}
	}
}

func TestTimeoutMeansToWait(t *testing.T) {
	r := admitted()
	r.Command = "gcloud sql instances create i" + p
	r.TimeoutSet = true
	if _, v := (Policy{}).Check(r); !v.OK() {
		t.Errorf("refused in spite of a timeout: %v", v.Errors)
	}
}

func TestAllViolationsAreReportedAtOnce(t *testing.T) {
	r := Request{Project: "my-project", InputFiles: []string{"/a", "../b"}, Command: "gcloud sql instances create --tier db-f1-micro --actvation-policy=ALWAYS --storage-size=lots --format=jsn"}
	_, v := Policy{}.Check(r)
	want := []Rule{InvalidValue, UnknownFlag, MissingArgument, ProjectFormat, FlagEquals, ProjectRequired, AsyncRequired, InputPath, FormatName}
	if got := errorsOf(v); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v\n%v", got, want, v.Errors)
	}
}

// Who follows both fixes must end with a command that finds its file.
func TestTheFixesForAFileAndForTheFlagThatNamesItAgree(t *testing.T) {
	for p, want := range map[string]string{"/etc/app/c.yaml": "etc/app/c.yaml", "/c.yaml": "c.yaml", "/a/../c.yaml": "c.yaml"} {
		file, flag := outsideWorkDir("spec.inputFiles[0].path", p), localFix(p)
		if !strings.HasSuffix(file[0].Fix, ": "+want) || !strings.HasSuffix(flag, " "+want+".") {
			t.Errorf("%s: the file is to be named %q, the flag %q", p, file[0].Fix, flag)
		}
	}
}

func TestWhatIsOutsideIsNamedByWhatIsLeftOfItInside(t *testing.T) {
	for p, want := range map[string]string{"~/keys/a.json": "keys/a.json", "../schema.ddl": "schema.ddl", "file:///tmp/x": "tmp/x", `..\x`: "x"} {
		if got := localFix(p); !strings.HasSuffix(got, " "+want+".") {
			t.Errorf("localFix(%q) = %q, which doesn't name %s", p, got, want)
		}
	}
}

func TestOfACommandThatIsNotThereOnlyThatIsSaid(t *testing.T) {
	_, verdict := Policy{}.Check(Request{Project: "projects/my-project"})
	if len(verdict.Errors) != 1 || verdict.Errors[0].Rule != Syntax {
		t.Errorf("got %v, want Syntax alone", verdict.Errors)
	}
}
