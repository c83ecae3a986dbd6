// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// inputSums has the hash of each input file by its path.
type inputSums map[string][sha256.Size]byte

// copyInputs copies the mounted files into the working directory, because
// commands write where they read, and compares them with the task's hash.
func (r *run) copyInputs() error {
	if r.task.InputsSHA256 == "" {
		return nil
	}
	sums, err := copyTree(mountedTree(r.Paths.Inputs), r.Paths.Files)
	if err != nil {
		return refusal{result.InputsFailed, fmt.Errorf("copying the input files: %w", err)}
	}
	if result.HashInputSums(sums) != r.task.InputsSHA256 {
		return refusal{result.InputsChanged, errors.New("the mounted input files are not those that the run was made with")}
	}
	r.inputs = sums
	return nil
}

// linkSecretInputs makes links to the mounted files: what is a Secret's is never
// copied, nor is it looked at.
func (r *run) linkSecretInputs() error {
	root, err := os.OpenRoot(r.Paths.Files)
	if err != nil {
		return err
	}
	defer root.Close()
	var missing []string
	for _, name := range r.task.SecretInputs {
		mounted := filepath.Join(r.Paths.SecretInputs, filepath.FromSlash(name))
		err := linkFile(root, name, mounted)
		if errors.Is(err, fs.ErrNotExist) {
			missing = append(missing, strconv.Quote(name))
		} else if err != nil {
			return refusal{result.InputsFailed, fmt.Errorf("linking secret input %q: %w", name, err)}
		}
	}
	if len(missing) > 0 {
		return refusal{result.InputsMissing, fmt.Errorf("input files are missing: %s: the Secret, or the key in it, does not exist",
			strings.Join(missing, ", "))}
	}
	return nil
}

func linkFile(root *os.Root, name, mounted string) error {
	info, err := os.Stat(mounted)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	}
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.Symlink(mounted, name)
}

// mountedTree is where the files of a ConfigMap or projected volume are: the
// kubelet writes them into a folder that the link "..data" leads to, and makes
// links through it of the names that one sees.
func mountedTree(mount string) string {
	if tree, err := filepath.EvalSymlinks(filepath.Join(mount, "..data")); err == nil {
		return tree
	}
	return mount
}

// copyTree copies regular files and folders. Neither side is left by a link,
// and nothing that is there already is written to.
func copyTree(from, to string) (inputSums, error) {
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return nil, err
	}
	defer target.Close()
	sums := inputSums{}
	err = fs.WalkDir(source.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return nil
		case !entry.Type().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		}
		sums[name], err = copyFile(source, target, name)
		return err
	})
	return sums, err
}

func copyFile(source, target *os.Root, name string) (sum [sha256.Size]byte, err error) {
	in, err := source.Open(name)
	if err != nil {
		return sum, err
	}
	defer in.Close()
	if err := target.MkdirAll(path.Dir(name), 0o755); err != nil {
		return sum, err
	}
	out, err := target.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return sum, err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(out, hash), in)
	return [sha256.Size]byte(hash.Sum(nil)), errors.Join(err, out.Close())
}
