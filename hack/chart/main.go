// SPDX-License-Identifier: Apache-2.0

// Command chart makes a Helm chart of what kustomize makes of config/default, and renders it as Helm does.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const usage = `Usage:
  chart make --out=FOLDER [--version=VERSION] [--image=IMAGE] <INSTALL.yaml
  chart template --chart=FOLDER [--namespace=NAME] [--values=FILE]`

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func run(args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) == 0 {
		return errors.New("no command given\n" + usage)
	}
	switch args[0] {
	case "make":
		return runMake(args[1:], stdin)
	case "template":
		return runTemplate(args[1:], stdout)
	}
	return fmt.Errorf("unknown command %q\n%s", args[0], usage)
}

func runMake(args []string, stdin io.Reader) error {
	flags := flag.NewFlagSet("chart make", flag.ContinueOnError)
	out := flags.String("out", "", "the chart's `folder`, made anew")
	version := flags.String("version", "0.0.0", "the `version` of chart and operator")
	image := flags.String("image", devImage, "the operator's `image`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" {
		return errors.New("--out is missing\n" + usage)
	}
	manifest, err := io.ReadAll(stdin)
	if err != nil {
		return err
	}
	files, err := chartOf(string(manifest), *version, *image)
	if err != nil {
		return err
	}
	return write(*out, files)
}

func runTemplate(args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("chart template", flag.ContinueOnError)
	folder := flags.String("chart", "", "the chart's `folder`")
	namespace := flags.String("namespace", systemNamespace, "the `namespace` that it is installed in")
	values := flags.String("values", "", "a `file` with values")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var text []byte
	if *values != "" {
		var err error
		if text, err = os.ReadFile(*values); err != nil {
			return err
		}
	}
	manifest, err := render(*folder, *namespace, text)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, manifest)
	return err
}
