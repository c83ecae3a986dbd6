// SPDX-License-Identifier: Apache-2.0

// Command runner runs a run's command inside its pod.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/fetch"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
	"github.com/gcloud-operator/gcloud-operator/internal/runner"
)

const usage = `usage:
  runner run            run the task of $GCLOUD_OPERATOR_TASK
  runner install FILE   copy this program to FILE
`

func main() {
	if err := runner.Protect(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(dispatch(os.Args[1:]))
}

func dispatch(args []string) int {
	switch {
	case len(args) == 1 && args[0] == "run":
		return runner.Runner{
			Paths: runner.ContainerPaths(),
			Env:   os.Environ(),
			Log:   os.Stdout,
			Init:  os.Getpid() == 1,
			Now:   time.Now,
			Fetch: fetchTask,
		}.Run()
	case len(args) == 2 && args[0] == "install":
		return exitCode(runner.Install(args[1]))
	}
	fmt.Fprint(os.Stderr, usage)
	return 2
}

func fetchTask(ctx context.Context, task result.Fetch, log io.Writer) result.Report {
	return fetch.New(log).Fetch(ctx, task)
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
