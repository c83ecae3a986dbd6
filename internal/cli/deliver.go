// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// deliver writes what the run printed, and the files that it wrote if there is a folder for them. It returns the exit
// code, and whether nothing is left that was not read.
func (v *watching) deliver(ctx context.Context, folder string) (code int, read bool, err error) {
	g := v.latest
	if !v.begun(g) || notRun(g) {
		return 0, false, notEnded(v.name, readiness(g).Reason, readiness(g).Message)
	}
	run, response := g.Status.Run, g.Status.Response
	if response != nil && response.Run == run.Number {
		if err := v.streams(ctx, response); err != nil {
			return 0, false, err
		}
		if err := v.files(ctx, g, folder); err != nil {
			return 0, false, err
		}
	} else {
		response = &v1alpha1.Response{}
	}
	code = exitCode(run.Reason, response.ExitCode)
	if !endedByItself(run.Reason) || response.ExitCode == nil {
		return 0, false, exitError{notEnded(v.name, run.Reason, run.Message), code}
	}
	if response.Redacted > 0 {
		v.screen.tell("%d tokens and private keys were replaced by [redacted]", response.Redacted)
	}
	return code, folder != "" || len(g.Status.OutputFiles)+len(g.Status.LeftOutFiles) == 0, nil
}

func notEnded(name, reason, message string) error {
	return fmt.Errorf("%s ended with %s: %s", name, reason, message)
}

// streams writes stdout and stderr, byte for byte, unless the live log had all of both.
func (v *watching) streams(ctx context.Context, r *v1alpha1.Response) error {
	if v.live != nil {
		shown, printed := v.live.end(), r.StdoutInfo.Bytes+r.StderrInfo.Bytes
		if shown == printed || shown == printed+1 { // the log's last line is always ended
			return nil
		}
		if shown > 0 {
			v.screen.say("the live view was not complete; this is the whole:")
		}
	}
	return errors.Join(
		v.stream(ctx, "stdout", v.Out, r.Stdout, r.StdoutInfo),
		v.stream(ctx, "stderr", v.Err, r.Stderr, r.StderrInfo),
	)
}

func (v *watching) stream(ctx context.Context, name string, to io.Writer, text string, stored v1alpha1.Stored) error {
	data, whole, err := v.content(ctx, text, stored)
	if err != nil {
		return fmt.Errorf("the %s of %s can't be read: %w", name, v.name, err)
	}
	if _, err := to.Write(data); err != nil {
		return fmt.Errorf("writing the %s of %s: %w", name, v.name, err)
	}
	if !whole {
		return notWhole(name, v.name, stored)
	}
	return nil
}

func notWhole(what, name string, stored v1alpha1.Stored) error {
	return fmt.Errorf("the %s of %s is not whole: it had %d bytes, of which the operator has kept the beginning and the end", what, name, stored.Bytes)
}

// files writes the files that the command wrote into the folder, which no path leads out of.
func (v *watching) files(ctx context.Context, g *v1alpha1.GcloudRun, folder string) error {
	if folder == "" {
		if n := len(g.Status.OutputFiles); n > 0 {
			v.screen.tell("%d files were written: kubectl gcloud result %s --output-dir=FOLDER", n, v.name)
		}
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making --output-dir: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("opening --output-dir: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing is written by it
	var errs []error
	for _, f := range g.Status.OutputFiles {
		errs = append(errs, v.file(ctx, root, f))
	}
	for _, f := range g.Status.LeftOutFiles {
		errs = append(errs, fmt.Errorf("the operator has not kept %s: %s", f.Path, f.Reason))
	}
	return errors.Join(errs...)
}

func (v *watching) file(ctx context.Context, root *os.Root, f v1alpha1.OutputFile) error {
	data, whole, err := v.content(ctx, f.Contents, f.Stored)
	if err != nil {
		return fmt.Errorf("the file %s of %s can't be read: %w", f.Path, v.name, err)
	}
	if !whole {
		return notWhole("file "+f.Path, v.name, f.Stored)
	}
	if err := root.MkdirAll(path.Dir(f.Path), 0o755); err != nil {
		return fmt.Errorf("making the folder of %s: %w", f.Path, err)
	}
	if err := root.WriteFile(f.Path, data, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", f.Path, err)
	}
	return nil
}
