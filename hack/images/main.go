// SPDX-License-Identifier: Apache-2.0

// Command images assembles the project's container images without Docker and
// writes them as tarballs that containerd imports.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const usage = `Usage:
  images operator --operator=PATH --runner=PATH --out=FILE.tar [--tag=NAME]
  images gcloud   --runner=PATH --out=FILE.tar [--sdk=DIR]
  images stand-in --gcloud=PATH --runner=PATH --out=FILE.tar`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("no command given\n" + usage)
	}
	switch args[0] {
	case "operator":
		return runOperator(args[1:])
	case "gcloud":
		return runGcloud(ctx, args[1:])
	case "stand-in":
		return runStandIn(args[1:])
	default:
		return fmt.Errorf("unknown command %q\n%s", args[0], usage)
	}
}

func runOperator(args []string) error {
	flags := flag.NewFlagSet("images operator", flag.ContinueOnError)
	operator := flags.String("operator", "", "the operator's static `binary`")
	runner := flags.String("runner", "", "the runner's static `binary`")
	out := flags.String("out", "", "the `tarball` to write")
	tag := flags.String("tag", "gcloud-operator:dev", "the image's `name`")
	if err := parse(flags, args, "operator", "runner", "out"); err != nil {
		return err
	}
	img, err := operatorImage(*operator, *runner)
	if err != nil {
		return fmt.Errorf("assembling the operator's image: %w", err)
	}
	return write(*tag, img, *out)
}

func runGcloud(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("images gcloud", flag.ContinueOnError)
	runner := flags.String("runner", "", "the runner's static `binary`")
	out := flags.String("out", "", "the `tarball` to write")
	sdk := flags.String("sdk", "", "the Google Cloud SDK's `folder` (default: the one whose gcloud is on PATH; without one, Google's published image)")
	if err := parse(flags, args, "runner", "out"); err != nil {
		return err
	}
	base, version, err := gcloudBase(ctx, *sdk)
	if err != nil {
		return err
	}
	img, err := addRunner(base, *runner)
	if err != nil {
		return fmt.Errorf("adding the runner to the gcloud image: %w", err)
	}
	return write("gcloud:"+version, img, *out)
}

func runStandIn(args []string) error {
	flags := flag.NewFlagSet("images stand-in", flag.ContinueOnError)
	gcloud := flags.String("gcloud", "", "the static `binary` that stands in for gcloud")
	runner := flags.String("runner", "", "the runner's static `binary`")
	out := flags.String("out", "", "the `tarball` to write")
	if err := parse(flags, args, "gcloud", "runner", "out"); err != nil {
		return err
	}
	img, err := standInImage(*gcloud, *runner)
	if err != nil {
		return fmt.Errorf("assembling the stand-in's image: %w", err)
	}
	return write("gcloud:stand-in", img, *out)
}

// parse reads args into flags and refuses positional arguments and a missing
// required flag.
func parse(flags *flag.FlagSet, args []string, required ...string) error {
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: everything is passed as --flag=value", flags.Arg(0))
	}
	for _, name := range required {
		if flags.Lookup(name).Value.String() == "" {
			return fmt.Errorf("--%s is missing\n%s", name, usage)
		}
	}
	return nil
}

// write saves the image under its name, and prints name and digest.
func write(image string, img v1.Image, out string) error {
	tag, err := name.NewTag(image)
	if err != nil {
		return fmt.Errorf("reading the image's name: %w", err)
	}
	digest, err := img.Digest()
	if err != nil {
		return fmt.Errorf("computing the image's digest: %w", err)
	}
	if err := writeArchive(out, tag, img); err != nil {
		return fmt.Errorf("writing %s: %w", out, err)
	}
	fmt.Printf("%s@%s\n", image, digest)
	return nil
}
