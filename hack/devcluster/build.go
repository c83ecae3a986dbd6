// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"time"
)

// sources are what the node's binaries are compiled from. They are part of this
// program, so that it works from any folder and knows by itself what it builds.
//
//go:embed go.mod go.sum kube/main.go pause/main.go
var sources embed.FS

// programs are the names by which the one binary is called.
var programs = []string{
	"etcd", "kube-apiserver", "kube-controller-manager", "kube-proxy", "kube-scheduler", "kubectl", "kubelet",
}

// binaries is the folder of the compiled programs; its name changes with
// whatever decides what is in them.
func (c cluster) binaries() string {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.GOARCH, buildFlags())
	for _, name := range []string{"go.mod", "go.sum", "kube/main.go", "pause/main.go"} {
		hash.Write(source(name))
	}
	return filepath.Join(c.Cache, fmt.Sprintf("kubernetes-%s-%x", kubernetesVersion(), hash.Sum(nil)[:6]))
}

func source(name string) []byte {
	text, err := sources.ReadFile(name)
	if err != nil {
		panic(err) // embedded: can't be missing
	}
	return text
}

func kubernetesVersion() string {
	return string(regexp.MustCompile(`k8s\.io/kubernetes (v\S+)`).FindSubmatch(source("go.mod"))[1])
}

func buildFlags() []string {
	version := kubernetesVersion()
	number := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	// Some clients refuse a server that doesn't know its version.
	ldflags := "-s -w"
	for _, pair := range []string{
		"gitVersion=" + version, "gitMajor=" + number[0], "gitMinor=" + number[1],
		"gitTreeState=clean", "gitCommit=0000000",
	} {
		ldflags += " -X k8s.io/component-base/version." + pair
	}
	return []string{"-mod=readonly", "-buildvcs=false", "-trimpath", "-ldflags=" + ldflags}
}

// ensureBinaries compiles what isn't in the cache yet and returns its folder.
// The caller holds the cache's lock.
func (c cluster) ensureBinaries(ctx context.Context) (string, error) {
	folder := c.binaries()
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if _, err := exec.LookPath("go"); err != nil {
		return "", errors.New("compiling needs the go command, and it isn't in PATH: install Go 1.26 or later")
	}
	// The cache is locked: what stands here was left by a build that was killed.
	work := filepath.Join(c.Cache, "building")
	if err := os.RemoveAll(work); err != nil {
		return "", fmt.Errorf("removing what another build left: %w", err)
	}
	defer os.RemoveAll(work)
	result := filepath.Join(work, "result")
	if err := build(ctx, filepath.Join(work, "source"), result); err != nil {
		return "", err
	}
	// Renamed when complete: what is half built is never taken for the whole.
	if err := os.Rename(result, folder); err != nil {
		return "", fmt.Errorf("keeping the binaries: %w", err)
	}
	return folder, nil
}

func build(ctx context.Context, sourceFolder, result string) error {
	if err := os.CopyFS(sourceFolder, sources); err != nil {
		return fmt.Errorf("unpacking the sources: %w", err)
	}
	if err := os.MkdirAll(result, 0o755); err != nil {
		return err
	}
	p := newProgress(time.Now())
	defer p.end()
	pause := filepath.Join(sourceFolder, "pause.bin")
	if err := compile(ctx, p, sourceFolder, "the pause image", "./pause", pause); err != nil {
		return err
	}
	if err := writePauseImage(filepath.Join(result, "pause.tar"), pause); err != nil {
		return fmt.Errorf("making the pause image: %w", err)
	}
	if err := compile(ctx, p, sourceFolder, "Kubernetes "+kubernetesVersion(), "./kube", filepath.Join(result, "kube")); err != nil {
		return err
	}
	for _, name := range programs {
		if err := os.Symlink("kube", filepath.Join(result, name)); err != nil {
			return err
		}
	}
	return nil
}

// compile builds one package and shows how far it is.
func compile(ctx context.Context, p *progress, folder, what, pkg, output string) error {
	p.update("asking what has to be compiled for %s", what)
	list := append([]string{"list", "-deps", "-f={{if .Stale}}{{.ImportPath}}{{end}}"}, buildFlags()...)
	downloads := 0
	stale, err := runGo(ctx, folder, func(line string) {
		if strings.HasPrefix(line, "go: downloading ") {
			downloads++
			p.update("downloading modules: %d so far", downloads)
		}
	}, append(list, pkg)...)
	if err != nil {
		return err
	}
	total, built := len(strings.Fields(string(stale))), 0
	arguments := append([]string{"build", "-v", "-o", output}, buildFlags()...)
	_, err = runGo(ctx, folder, func(line string) {
		built++
		p.update("compiling %s: %d of %d packages, %d left, now %s", what, built, total, total-built, line)
		if built == total {
			p.force("linking %s", what)
		}
	}, append(arguments, pkg)...)
	return err
}

// runGo runs the go command in a folder; onLine sees each line of its stderr.
func runGo(ctx context.Context, folder string, onLine func(string), args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = folder
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
	var stdout bytes.Buffer
	command.Stdout = &stdout
	stderr, err := command.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("starting go %s: %w", args[0], err)
	}
	var said bytes.Buffer
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		onLine(lines.Text())
	}
	if err := command.Wait(); err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, lastLines(said.Bytes(), 20))
	}
	return stdout.Bytes(), nil
}
