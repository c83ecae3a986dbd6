// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// Addresses that the node has for the test: one that is not the cluster's, and those of metadata servers.
const (
	outside        = "198.51.100.7"
	metadata       = "169.254.169.254"
	metadataOfGKE  = "169.254.169.252"
	anothersServer = "169.254.170.2"
)

// The policies of config/network-policy are enforced by kube-router, since the network of the development
// cluster has nothing that does (hack/networkpolicy).
func testNetwork(t *testing.T) {
	enforceNetworkPolicies(t)
	open, closed, withMetadata := runsNamespace(t, ""), runsNamespace(t, "runs"), runsNamespace(t, "workload-identity")
	listenerIn := func(ns string) builder {
		return hostile(t, "listener", "exec "+python+"-m http.server 8080").in(ns).apply(t)
	}
	anothers, protected, dns := listenerIn(open), listenerIn(closed), dnsServer(t)
	targets := map[string]string{
		"the world":            listen(t, outside, "443"),
		"the node":             listen(t, nodeAddress, "0"),
		"the API server":       net.JoinHostPort(kubernetesAddress(t), "443"),
		"another's pod":        net.JoinHostPort(addressOf(t, anothers), "8080"),
		"another run":          net.JoinHostPort(addressOf(t, protected), "8080"),
		"the cluster's DNS":    net.JoinHostPort(dns, "53"),
		"metadata":             listen(t, metadata, "80"),
		"metadata, other port": listen(t, metadata, "8080"),
		"metadata of GKE":      listen(t, metadataOfGKE, "988"),
		"another's metadata":   listen(t, anothersServer, "80"),
	}
	within := map[string]bool{"the world": true, "the cluster's DNS": true}
	for name, c := range map[string]struct {
		namespace string
		reached   func(target string) bool
	}{
		"without a policy":              {open, func(target string) bool { return target != "another run" }},
		"without workload identity":     {closed, func(target string) bool { return within[target] }},
		"with workload identity on GKE": {withMetadata, func(target string) bool { return within[target] || target == "metadata" || target == "metadata of GKE" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := reached(t, c.namespace, targets)
			for target := range targets {
				if got[target] != c.reached(target) {
					t.Errorf("%s is reached: %t, want %t", target, got[target], c.reached(target))
				}
			}
		})
	}
}

// enforceNetworkPolicies has the cluster's NetworkPolicies enforced until the test ends.
func enforceNetworkPolicies(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"iptables", "ipset"} {
		if out, err := exec.Command(tool, "-L").CombinedOutput(); err != nil {
			t.Skipf("no NetworkPolicies can be enforced here, because %s does not work: %v: %s", tool, err, out)
		}
	}
	engine := exec.Command("../../bin/networkpolicy", "--node="+nodeName(t), "--services="+kubernetesAddress(t)+"/16")
	engine.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	log, err := os.CreateTemp(t.TempDir(), "networkpolicy")
	must(t, err)
	engine.Stdout, engine.Stderr = log, log
	must(t, engine.Start())
	t.Cleanup(func() {
		_ = engine.Process.Signal(syscall.SIGTERM)
		if err := engine.Wait(); err != nil || t.Failed() {
			text, _ := os.ReadFile(log.Name())
			t.Errorf("what enforces the policies: %v: %s", err, text)
		}
	})
}

func nodeName(t *testing.T) string {
	t.Helper()
	var nodes corev1.NodeList
	must(t, cluster.List(t.Context(), &nodes))
	return nodes.Items[0].Name
}

// kubernetesAddress is where pods reach the API server.
func kubernetesAddress(t *testing.T) string {
	t.Helper()
	var service corev1.Service
	must(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: "default", Name: "kubernetes"}, &service))
	return service.Spec.ClusterIP
}

// runsNamespace makes a namespace with the policies of that folder of config/network-policy.
func runsNamespace(t *testing.T, policies string) string {
	t.Helper()
	ns := makeNamespace(t, map[string]string{"pod-security.kubernetes.io/enforce": "restricted"})
	if policies != "" {
		kubectl(t, "apply", "--namespace="+ns, "--kustomize=../../config/network-policy/"+policies)
	}
	allowIn(t, ns, "tenant", mayRun, may("use", "serviceaccounts", "default"))
	return ns
}

// listen takes connections at an address, which the node is given if it doesn't have it.
func listen(t *testing.T, address, port string) string {
	t.Helper()
	link := func(do string) error { return exec.Command("ip", "address", do, address+"/32", "dev", "lo").Run() }
	if address != nodeAddress && link("add") == nil {
		t.Cleanup(func() { must(t, link("del")) })
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(address, port))
	must(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: http.NotFoundHandler()}}
	server.Start()
	t.Cleanup(server.Close)
	return listener.Addr().String()
}

// addressOf waits until the resource's command runs, and returns its pod's address.
func addressOf(t *testing.T, b builder) (address string) {
	t.Helper()
	eventually(t, "the pod has an address", func() bool {
		pod := b.pod(t)
		if !containerRuns(pod) {
			return false
		}
		address = pod.Status.PodIP
		return address != ""
	})
	return address
}

// dnsServer is a pod with the marks of the cluster's DNS, of which the development cluster has none.
func dnsServer(t *testing.T) (address string) {
	t.Helper()
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: namespace + "-dns", Labels: map[string]string{"k8s-app": "kube-dns"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "dns", Image: "gcloud:528.0.0", Command: []string{"/bin/sh", "-c", "exec busybox httpd -f -p 53"},
			SecurityContext: &corev1.SecurityContext{RunAsUser: new(int64(0))},
		}}},
	}
	temporary(t, pod)
	eventually(t, "the cluster's DNS has an address", func() bool {
		must(t, cluster.Get(t.Context(), types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, pod))
		return pod.Status.Phase == corev1.PodRunning && pod.Status.PodIP != ""
	})
	return pod.Status.PodIP
}

// reached has a run try to connect to each of the targets, and returns which it reaches. Policies come into
// force a moment after the pod is there: where there are some, it waits until it can't reach the node.
func reached(t *testing.T, ns string, targets map[string]string) map[string]bool {
	t.Helper()
	text, err := json.Marshal(targets)
	must(t, err)
	policies := kubectl(t, "get", "networkpolicies", "--namespace="+ns, "--output=name")
	g := hostile(t, "prober", python+"probe.py").in(ns).inputFile("targets", string(text)).inputFile("probe.py", fmt.Sprintf(`
import json, socket, time
def reached(address):
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=2).close()
        return True
    except OSError:
        return False
targets = json.load(open("targets"))
end = time.time() + 60
while %s and reached(targets["the node"]) and time.time() < end:
    time.sleep(0.2)
print(json.dumps({name: reached(address) for name, address in targets.items()}))
`, map[bool]string{true: "True", false: "False"}[strings.Contains(policies, "gcloud-runs")])).run(t)
	expectReason(t, g, v1alpha1.ReasonSucceeded)
	found := map[string]bool{}
	must(t, json.Unmarshal([]byte(g.Status.Response.Stdout), &found))
	return found
}
