// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"errors"
	"net"
	"net/url"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

func TestExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		code   *int64
		want   int
	}{
		"a success":                              {v1alpha1.ReasonSucceeded, new(int64(0)), 0},
		"a success of another code":              {v1alpha1.ReasonSucceeded, new(int64(3)), 3},
		"a failure":                              {v1alpha1.ReasonCommandFailed, new(int64(2)), 2},
		"a timeout, after which gcloud ended":    {v1alpha1.ReasonTimedOut, new(int64(0)), 124},
		"a cancellation":                         {v1alpha1.ReasonCancelled, new(int64(130)), 130},
		"a cancellation before the start":        {v1alpha1.ReasonCancelled, nil, 130},
		"an eviction, during which gcloud ended": {v1alpha1.ReasonEvicted, new(int64(0)), 125},
		"a result that is lost":                  {v1alpha1.ReasonResultLost, nil, 125},
		"a failure whose code nobody knows":      {v1alpha1.ReasonCommandFailed, nil, 125},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exitCode(c.reason, c.code); got != c.want {
				t.Errorf("it is %d, want %d", got, c.want)
			}
		})
	}
}

func TestWhatIsSaidOfAnError(t *testing.T) {
	kind := schema.GroupKind{Group: "gcloud-operator.dev", Kind: "GcloudRun"}
	for name, c := range map[string]struct {
		err  error
		says string
		code int
	}{
		"a refusal, each violation on a line of its own": {
			apierrors.NewInvalid(kind, "a", field.ErrorList{
				field.Invalid(field.NewPath("spec.command"), `--limt="5": x`, "gcloud projects list has no flag --limt. Write --limit=5. (UnknownFlag)"),
				field.Invalid(field.NewPath("spec.project"), "p", `"p" names no project`),
				field.Required(field.NewPath("spec", "command"), ""),
			}),
			"kubectl gcloud: refused, and nothing was run:\n" +
				"  gcloud projects list has no flag --limt. Write --limit=5. (UnknownFlag)\n" +
				"  spec.project: \"p\" names no project\n" +
				"  Required value\n", 2,
		},
		"a flag of the plugin behind gcloud's words": {
			apierrors.NewInvalid(kind, "a", field.ErrorList{field.Invalid(field.NewPath("spec.command"), "--detach", "gcloud projects list has no flag --detach. Leave it out.")}),
			"kubectl gcloud: refused, and nothing was run:\n" +
				"  gcloud projects list has no flag --detach. Leave it out.\n" +
				"  (--detach is a flag of the plugin: write it before gcloud's words)\n", 2,
		},
		"a field that a flag sets": {
			apierrors.NewInvalid(kind, "a", field.ErrorList{field.Invalid(field.NewPath("spec.command"), "x", "Add --async, or set spec.timeout.")}),
			"kubectl gcloud: refused, and nothing was run:\n" +
				"  Add --async, or set spec.timeout.\n" +
				"  (spec.timeout is set by kubectl gcloud --timeout=TIME ...; --dry-run prints a manifest to edit)\n", 2,
		},
		"a misspelt word, which may have been meant for the plugin": {
			apierrors.NewInvalid(kind, "a", field.ErrorList{field.Invalid(field.NewPath("spec.command"), "resutl", `gcloud has no command "resutl". Write one of access-approval, ai and 126 more.`)}),
			"kubectl gcloud: refused, and nothing was run:\n" +
				"  gcloud has no command \"resutl\". Write one of access-approval, ai and 126 more.\n" +
				"  (the plugin's own words are runs, logs, result, rerun, cancel, lint, completion)\n", 2,
		},
		"a right that is missing": {
			apierrors.NewForbidden(schema.GroupResource{Resource: "gcloudruns"}, "a", errors.New("ask for it")),
			"kubectl gcloud: gcloudruns \"a\" is forbidden: ask for it\n", 125,
		},
		"whatever else": {errors.New("broken"), "kubectl gcloud: broken\n", 125},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if code := report(&b, understood(c.err)); b.String() != c.says || code != c.code {
				t.Errorf("it ends with %d, and says\n%s\nwant\n%s", code, b.String(), c.says)
			}
		})
	}
}

func TestWhereNoAnswerCameTheRunMayHaveBeenMade(t *testing.T) {
	for name, c := range map[string]struct {
		err  error
		want bool
	}{
		"the connection broke":             {&url.Error{Op: "Post", Err: errors.New("EOF")}, true},
		"the API server gave up":           {apierrors.NewTimeoutError("etcd", 1), true},
		"there was no connection":          {&url.Error{Op: "Post", Err: &net.OpError{Op: "dial", Err: errors.New("refused")}}, false},
		"something was asked for before":   {&url.Error{Op: "Get", Err: errors.New("EOF")}, false},
		"the API server refused to do it ": {apierrors.NewUnauthorized("who are you"), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unanswered(c.err); got != c.want {
				t.Errorf("it is %v", got)
			}
		})
	}
}
