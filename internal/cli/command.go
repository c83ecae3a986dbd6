// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/lint"
)

// runCommand makes a run of gcloud's words.
func runCommand(ctx context.Context, o options, words []string, streams Streams, interrupt *interrupts) (int, error) {
	g, err := manifest(o, words)
	if err != nil {
		return 0, err
	}
	if o.dryRun {
		return printManifest(streams, g)
	}
	s, err := connect(o, streams, interrupt)
	if err != nil {
		return 0, err
	}
	return s.runManifest(ctx, o, g)
}

// printManifest prints the resource, and says what the rules, as they are by default, find in it.
func printManifest(streams Streams, g *v1alpha1.GcloudRun) (int, error) {
	text, err := yaml.Marshal(g)
	if err != nil {
		return 0, fmt.Errorf("encoding the manifest: %w", err)
	}
	if _, err := streams.Out.Write(text); err != nil {
		return 0, err
	}
	if code := lint.Run([]string{"-"}, bytes.NewReader(text), streams.Err, streams.Err); code != 0 {
		return exitUsage, nil
	}
	return 0, nil
}

func (s *session) runManifest(ctx context.Context, o options, g *v1alpha1.GcloudRun) (int, error) {
	g.Namespace = s.namespace
	if err := s.create(ctx, g); err != nil {
		return 0, err
	}
	if o.detach {
		fmt.Fprintln(s.Out, g.Name)
		return 0, nil
	}
	v, err := s.await(ctx, wanted{name: g.Name, ours: true, made: true})
	if err != nil {
		return 0, err
	}
	code, read, err := v.deliver(ctx, o.outputDir)
	if err != nil {
		return 0, kept(g.Name, err)
	}
	if read && !o.keep && v.latest.Status.Run.Reason == v1alpha1.ReasonSucceeded {
		s.discard(ctx, v.latest)
		return code, nil
	}
	s.screen.tell("kept as %s", g.Name)
	return code, nil
}

// create makes the resource. Where no answer comes, it may have been made.
func (s *session) create(ctx context.Context, g *v1alpha1.GcloudRun) error {
	err := s.client.Create(ctx, g, client.FieldOwner(pluginName))
	switch {
	case err == nil:
		return nil
	case unanswered(err):
		return fmt.Errorf("nobody knows whether the run %s was made, for no answer came: kubectl get gcloudrun %s tells (%w)", g.Name, g.Name, err)
	}
	return understood(err)
}

// unanswered says whether something was asked for that may be done nevertheless.
func unanswered(err error) bool {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return false
	}
	request, ok := errors.AsType[*url.Error](err)
	return ok && request.Op == "Post" || apierrors.IsTimeout(err)
}

// kept tells the name of a run that is left behind.
func kept(name string, err error) error {
	return fmt.Errorf("%w\nkept as %s: kubectl gcloud result %s", err, name, name)
}

// discard deletes the run whose output was read, with its Jobs. If it isn't any more as it was then, somebody else has
// a use for it.
func (s *session) discard(ctx context.Context, g *v1alpha1.GcloudRun) {
	err := s.client.Delete(ctx, g, client.Preconditions{UID: &g.UID, ResourceVersion: &g.ResourceVersion}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case apierrors.IsConflict(err):
		s.screen.tell("kept as %s, which somebody has changed", g.Name)
	case client.IgnoreNotFound(err) != nil:
		s.screen.say("%s could not be deleted: %v", g.Name, err)
	}
}

// runAgain asks for another run of the same.
func runAgain(ctx context.Context, s *session, o options) (int, error) {
	g, err := s.get(ctx, o.run)
	switch {
	case err != nil:
		return 0, err
	case g.Spec.Suspend:
		return 0, fmt.Errorf("%s is suspended, and runs nothing: set spec.suspend to false", o.run)
	}
	request := s.now().UTC().Format(time.RFC3339Nano)
	if err := s.annotate(ctx, o.run, v1alpha1.RequestedAtAnnotation, request); err != nil {
		return 0, understood(err)
	}
	if o.detach {
		return 0, nil
	}
	v, err := s.await(ctx, wanted{name: o.run, request: request, ours: true})
	if err != nil {
		return 0, err
	}
	code, _, err := v.deliver(ctx, o.outputDir)
	return code, err
}

// printResult prints what a run printed, when it is over.
func printResult(ctx context.Context, s *session, o options) (int, error) {
	g, err := s.get(ctx, o.run)
	if err != nil {
		return 0, err
	}
	v := &watching{session: s, wanted: wanted{name: o.run}, latest: g}
	if !waits(g) {
		if v, err = s.await(ctx, v.wanted); err != nil {
			return 0, err
		}
	}
	code, _, err := v.deliver(ctx, o.outputDir)
	return code, err
}

// cancelRun asks for the run that is under way to be stopped.
func cancelRun(ctx context.Context, s *session, o options) (int, error) {
	g, err := s.get(ctx, o.run)
	switch {
	case err != nil:
		return 0, err
	case !underWay(g) || g.Status.Run == nil:
		return 0, fmt.Errorf("no run of %s is under way", o.run)
	}
	if err := s.annotate(ctx, o.run, v1alpha1.CancelRunAnnotation, fmt.Sprint(g.Status.Run.Number)); err != nil {
		return 0, understood(err)
	}
	fmt.Fprintf(s.Out, "run %d of %s is being cancelled\n", g.Status.Run.Number, o.run)
	return 0, nil
}

// printLog prints what the command has printed, as the log of its pod has it.
func printLog(ctx context.Context, s *session, o options) (int, error) {
	g, err := s.get(ctx, o.run)
	switch {
	case err != nil:
		return 0, err
	case g.Status.Run == nil || g.Status.Run.PodName == "":
		return 0, fmt.Errorf("%s has no pod: %s", o.run, phase(g))
	}
	_, err = s.copyLog(ctx, g.Status.Run.PodName, o.follow, s.Out)
	switch {
	case apierrors.IsNotFound(err):
		return 0, fmt.Errorf("the pod of %s is gone; what it printed stands in its result: kubectl gcloud result %s", o.run, o.run)
	case apierrors.IsForbidden(err):
		return 0, fmt.Errorf("%w; who may not read logs has what it printed when it has ended: kubectl gcloud result %s", err, o.run)
	}
	return 0, err
}
