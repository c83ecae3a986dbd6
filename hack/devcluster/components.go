// SPDX-License-Identifier: Apache-2.0

package main

import "path/filepath"

// component is one process of the node.
type component struct {
	name    string
	program string // absolute, or looked up in PATH
	args    []string
}

// stage is what is started at the same time, and what has to be true before
// the next stage is started.
type stage struct {
	start []component
	await []check
}

// stages boot the node: each has all that it needs when it is started.
func (c cluster) stages(binaries string, api api) []stage {
	kube := func(name string, args ...string) component {
		return component{name: name, program: filepath.Join(binaries, name), args: args}
	}
	containerd := component{
		name: "containerd", program: "containerd", args: []string{"--config=" + c.path("config", "containerd.toml")},
	}
	return []stage{{
		start: []component{containerd, kube("etcd", c.etcdArgs()...)},
		await: []check{{"etcd", "etcd", etcdServes}, {"containerd", "containerd", c.containerdServes}},
	}, {
		start: []component{kube("kube-apiserver", c.apiServerArgs()...)},
		await: []check{{"API server", "kube-apiserver", api.answers}},
	}, {
		// It needs no rules of RBAC: the node authorizer knows it.
		start: []component{kube("kubelet", c.kubeletArgs()...)},
		await: []check{{"RBAC", "kube-apiserver", api.serves}},
	}, {
		start: []component{
			kube("kube-controller-manager", c.controllerManagerArgs()...),
			kube("kube-scheduler", "--config="+c.path("config", "kube-scheduler.yaml"), "--bind-address=127.0.0.1"),
			kube("kube-proxy", "--config="+c.path("config", "kube-proxy.yaml")),
		},
		await: []check{
			{"default ServiceAccount", "kube-controller-manager", api.serviceAccountExists},
			{"ClusterIPs", "kube-proxy", api.clusterIPServes},
			{"node", "kubelet", api.nodeReady},
		},
	}}
}

func (c cluster) etcdArgs() []string {
	return []string{
		"--name=" + nodeName,
		"--data-dir=" + c.path("etcd"),
		"--listen-client-urls=" + etcdURL,
		"--advertise-client-urls=" + etcdURL,
		"--listen-peer-urls=http://127.0.0.1:2380",
		"--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=" + nodeName + "=http://127.0.0.1:2380",
		"--unsafe-no-fsync", // the data doesn't outlive the machine
	}
}

func (c cluster) apiServerArgs() []string {
	pki := func(file string) string { return c.path("pki", file) }
	return []string{
		"--etcd-servers=" + etcdURL,
		"--advertise-address=" + nodeIP,
		"--secure-port=" + apiPort,
		"--service-cluster-ip-range=" + serviceCIDR,
		"--client-ca-file=" + pki("ca.crt"),
		"--tls-cert-file=" + pki("kube-apiserver.crt"),
		"--tls-private-key-file=" + pki("kube-apiserver.key"),
		"--kubelet-certificate-authority=" + pki("ca.crt"),
		"--kubelet-client-certificate=" + pki("apiserver-kubelet.crt"),
		"--kubelet-client-key=" + pki("apiserver-kubelet.key"),
		"--kubelet-preferred-address-types=InternalIP", // there is no DNS
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + pki("service-accounts.pub"),
		"--service-account-signing-key-file=" + pki("service-accounts.key"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction", // Pod Security is on by default
		"--enable-aggregator-routing=true",           // webhooks: straight to the pods
		"--allow-privileged=true",
	}
}

func (c cluster) kubeletArgs() []string {
	return []string{
		"--config=" + c.path("config", "kubelet.yaml"),
		"--kubeconfig=" + c.path("config", "kubelet.kubeconfig"),
		"--root-dir=" + c.path("kubelet"),
		"--hostname-override=" + nodeName,
		"--node-ip=" + nodeIP,
	}
}

func (c cluster) controllerManagerArgs() []string {
	pki := func(file string) string { return c.path("pki", file) }
	return []string{
		"--kubeconfig=" + c.path("config", "kube-controller-manager.kubeconfig"),
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--root-ca-file=" + pki("ca.crt"),
		"--service-account-private-key-file=" + pki("service-accounts.key"),
		"--cluster-signing-cert-file=" + pki("ca.crt"),
		"--cluster-signing-key-file=" + pki("ca.key"),
		"--flex-volume-plugin-dir=" + c.path("kubelet", "volume-plugins"),
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	}
}
