// SPDX-License-Identifier: Apache-2.0

package world

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const nodeName = "node"

// Kubelet has the logs of pods, and is asked for them by the API server.
type Kubelet struct {
	server *httptest.Server
	logs   sync.Map // by namespace/name
}

// StartKubelet adds a node to the cluster whose kubelet it is.
func StartKubelet(ctx context.Context, api client.Client) (*Kubelet, error) {
	k := &Kubelet{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", k.log)
	k.server = httptest.NewTLSServer(mux)
	at := must(url.Parse(k.server.URL))
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: nodeName}}
	if err := api.Create(ctx, node); err != nil {
		return nil, err
	}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: at.Hostname()}}
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(must(strconv.Atoi(at.Port())))
	return k, api.Status().Update(ctx, node)
}

// Stop stops it.
func (k *Kubelet) Stop() { k.server.Close() }

// take binds the pod to the node, and keeps its log.
func (k *Kubelet) take(ctx context.Context, api client.Client, pod *corev1.Pod, log []byte) error {
	k.logs.Store(pod.Namespace+"/"+pod.Name, log)
	if pod.Spec.NodeName == "" {
		err := api.SubResource("binding").Create(ctx, pod, &corev1.Binding{Target: corev1.ObjectReference{Kind: "Node", Name: nodeName}})
		if err != nil {
			return err
		}
	}
	return api.Get(ctx, client.ObjectKeyFromObject(pod), pod)
}

func (k *Kubelet) log(w http.ResponseWriter, r *http.Request) {
	log, _ := k.logs.Load(r.PathValue("namespace") + "/" + r.PathValue("pod"))
	text, _ := log.([]byte)
	if n, err := strconv.Atoi(r.URL.Query().Get("tailLines")); err == nil {
		lines := bytes.SplitAfter(text, []byte("\n"))
		text = bytes.Join(lines[max(0, len(lines)-n-1):], nil)
	}
	_, _ = w.Write(text) // who asked is gone
}
