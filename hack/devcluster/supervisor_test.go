// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
)

// One supervisor serves all cases: it reaps every child of this process.
func TestAwaitingAComponent(t *testing.T) {
	c := cluster{State: t.TempDir()}
	if err := os.Mkdir(c.path("logs"), 0o755); err != nil {
		t.Fatal(err)
	}
	s := newSupervisor(c)
	never := func(context.Context) error { return errors.New("nobody listens") }
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("stopped by the user"))
	tests := []struct {
		name   string
		script string
		ctx    context.Context
		holds  func(context.Context) error
		want   []string // all in the error; none: no error
	}{
		{
			"what holds is waited for no longer", "true",
			t.Context(), func(context.Context) error { return nil }, nil,
		},
		{
			"a component that fails ends the wait, with its exit code and its last words", "echo no disk >&2; exit 3",
			t.Context(), never, []string{"broken ended with exit code 3", "no disk"},
		},
		{
			"a component that is killed ends the wait, with the signal", "kill -9 $$",
			t.Context(), never, []string{"broken was ended by signal 9"},
		},
		{
			"a wait that is given up tells what it was for, why, and what was seen", "",
			cancelled, never, []string{"waiting for the disk", "stopped by the user", "nobody listens"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.script != "" {
				if err := s.start(component{name: "broken", program: "sh", args: []string{"-c", test.script}}); err != nil {
					t.Fatal(err)
				}
			}
			err := s.await(test.ctx, check{"the disk", "broken", test.holds})
			if test.want == nil {
				if err != nil {
					t.Errorf("error %v, want none", err)
				}
				<-s.ended // not left to the next case
				return
			}
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestAComponentThatIsMissingIsNamed(t *testing.T) {
	s := &supervisor{c: cluster{State: t.TempDir()}}
	err := s.start(component{name: "containerd", program: "no-such-program"})
	if err == nil || !strings.Contains(err.Error(), "starting containerd") {
		t.Errorf("error %v, want one that names the component", err)
	}
}
