// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// session is a cluster, a namespace, and whoever asks.
type session struct {
	Streams
	client    client.WithWatch
	pods      typedcorev1.PodsGetter
	namespace string
	now       func() time.Time
	patience  time.Duration // how long a lost connection is tried to be made again
	interrupt *interrupts
	screen    *screen
}

// lostPatience is how long an API server may be away, as when it is upgraded.
const lostPatience = 2 * time.Minute

// connect reads the kubeconfig as kubectl does.
func connect(o options, streams Streams, interrupt *interrupts) (*session, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.kubeconfig
	loaded := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &o.cluster)
	namespace, _, err := loaded.Namespace()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config, err := loaded.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.UserAgent = pluginName
	config.WarningHandler = rest.NewWarningWriter(streams.Err, rest.WarningWriterOptions{Deduplicate: true, Color: streams.ErrTerminal && streams.Colour})
	s := &session{Streams: streams, namespace: namespace, now: time.Now, patience: lostPatience, interrupt: interrupt, screen: newScreen(streams)}
	if s.pods, err = typedcorev1.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	if s.client, err = client.NewWithWatch(config, client.Options{Scheme: scheme()}); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return s, nil
}

func scheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			panic("registering types: " + err.Error()) // every test would
		}
	}
	return s
}

// get reads the resource of that name.
func (s *session) get(ctx context.Context, name string) (*v1alpha1.GcloudRun, error) {
	g := &v1alpha1.GcloudRun{}
	if err := s.client.Get(ctx, types.NamespacedName{Namespace: s.namespace, Name: name}, g); err != nil {
		return nil, understood(err)
	}
	return g, nil
}

// annotate sets an annotation of the resource.
func (s *session) annotate(ctx context.Context, name, annotation, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{annotation: value}}})
	if err != nil {
		return fmt.Errorf("encoding an annotation: %w", err)
	}
	g := &v1alpha1.GcloudRun{ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: name}}
	return s.client.Patch(ctx, g, client.RawPatch(types.MergePatchType, patch), client.FieldOwner(pluginName))
}
