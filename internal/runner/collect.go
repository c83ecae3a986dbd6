// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/gcloud-operator/gcloud-operator/internal/redact"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// Limits of what is looked at and collected.
const (
	maxFiles     = 1000
	maxEntries   = 100_000
	maxDepth     = 64
	maxPathBytes = 1024
	maxFileBytes = 1 << 30
	maxLeftOut   = 100
)

// selection says which files are collected: those that a glob matches, or,
// without globs, those that are not an unchanged input.
type selection struct {
	globs        []string
	inputs       inputSums
	secretInputs []string // never collected, whatever stands there
	redact       bool
}

type collected struct {
	files    []result.File
	leftOut  []result.LeftOut
	redacted int64
}

// collector looks for output files below one folder.
type collector struct {
	ctx      context.Context
	root     *os.Root
	device   uint64
	want     selection
	matched  map[string]bool // globs
	entries  int
	found    []candidate
	leftOut  []result.LeftOut
	more     result.LeftOut // what has no room in leftOut
	moreN    int
	redacted int64
}

type candidate struct {
	path string
	size int64
}

// collectFiles reads the selected files below dir; budget says how much of each
// is kept. No link leads out of dir, nor into another mount (a Secret, say).
// An error is one of the whole; what concerns one file is in leftOut.
func collectFiles(ctx context.Context, dir string, want selection, budget func(sizes []int64) []int64) (collected, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return collected{}, err
	}
	defer root.Close()
	info, err := root.Stat(".")
	if err != nil {
		return collected{}, err
	}
	c := &collector{ctx: ctx, root: root, device: device(info), want: want, matched: map[string]bool{}}
	c.walk(".", 0)
	slices.SortFunc(c.found, func(a, b candidate) int { return cmp.Compare(a.path, b.path) })
	sizes := make([]int64, len(c.found))
	for i, f := range c.found {
		sizes[i] = f.size
	}
	var files []result.File
	for i, keep := range budget(sizes) {
		if file, ok := c.read(c.found[i], keep); ok {
			files = append(files, file)
		}
	}
	c.reportUnmatched()
	return collected{files, c.allLeftOut(), c.redacted}, nil
}

// walk reads folders in portions: a command may have made a million files.
func (c *collector) walk(dir string, depth int) {
	folder, err := c.root.Open(dir)
	if err != nil {
		c.leave(dir, 0, "can't be read: "+plainError(err))
		return
	}
	defer folder.Close()
	for {
		entries, err := folder.ReadDir(512)
		for _, entry := range entries {
			if c.entries++; c.entries > maxEntries {
				c.leave(dir, 0, fmt.Sprintf("more than %d files and folders: the rest was not looked at", maxEntries))
				return
			}
			c.visit(path.Join(dir, entry.Name()), entry, depth)
		}
		if err != nil || c.ctx.Err() != nil {
			return
		}
	}
}

func (c *collector) visit(name string, entry fs.DirEntry, depth int) {
	if entry.IsDir() {
		if depth == maxDepth {
			c.leave(name, 0, fmt.Sprintf("more than %d folders deep", maxDepth))
			return
		}
		c.walk(name, depth+1)
		return
	}
	if !c.selects(name) {
		return
	}
	if slices.Contains(c.want.secretInputs, name) {
		c.skipSecretInput(name, entry)
		return
	}
	info, err := c.root.Stat(name)
	switch {
	case err != nil && entry.Type()&fs.ModeSymlink != 0:
		c.leave(name, 0, "a link that leads nowhere, or out of the working directory")
	case err != nil:
		c.leave(name, 0, "can't be read: "+plainError(err))
	case entry.Type()&fs.ModeSymlink != 0 && info.IsDir():
		c.leave(name, 0, "a link to a folder")
	case !info.Mode().IsRegular():
		c.leave(name, 0, "not a regular file")
	case device(info) != c.device:
		// Mounted there, not written by the command.
	default:
		c.consider(candidate{name, info.Size()})
	}
}

// skipSecretInput is silent about a link as the runner made it, as about any
// input that is unchanged.
func (c *collector) skipSecretInput(name string, entry fs.DirEntry) {
	if len(c.want.globs) > 0 || entry.Type()&fs.ModeSymlink == 0 {
		c.leave(name, 0, "an input file from a Secret: such are never collected")
	}
}

func (c *collector) selects(name string) bool {
	if len(c.want.globs) == 0 {
		return true
	}
	selected := false
	for _, glob := range c.want.globs {
		if result.MatchGlob(glob, name) {
			c.matched[glob], selected = true, true
		}
	}
	return selected
}

func (c *collector) consider(f candidate) {
	switch {
	case len(c.want.globs) == 0 && c.isUnchangedInput(f.path):
	case !nameable(f.path):
		c.leave(f.path, f.size, fmt.Sprintf("its name is not UTF-8, or has characters that YAML can't hold, or more than %d bytes", maxPathBytes))
	case f.size > maxFileBytes:
		c.leave(f.path, f.size, fmt.Sprintf("larger than %d bytes", maxFileBytes))
	case len(c.found) == maxFiles:
		c.leave(f.path, f.size, fmt.Sprintf("more than %d files", maxFiles))
	default:
		c.found = append(c.found, f)
	}
}

func (c *collector) isUnchangedInput(name string) bool {
	want, ok := c.want.inputs[name]
	if !ok {
		return false
	}
	file, err := c.root.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	hash := sha256.New()
	_, err = io.Copy(hash, untilDone{c.ctx, file})
	return err == nil && [sha256.Size]byte(hash.Sum(nil)) == want
}

func (c *collector) read(f candidate, keep int64) (result.File, bool) {
	file, err := c.root.OpenFile(f.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		c.leave(f.path, f.size, "can't be read: "+plainError(err))
		return result.File{}, false
	}
	defer file.Close()
	capture := result.NewCapture(keep)
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("it was replaced by what is not a regular file")
	default:
		err = c.copy(capture, file)
	}
	if err != nil {
		c.leave(f.path, f.size, "can't be read: "+plainError(err))
		return result.File{}, false
	}
	return result.File{Path: f.path, Executable: info.Mode()&0o100 != 0, Stream: capture.Stream()}, true
}

func (c *collector) copy(to io.Writer, file io.Reader) error {
	from := io.LimitReader(untilDone{c.ctx, file}, maxFileBytes)
	if !c.want.redact {
		_, err := io.Copy(to, from)
		return err
	}
	w := redact.NewWriter(to)
	_, err := io.Copy(w, from)
	err = errors.Join(err, w.Close())
	if err == nil {
		c.redacted += w.Count()
	}
	return err
}

func (c *collector) leave(name string, size int64, why string) {
	if len(c.leftOut) == maxLeftOut {
		c.more.Bytes += size
		c.moreN++
		return
	}
	if !nameable(name) {
		name = strconv.QuoteToASCII(name[:min(len(name), maxPathBytes)])
	}
	c.leftOut = append(c.leftOut, result.LeftOut{Path: name, Bytes: size, Why: why})
}

// nameable says whether a status can hold the name as it is.
func nameable(name string) bool {
	return utf8.ValidString(name) && len(name) <= maxPathBytes && !strings.ContainsFunc(name, result.NotInYAML)
}

func (c *collector) reportUnmatched() {
	for _, glob := range c.want.globs {
		if !c.matched[glob] {
			c.leave(glob, 0, "matches no file")
		}
	}
}

func (c *collector) allLeftOut() []result.LeftOut {
	if c.moreN == 0 {
		return c.leftOut
	}
	c.more.Why = fmt.Sprintf("%d more, not listed", c.moreN)
	return append(c.leftOut, c.more)
}

// plainError is the error without operation and path, which stand beside it.
func plainError(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	if errors.Is(err, context.Canceled) {
		return "no time was left before the end of the grace period"
	}
	return strings.TrimSpace(err.Error())
}

func device(info fs.FileInfo) uint64 {
	return info.Sys().(*syscall.Stat_t).Dev
}

// untilDone is a reader that ends with its context.
type untilDone struct {
	ctx context.Context
	io.Reader
}

func (r untilDone) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
