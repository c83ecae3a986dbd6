// SPDX-License-Identifier: Apache-2.0

// Commandtree makes the embedded command tree from an installed Google Cloud SDK:
//
//	go run ./hack/commandtree [-sdk DIR] [-json FILE] [-out FILE]
//
// It lets the SDK's own Python read gcloud's parser, which takes two minutes and 1.6 GB, and packs what it found. The same
// SDK gives the same bytes.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

func main() {
	sdk := flag.String("sdk", "/usr/lib/google-cloud-sdk", "folder of the Google Cloud SDK")
	from := flag.String("json", "", "take the tree from this file, which introspect.py wrote, instead of the SDK")
	out := flag.String("out", "internal/command/tree/tree.bin.gz", "file to write")
	flag.Parse()
	if err := run(*sdk, *from, *out); err != nil {
		log.Fatal(err)
	}
}

func run(sdk, from, out string) error {
	if from == "" {
		dir, err := os.MkdirTemp("", "commandtree")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		from = filepath.Join(dir, "tree.json")
		if err := introspect(sdk, dir, from); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	var s source
	if err := json.Unmarshal(text, &s); err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	packed, err := pack(&s)
	if err != nil {
		return fmt.Errorf("packing the tree: %w", err)
	}
	t, err := tree.Decode(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("reading back what was packed: %w", err)
	}
	log.Printf("SDK %s: %d commands, %d groups, %d flags; %d bytes packed", t.SDK, s.count(false), s.count(true), len(s.Flags), len(packed))
	return os.WriteFile(out, packed, 0o644)
}

// introspect runs introspect.py with the SDK's own Python and a configuration folder of its own.
func introspect(sdk, dir, out string) error {
	cmd := exec.Command(filepath.Join(sdk, "platform/bundledpythonunix/bin/python3"), "-B", "hack/commandtree/introspect.py", out)
	cmd.Env = append(os.Environ(), "SDK="+sdk, "CLOUDSDK_CONFIG="+filepath.Join(dir, "config"), "CLOUDSDK_CORE_DISABLE_PROMPTS=1",
		"PYTHONHASHSEED=0") // some commands make their flags from sets, whose order is drawn at random otherwise
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("reading gcloud's parser: %w", err)
	}
	return nil
}
