// SPDX-License-Identifier: Apache-2.0

// Command gcloud stands in for the real one in tests: it only prints the words that it gets.
package main

import (
	"fmt"
	"os"

	"github.com/gcloud-operator/gcloud-operator/test/standin"
)

func main() {
	if err := standin.Print(os.Stdout, os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		os.Exit(1)
	}
}
