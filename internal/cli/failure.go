// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// Exit codes where there is none of gcloud's own. 124 to 127 are what timeout(1), env(1) and others end with when it
// is they that failed.
const (
	exitUsage       = 2 // as gcloud's own for a command line that it refuses
	exitTimedOut    = 124
	exitFailed      = 125 // the plugin or the operator: nobody knows how gcloud ended, or it was never started
	exitInterrupted = 130
)

// exitCode is the exit code of a run that ended for the reason.
func exitCode(reason string, code *int64) int {
	switch {
	case reason == v1alpha1.ReasonTimedOut:
		return exitTimedOut
	case reason == v1alpha1.ReasonCancelled:
		return exitInterrupted
	case endedByItself(reason) && code != nil:
		return int(*code)
	}
	return exitFailed
}

// endedByItself says whether gcloud ended as it would have at a terminal.
func endedByItself(reason string) bool {
	return reason == v1alpha1.ReasonSucceeded || reason == v1alpha1.ReasonCommandFailed
}

// usageError is a fault of whoever wrote the command line.
type usageError struct{ error }

// refused is a command that nothing was done for, and why not.
type refused struct{ lines []string }

func (r refused) Error() string {
	return "refused, and nothing was run:\n  " + strings.Join(append(r.lines, hints(r.lines)...), "\n  ")
}

// exitError is an error after which the exit code is another than usual.
type exitError struct {
	error
	code int
}

// interrupted says so of what failed because it was.
func interrupted(ctx context.Context, err error) error {
	if _, said := errors.AsType[exitError](err); said || !errors.Is(context.Cause(ctx), errInterrupted) {
		return err
	}
	return exitError{fmt.Errorf("interrupted: %w", err), exitInterrupted}
}

// report says what went wrong, and returns the exit code.
func report(w io.Writer, err error) int {
	fmt.Fprintf(w, "kubectl gcloud: %v\n", err)
	if exit, ok := errors.AsType[exitError](err); ok {
		return exit.code
	}
	_, usage := errors.AsType[usageError](err)
	_, refusal := errors.AsType[refused](err)
	if usage || refusal {
		return exitUsage
	}
	return exitFailed
}

// understood makes of an answer of the API server what its reader can do something about.
func understood(err error) error {
	status, ok := errors.AsType[*apierrors.StatusError](err)
	switch {
	case meta.IsNoMatchError(err):
		return fmt.Errorf("this cluster has no GcloudRuns: the operator isn't installed (%w)", err)
	case !ok || !apierrors.IsInvalid(err):
		return err
	}
	details := status.Status().Details
	if details == nil || len(details.Causes) == 0 {
		return refused{[]string{status.Status().Message}}
	}
	var lines []string
	for _, cause := range details.Causes {
		lines = append(lines, causeLine(cause))
	}
	return refused{lines}
}

// causeLine is one violation. That the command is what is wrong, and what it is, whoever wrote it knows.
func causeLine(cause metav1.StatusCause) string {
	message := cause.Message
	if rest, ok := strings.CutPrefix(message, "Invalid value: "); ok {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil && strings.HasPrefix(rest[len(quoted):], ": ") {
			message = rest[len(quoted)+2:]
		}
	}
	if cause.Field == "" || cause.Field == "spec.command" {
		return message
	}
	return cause.Field + ": " + message
}

// fieldFlags say which flag of the plugin sets what a refusal asks for.
var fieldFlags = []struct{ field, flag string }{
	{"spec.timeout", "--timeout=TIME"},
	{"spec.inputFiles", "--input-file=PATH"},
	{"spec.identity", "--service-account=NAME"},
}

// hints say how what a refusal asks for is written on the plugin's command line.
func hints(lines []string) []string {
	var found []string
	text := strings.Join(lines, "\n")
	if strings.Contains(text, "gcloud has no command ") && strings.Contains(text, "Write one of ") { // it is near none of gcloud's
		found = append(found, "(the plugin's own words are "+strings.Join(ownWords(), ", ")+")")
	}
	for _, f := range fieldFlags {
		if strings.Contains(text, f.field) {
			found = append(found, fmt.Sprintf("(%s is set by kubectl gcloud %s ...; --dry-run prints a manifest to edit)", f.field, f.flag))
		}
	}
	for _, name := range ownFlags() {
		if strings.Contains(text, "has no flag --"+name+".") {
			found = append(found, fmt.Sprintf("(--%s is a flag of the plugin: write it before gcloud's words)", name))
		}
	}
	return found
}
