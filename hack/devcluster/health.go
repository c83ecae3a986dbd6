// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

const (
	etcdURL = "http://127.0.0.1:2379"
	apiURL  = "https://" + nodeIP + ":" + apiPort
)

// probeLimit bounds one question to a component.
const probeLimit = 5 * time.Second

func etcdServes(ctx context.Context) error {
	return get(ctx, &http.Client{Timeout: probeLimit}, etcdURL+"/health", nil)
}

func (c cluster) containerdServes(ctx context.Context) error {
	conn, err := (&net.Dialer{Timeout: probeLimit}).DialContext(ctx, "unix", c.containerdSocket())
	if err != nil {
		return err
	}
	return conn.Close()
}

// api asks the API server, as the cluster's administrator.
type api struct{ client *http.Client }

func newAPI(c cluster, dial dialer) (api, error) {
	pair, err := tls.LoadX509KeyPair(c.path("pki", "admin.crt"), c.path("pki", "admin.key"))
	if err != nil {
		return api{}, fmt.Errorf("reading the administrator's certificate: %w", err)
	}
	authority, err := os.ReadFile(c.path("pki", "ca.crt"))
	if err != nil {
		return api{}, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	return api{&http.Client{
		Timeout: probeLimit,
		Transport: &http.Transport{
			DialContext:       dial,
			TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
			DisableKeepAlives: true, // a server that is just starting closes them
		},
	}}, nil
}

// answers is true earlier than serves: before the rules of RBAC are made.
func (a api) answers(ctx context.Context) error {
	return get(ctx, a.client, apiURL+"/version", nil)
}

func (a api) serves(ctx context.Context) error {
	return get(ctx, a.client, apiURL+"/readyz", nil)
}

// clusterIPServes tells whether kube-proxy has done its work. A connection that
// was begun before is never answered.
func (a api) clusterIPServes(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	return get(ctx, a.client, "https://"+apiIP+"/readyz", nil)
}

func (a api) serviceAccountExists(ctx context.Context) error {
	return get(ctx, a.client, apiURL+"/api/v1/namespaces/default/serviceaccounts/default", nil)
}

func (a api) nodeReady(ctx context.Context) error {
	n, err := a.node(ctx)
	if err != nil {
		return err
	}
	return n.ready()
}

// node is the part of a Node object that tells its health.
type node struct {
	Spec struct {
		Taints []struct{ Key, Effect string }
	}
	Status struct {
		Conditions []struct{ Type, Status, Reason, Message string }
		NodeInfo   struct{ KubeletVersion, ContainerRuntimeVersion, KernelVersion string }
	}
}

func (a api) node(ctx context.Context) (node, error) {
	var n node
	err := get(ctx, a.client, apiURL+"/api/v1/nodes/"+nodeName, &n)
	return n, err
}

// ready is nil when pods are started on the node.
func (n node) ready() error {
	for _, taint := range n.Spec.Taints {
		return fmt.Errorf("the node has the taint %s:%s", taint.Key, taint.Effect)
	}
	for _, condition := range n.Status.Conditions {
		if condition.Type == "Ready" && condition.Status == "True" {
			return nil
		}
		if condition.Type == "Ready" {
			return fmt.Errorf("the node isn't ready: %s: %s", condition.Reason, condition.Message)
		}
	}
	return errors.New("the kubelet hasn't reported yet")
}

func get(ctx context.Context, client *http.Client, url string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	if err != nil {
		return fmt.Errorf("reading %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %.300s", url, response.Status, body)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}
