// SPDX-License-Identifier: Apache-2.0

package main

import "path/filepath"

// component is one process of the node.
type component struct {
	name    string
	program string // absolute, or looked up in PATH
	args    []string
}

// stages are the components in the order of their start: those of one stage
// need only what the stages before serve.
func (c cluster) stages(binaries string) [][]component {
	kube := func(name string, args ...string) component {
		return component{name: name, program: filepath.Join(binaries, name), args: args}
	}
	config := func(file string) string { return c.path("config", file) }
	pki := func(file string) string { return c.path("pki", file) }
	return [][]component{{
		{name: "containerd", program: "containerd", args: []string{"--config=" + config("containerd.toml")}},
		kube("etcd",
			"--name="+nodeName,
			"--data-dir="+c.path("etcd"),
			"--listen-client-urls="+etcdURL,
			"--advertise-client-urls="+etcdURL,
			"--listen-peer-urls=http://127.0.0.1:2380",
			"--initial-advertise-peer-urls=http://127.0.0.1:2380",
			"--initial-cluster="+nodeName+"=http://127.0.0.1:2380",
			"--unsafe-no-fsync", // the data doesn't outlive the machine
		),
	}, {
		kube("kube-apiserver",
			"--etcd-servers="+etcdURL,
			"--advertise-address="+nodeIP,
			"--secure-port="+apiPort,
			"--service-cluster-ip-range="+serviceCIDR,
			"--client-ca-file="+pki("ca.crt"),
			"--tls-cert-file="+pki("kube-apiserver.crt"),
			"--tls-private-key-file="+pki("kube-apiserver.key"),
			"--kubelet-certificate-authority="+pki("ca.crt"),
			"--kubelet-client-certificate="+pki("apiserver-kubelet.crt"),
			"--kubelet-client-key="+pki("apiserver-kubelet.key"),
			"--kubelet-preferred-address-types=InternalIP", // there is no DNS
			"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
			"--service-account-key-file="+pki("service-accounts.pub"),
			"--service-account-signing-key-file="+pki("service-accounts.key"),
			"--authorization-mode=Node,RBAC",
			"--enable-admission-plugins=NodeRestriction", // Pod Security is on by default
			"--enable-aggregator-routing=true",           // webhooks: straight to the pods
			"--allow-privileged=true",
		),
	}, {
		// Needs no RBAC: the node authorizer knows it.
		kube("kubelet",
			"--config="+config("kubelet.yaml"),
			"--kubeconfig="+config("kubelet.kubeconfig"),
			"--root-dir="+c.path("kubelet"),
			"--hostname-override="+nodeName,
			"--node-ip="+nodeIP,
		),
	}, {
		kube("kube-controller-manager",
			"--kubeconfig="+config("kube-controller-manager.kubeconfig"),
			"--bind-address=127.0.0.1",
			"--leader-elect=false",
			"--use-service-account-credentials=true",
			"--flex-volume-plugin-dir="+c.path("kubelet", "volume-plugins"),
			"--root-ca-file="+pki("ca.crt"),
			"--service-account-private-key-file="+pki("service-accounts.key"),
			"--cluster-signing-cert-file="+pki("ca.crt"),
			"--cluster-signing-key-file="+pki("ca.key"),
			"--kube-api-qps=500",
			"--kube-api-burst=1000",
		),
		kube("kube-scheduler", "--config="+config("kube-scheduler.yaml"), "--bind-address=127.0.0.1"),
		kube("kube-proxy", "--config="+config("kube-proxy.yaml")),
	}}
}
