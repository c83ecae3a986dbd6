// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// refusal is why the command was not started.
type refusal struct {
	reason result.Reason
	err    error
}

func (r refusal) Error() string { return r.err.Error() }

func (r *run) refuse(err error) {
	r.report.Reason, r.report.StartedAt, r.report.FinishedAt = result.SetupFailed, time.Time{}, r.Now()
	if refused, ok := errors.AsType[refusal](err); ok {
		r.report.Reason = refused.reason
	}
	switch r.report.Reason {
	case result.CommandNotFound:
		r.report.ExitCode = 127
	case result.NotExecutable:
		r.report.ExitCode = 126
	}
	r.note("%v", err)
}

var errStopped = refusal{result.StoppedBeforeStart, errors.New("the pod was stopped before the command was started")}

// prepare does everything up to the start. The order is what makes the reasons
// true: the marker is taken and the window checked before anything that counts
// as "never ran" can go wrong.
func (r *run) prepare() error {
	if err := r.makeFolders(); err != nil {
		return err
	}
	if err := takeMarker(r.Paths.Marker, r.task.Run); err != nil {
		return err
	}
	if err := r.checkWindow(); err != nil {
		return err
	}
	if err := r.linkSecretInputs(); err != nil {
		return err
	}
	if err := r.copyInputs(); err != nil {
		return err
	}
	if err := r.findCommand(); err != nil {
		return err
	}
	if err := r.trustBundle(); err != nil {
		return err
	}
	if err := r.seeToIdentity(); err != nil {
		return err
	}
	if r.stops.requested() {
		return errStopped
	}
	r.report.StartedAt = r.Now()
	return r.writeInterim()
}

// findCommand finds the executable of a task that has one.
func (r *run) findCommand() (err error) {
	if r.task.Fetch != nil {
		return nil
	}
	r.path, err = lookPath(r.task.Argv[0], lookupEnv(r.Env, "PATH"), r.Paths.Files)
	return err
}

func (r *run) makeFolders() error {
	for _, dir := range []string{r.Paths.Files, r.Paths.Home, r.Paths.Config, r.Paths.Temp, filepath.Dir(r.Paths.Marker)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the workspace: %w", err)
		}
	}
	return nil
}

// takeMarker makes the marker file, unless it stands there. Both file and folder
// are on the disk before it returns, so that a crash of the node can't undo it.
func takeMarker(path, run string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if errors.Is(err, fs.ErrExist) {
		return refusal{result.AlreadyStarted, errors.New("an earlier container of this pod has started the command, so this one doesn't")}
	}
	if err != nil {
		return fmt.Errorf("making the marker: %w", err)
	}
	_, err = fmt.Fprintln(file, run)
	if err := errors.Join(err, file.Sync(), file.Close(), syncFolder(filepath.Dir(path))); err != nil {
		return fmt.Errorf("writing the marker: %w", err)
	}
	return nil
}

func syncFolder(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

func (r *run) checkWindow() error {
	text := lookupEnv(r.Env, result.StartBeforeEnv)
	var err error
	if r.startBefore, err = time.Parse(time.RFC3339, text); err != nil {
		return refusal{result.StartWindowPassed, fmt.Errorf("%s has no time in it: %w", result.StartBeforeEnv, err)}
	}
	if now := r.Now(); !now.Before(r.startBefore) {
		return refusal{result.StartWindowPassed, fmt.Errorf("it is %s, and the command had to be started before %s",
			now.UTC().Format(time.RFC3339), text)}
	}
	return nil
}
