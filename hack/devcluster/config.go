// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"text/template"
)

//go:embed config
var configFiles embed.FS

// settings is what the files in config/ may refer to.
type settings struct {
	State, ContainerdSocket, CNIPlugins string
	NodeName, NodeIP, PodCIDR           string
	Cgroup, PauseImage                  string
}

// writeConfig renders every component's configuration into STATE/config.
func (c cluster) writeConfig(cniPlugins string) error {
	values := settings{
		State: c.State, ContainerdSocket: c.containerdSocket(), CNIPlugins: cniPlugins,
		NodeName: nodeName, NodeIP: nodeIP, PodCIDR: podCIDR,
		Cgroup: c.cgroup(), PauseImage: pauseImage,
	}
	return fs.WalkDir(configFiles, "config", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return os.MkdirAll(c.path(name), 0o755)
		case path.Base(name) == "kubeconfig.yaml": // one for each user: see credentials.go
			return nil
		}
		text, err := render(name[len("config/"):], values)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(c.State, name), text, 0o644)
	})
}

func render(name string, values any) ([]byte, error) {
	parsed, err := template.New(path.Base(name)).Option("missingkey=error").ParseFS(configFiles, "config/"+name)
	if err != nil {
		return nil, fmt.Errorf("parsing config/%s: %w", name, err)
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, values); err != nil {
		return nil, fmt.Errorf("rendering config/%s: %w", name, err)
	}
	return out.Bytes(), nil
}
