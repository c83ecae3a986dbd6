// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/test/fakes"
)

// An administrator's network lets pods out through a proxy alone, and the servers behind it have certificates that
// only the company trusts. A tenant says in which pods its runs are.
func TestARunIsInThePodThatItAsksForAndFindsItsWayOut(t *testing.T) {
	cloud, proxy := serveBehindAProxy(t)
	restore := underConfiguration(t, func(c *configv1alpha1.OperatorConfiguration) {
		c.Network = configv1alpha1.Network{
			HTTPSProxy: proxy.url,
			CABundle:   string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cloud.Certificate().Raw})),
		}
		c.Reads.DeveloperKnowledgeEndpoint = "https://example.com/"
		c.Gcloud.Env = append(c.Gcloud.Env, configv1alpha1.EnvVar{Name: "CLOUDSDK_API_ENDPOINT_OVERRIDES_PUBSUB", Value: "https://example.com/"})
		c.Pods = configv1alpha1.Pods{MaxResources: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")}}
	})
	defer restore()
	settings := podSettings(t)

	g := gcloudRun("in-its-pod", describe("far-away"))
	g.Spec.Pod = settings
	g.succeed(t)
	expectPod(t, g.pod(t))
	d := documentFetch("in-its-pod", []string{"documents/docs.example.com/far-away"})
	d.Spec.Pod = settings
	runResource(t, d)
	expectRun(t, d.RunStatus(), v1alpha1.ReasonSucceeded)
	proxy.expectOnly(t, "example.com:443")

	greedy := gcloudRun("greedy", describe("far-away"))
	greedy.Spec.Pod.Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("3Gi")}
	expectContains(t, "the refusal", cluster.Create(t.Context(), greedy.GcloudRun).Error(), "spec.pod.resources.requests[memory]", "2Gi at most")
}

// podSettings has some of all, which this cluster has.
func podSettings(t *testing.T) v1alpha1.PodSettings {
	t.Helper()
	for _, o := range []client.Object{
		&nodev1.RuntimeClass{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Handler: "runc"},
		&schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: namespace}, Value: 7},
	} {
		must(t, cluster.Create(t.Context(), o))
		t.Cleanup(func() { _ = cluster.Delete(t.Context(), o) })
	}
	return v1alpha1.PodSettings{
		Resources:         v1alpha1.PodResources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("7m")}},
		NodeSelector:      map[string]v1alpha1.LabelValue{corev1.LabelOSStable: "linux"},
		Tolerations:       []corev1.Toleration{{Key: "batch", Operator: corev1.TolerationOpExists}},
		ImagePullSecrets:  []v1alpha1.SecretName{{Name: "registry"}},
		RuntimeClassName:  namespace,
		PriorityClassName: namespace,
		Labels:            map[string]v1alpha1.LabelValue{"team": "shop"},
		Annotations:       map[string]v1alpha1.AnnotationValue{"example.com/note": "a note"},
	}
}

func expectPod(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	s := pod.Spec
	tolerates := false
	for _, toleration := range s.Tolerations {
		tolerates = tolerates || toleration.Key == "batch"
	}
	for what, ok := range map[string]bool{
		"its request":               s.Containers[0].Resources.Requests.Cpu().String() == "7m",
		"the default limit":         !s.Containers[0].Resources.Limits.Memory().IsZero(),
		"its nodes":                 s.NodeSelector[corev1.LabelOSStable] == "linux" && tolerates,
		"its registry":              len(s.ImagePullSecrets) == 1 && s.ImagePullSecrets[0].Name == "registry",
		"its runtime and priority":  s.RuntimeClassName != nil && *s.RuntimeClassName == namespace && s.Priority != nil && *s.Priority == 7,
		"its label and annotation":  pod.Labels["team"] == "shop" && pod.Annotations["example.com/note"] == "a note",
		"no sidecar":                pod.Labels["sidecar.istio.io/inject"] == "false" && pod.Annotations["linkerd.io/inject"] == "disabled",
		"the operator's own labels": pod.Labels[v1alpha1.ManagedByLabel] == v1alpha1.ManagedByValue,
	} {
		if !ok {
			t.Errorf("the pod has not %s: %+v", what, pod)
		}
	}
}

// tunnels is a proxy for https URLs.
type tunnels struct {
	url   string
	mutex sync.Mutex
	asked map[string]int
}

// serveBehindAProxy serves a topic and a document with a certificate of its own, and a proxy that takes every
// host for it.
func serveBehindAProxy(t *testing.T) (cloud *httptest.Server, proxy *tunnels) {
	t.Helper()
	documents := fakes.NewDocuments()
	documents.Put(fakes.Document{Name: "documents/docs.example.com/far-away", Content: "far away", UpdateTime: "2026-01-01T00:00:00Z"})
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/projects/my-project/topics/far-away", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"name": "projects/my-project/topics/far-away"}`)
	})
	mux.Handle("/", documents)
	cloud = httptest.NewTLSServer(mux)
	t.Cleanup(cloud.Close)

	proxy = &tunnels{asked: map[string]int{}}
	listener, err := net.Listen("tcp", net.JoinHostPort(nodeAddress, "0"))
	must(t, err)
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: proxy.to(cloud.Listener.Addr().String())}}
	server.Start()
	t.Cleanup(server.Close)
	proxy.url = server.URL
	return cloud, proxy
}

// to connects every tunnel with that address.
func (p *tunnels) to(address string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		p.mutex.Lock()
		p.asked[r.Method+" "+r.Host]++
		p.mutex.Unlock()
		far, err := net.Dial("tcp", address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		defer far.Close()
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer near.Close()
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, near); _ = far.Close() }()
		_, _ = io.Copy(near, far)
	}
}

func (p *tunnels) expectOnly(t *testing.T, host string) {
	t.Helper()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.asked) != 1 || p.asked["CONNECT "+host] < 2 {
		t.Errorf("the proxy was asked for %v, want %s alone", p.asked, host)
	}
}
