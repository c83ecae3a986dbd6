// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// credentials of the cluster, by the name of their files. The users and groups
// are those that Kubernetes' own RBAC rules speak of.
var credentials = map[string]subject{
	"admin":                   {user: "devcluster-admin", groups: []string{"system:masters"}},
	"apiserver-kubelet":       {user: "kube-apiserver-kubelet-client", groups: []string{"system:masters"}},
	"kube-controller-manager": {user: "system:kube-controller-manager"},
	"kube-scheduler":          {user: "system:kube-scheduler"},
	"kube-proxy":              {user: "system:kube-proxy"},
	"kubelet": {
		user:      "system:node:" + nodeName,
		groups:    []string{"system:nodes"},
		addresses: []string{nodeName, nodeIP},
	},
	"kube-apiserver": {
		user: "kube-apiserver",
		addresses: []string{
			"localhost", "127.0.0.1", nodeIP, apiIP,
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
		},
	},
}

// kubeconfigs names the files to write for those who are clients only.
func (c cluster) kubeconfigs() map[string]string {
	files := map[string]string{"admin": c.kubeconfig()}
	for _, component := range []string{"kubelet", "kube-controller-manager", "kube-scheduler", "kube-proxy"} {
		files[component] = c.path("config", component+".kubeconfig")
	}
	return files
}

// writeCredentials makes all keys and certificates anew.
func (c cluster) writeCredentials(now time.Time) error {
	pki := c.path("pki")
	if err := os.MkdirAll(pki, 0o700); err != nil {
		return err
	}
	authority, err := newAuthority(now)
	if err != nil {
		return err
	}
	if err := authority.write(pki, "ca"); err != nil {
		return err
	}
	kubeconfigs := c.kubeconfigs()
	for name, who := range credentials {
		issued, err := authority.issue(who, now)
		if err != nil {
			return err
		}
		if err := issued.write(pki, name); err != nil {
			return err
		}
		if file, ok := kubeconfigs[name]; ok {
			if err := writeKubeconfig(file, authority, issued); err != nil {
				return err
			}
		}
	}
	return writeTokenKeys(pki, authority, now)
}

// writeTokenKeys makes the pair that signs and verifies service account tokens.
func writeTokenKeys(folder string, authority identity, now time.Time) error {
	signer, err := authority.issue(subject{user: "service-accounts"}, now)
	if err != nil {
		return err
	}
	if err := signer.write(folder, "service-accounts"); err != nil {
		return err
	}
	public, err := publicKeyPEM(signer.key.Public())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "service-accounts.pub"), public, 0o644)
}

func writeKubeconfig(file string, authority, who identity) error {
	key, err := who.keyPEM()
	if err != nil {
		return err
	}
	text, err := render("kubeconfig.yaml", map[string]string{
		"Server":      apiURL,
		"Authority":   base64.StdEncoding.EncodeToString(authority.certificatePEM()),
		"User":        who.certificate.Subject.CommonName,
		"Certificate": base64.StdEncoding.EncodeToString(who.certificatePEM()),
		"Key":         base64.StdEncoding.EncodeToString(key),
	})
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return nil
}
