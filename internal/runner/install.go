// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// Install copies the running executable to a new file, for the pod's init
// container: the image of the command has no runner in it. It appears under its
// name only when it is whole.
func Install(path string) error {
	in, err := os.Open("/proc/self/exe")
	if err != nil {
		return fmt.Errorf("opening the runner: %w", err)
	}
	defer in.Close()
	partial := path + ".partial"
	out, err := os.OpenFile(partial, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o755)
	if err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Chmod(0o755), out.Close()); err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("installing the runner: %w", err)
	}
	return nil
}
