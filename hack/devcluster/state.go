// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	nodeName    = "devcluster"
	nodeIP      = "10.244.0.1"
	podCIDR     = "10.244.0.0/22" // 1,021 addresses for pods
	serviceCIDR = "10.96.0.0/16"
	apiIP       = "10.96.0.1" // the Service "kubernetes": the first of serviceCIDR
	apiPort     = "6443"
)

// cluster knows where everything of one cluster lies.
type cluster struct {
	State string // absolute path of the folder of all state; `down` removes it
	Cache string // absolute path of what outlives clusters: the compiled binaries
}

// newCluster takes the folders from the environment: DEVCLUSTER_STATE and
// DEVCLUSTER_CACHE.
func newCluster() (cluster, error) {
	state, err := folder("DEVCLUSTER_STATE", func() (string, error) {
		return "/var/lib/gcloud-operator-devcluster", nil
	})
	if err != nil {
		return cluster{}, err
	}
	if strings.HasPrefix(state+"/", "/run/") || strings.HasPrefix(state+"/", "/var/run/") {
		return cluster{}, fmt.Errorf("DEVCLUSTER_STATE=%s: the node has a /run of its own, choose another place", state)
	}
	cache, err := folder("DEVCLUSTER_CACHE", func() (string, error) {
		base, err := os.UserCacheDir()
		return filepath.Join(base, "gcloud-operator"), err
	})
	return cluster{State: state, Cache: cache}, err
}

func folder(variable string, fallback func() (string, error)) (string, error) {
	path := os.Getenv(variable)
	if path == "" {
		var err error
		if path, err = fallback(); err != nil {
			return "", fmt.Errorf("set %s: no default for it here: %w", variable, err)
		}
	}
	return filepath.Abs(path)
}

func (c cluster) path(parts ...string) string {
	return filepath.Join(append([]string{c.State}, parts...)...)
}

// cgroup is the name of the group that all pods are in; each cluster of a
// machine has its own.
func (c cluster) cgroup() string {
	return fmt.Sprintf("devcluster-%x", sha256.Sum256([]byte(c.State)))[:len("devcluster-")+8]
}

func (c cluster) kubeconfig() string       { return c.path("kubeconfig") }
func (c cluster) containerdSocket() string { return c.path("containerd.sock") }
func (c cluster) log(component string) string {
	return c.path("logs", component+".log")
}
