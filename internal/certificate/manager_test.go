// SPDX-License-Identifier: Apache-2.0

package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

const serverName = "webhook.gcloud-operator-system.svc"

var secretName = types.NamespacedName{Namespace: "gcloud-operator-system", Name: "webhook-certificate"}

// cluster returns a client of a cluster that has a webhook configuration with two webhooks, and objects.
func cluster(objects ...client.Object) client.WithWatch {
	config := &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "webhook"},
		Webhooks:   []admissionv1.ValidatingWebhook{{Name: "a.gcloud-operator.dev"}, {Name: "b.gcloud-operator.dev"}},
	}
	return fake.NewClientBuilder().WithObjects(append(objects, config)...).Build()
}

func manager(c client.Client) *Manager {
	return &Manager{
		Client: c, Secret: secretName, Names: []string{serverName, serverName + ".cluster.local"}, Webhook: "webhook",
		Clock: clock.RealClock{}, // the tests run in bubbles, where time is theirs
	}
}

func ensure(t *testing.T, m *Manager) {
	t.Helper()
	if err := m.Ensure(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func webhooks(t *testing.T, c client.Client) *admissionv1.ValidatingWebhookConfiguration {
	t.Helper()
	config := &admissionv1.ValidatingWebhookConfiguration{}
	if err := c.Get(t.Context(), types.NamespacedName{Name: "webhook"}, config); err != nil {
		t.Fatal(err)
	}
	return config
}

// handshake is what the API server does before it asks a webhook: the server presents what m serves,
// and the client trusts the bundle alone.
func handshake(bundle []byte, name string, m *Manager) error {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(bundle)
	here, there := net.Pipe()
	defer here.Close()
	served := make(chan error, 1)
	go func() {
		defer there.Close()
		served <- tls.Server(there, &tls.Config{GetCertificate: m.GetCertificate}).Handshake()
	}()
	err := tls.Client(here, &tls.Config{RootCAs: roots, ServerName: name}).Handshake()
	here.Close()
	return errors.Join(err, <-served)
}

func leaf(m *Manager) *x509.Certificate { return m.serving.Load().Leaf }

func TestCertificateIsMadeOnceAndTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster()
		m := manager(c)
		if err := handshake(nil, serverName, m); err == nil {
			t.Error("something is served before there is a certificate")
		}
		if _, err := m.GetCertificate(nil); !errors.Is(err, errNone) {
			t.Errorf("got %v, want %v", err, errNone)
		}
		ensure(t, m)
		first, version := leaf(m), webhooks(t, c).ResourceVersion
		time.Sleep(24 * time.Hour)
		ensure(t, m)
		if !leaf(m).Equal(first) {
			t.Error("it was made again after a day")
		}
		config := webhooks(t, c)
		if config.ResourceVersion != version {
			t.Error("the webhook configuration was written again, though nothing had changed")
		}
		for _, w := range config.Webhooks {
			for _, name := range m.Names {
				if err := handshake(w.ClientConfig.CABundle, name, m); err != nil {
					t.Errorf("%s does not trust %s: %v", w.Name, name, err)
				}
			}
			if handshake(w.ClientConfig.CABundle, "other.svc", m) == nil {
				t.Errorf("%s trusts it for another name", w.Name)
			}
		}
	})
}

func TestReplicasShareOneCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster()
		first, second := manager(c), manager(c)
		ensure(t, first)
		ensure(t, second)
		if !leaf(first).Equal(leaf(second)) {
			t.Error("they serve different ones")
		}
	})
}

func TestSlowerReplicaTakesTheQuickersCertificate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster()
		quick := manager(c)
		raced := false
		slow := manager(interceptor.NewClient(c, interceptor.Funcs{
			Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if _, secret := o.(*corev1.Secret); secret && !raced {
					raced = true
					ensure(t, quick) // it writes the Secret just after the slow one found none
					return apierrors.NewNotFound(schema.GroupResource{Resource: "secrets"}, key.Name)
				}
				return w.Get(ctx, key, o, opts...)
			},
		}))
		ensure(t, slow)
		if !raced || !leaf(slow).Equal(leaf(quick)) {
			t.Error("they serve different ones")
		}
	})
}

func TestCertificateIsRenewedAfterTwoThirdsOfItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster()
		m, stale := manager(c), manager(c)
		ensure(t, m)
		ensure(t, stale)
		first := leaf(m)
		life := first.NotAfter.Sub(first.NotBefore)
		time.Sleep(time.Until(first.NotAfter.Add(-life/3)) - time.Minute)
		ensure(t, m)
		if !leaf(m).Equal(first) {
			t.Error("it was renewed before two thirds of its life had passed")
		}
		time.Sleep(2 * time.Minute)
		ensure(t, m)
		if leaf(m).Equal(first) {
			t.Fatal("it was not renewed after two thirds of its life")
		}
		bundle := webhooks(t, c).Webhooks[0].ClientConfig.CABundle
		for name, served := range map[string]*Manager{"the new one": m, "the old one, which another replica still serves,": stale} {
			if err := handshake(bundle, serverName, served); err != nil {
				t.Errorf("%s isn't trusted: %v", name, err)
			}
		}
		ensure(t, stale)
		if !leaf(stale).Equal(leaf(m)) {
			t.Error("the other replica does not take the new one")
		}
	})
}

// However often it is renewed, the bundle has two authorities: the newest, and the one before.
func TestBundleDoesNotGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster()
		m := manager(c)
		for range 4 {
			ensure(t, m)
			time.Sleep(300 * 24 * time.Hour)
		}
		if n := bytes.Count(webhooks(t, c).Webhooks[0].ClientConfig.CABundle, []byte("BEGIN CERTIFICATE")); n != 2 {
			t.Errorf("it has %d authorities", n)
		}
	})
}

func TestUnusableSecretIsReplaced(t *testing.T) {
	secret := func(data map[string][]byte) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secretName.Namespace, Name: secretName.Name}, Type: corev1.SecretTypeTLS, Data: data}
	}
	synctest.Test(t, func(t *testing.T) {
		other, err := newPair([]string{"other.svc"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		own, err := newPair([]string{serverName, serverName + ".cluster.local"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		mixed := own.data()
		mixed[caKey] = other.data()[caKey]
		for name, data := range map[string]map[string][]byte{
			"it is empty":                        nil,
			"it is no certificate":               {corev1.TLSCertKey: []byte("a"), corev1.TLSPrivateKeyKey: []byte("b"), caKey: []byte("c")},
			"its key is another's":               {corev1.TLSCertKey: own.chain, corev1.TLSPrivateKeyKey: other.key, caKey: own.authority},
			"it is for other names":              other.data(),
			"its authority doesn't vouch for it": mixed,
			"its authority is missing":           {corev1.TLSCertKey: own.chain, corev1.TLSPrivateKeyKey: own.key},
		} {
			c := cluster(secret(data))
			m := manager(c)
			if err := m.Ensure(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if err := handshake(webhooks(t, c).Webhooks[0].ClientConfig.CABundle, serverName, m); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

func TestWipedTrustIsWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster()
		m := manager(c)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- m.Start(ctx) }()
		synctest.Wait()
		config := webhooks(t, c)
		for i := range config.Webhooks { // as `kubectl apply` of the manifests does
			config.Webhooks[i].ClientConfig.CABundle = nil
		}
		if err := c.Update(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		time.Sleep(checkInterval + time.Second)
		if err := handshake(webhooks(t, c).Webhooks[1].ClientConfig.CABundle, serverName, m); err != nil {
			t.Errorf("a minute later it isn't trusted: %v", err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("it ended with %v", err)
		}
	})
}

func TestStartGoesOnAfterAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var back atomic.Bool
		c := interceptor.NewClient(cluster(), interceptor.Funcs{
			Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if !back.Load() {
					return errors.New("the API server is away")
				}
				return w.Get(ctx, key, o, opts...)
			},
		})
		m := manager(c)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = m.Start(ctx) }()
		time.Sleep(3 * checkInterval)
		back.Store(true)
		time.Sleep(2 * checkInterval)
		if err := handshake(webhooks(t, c).Webhooks[0].ClientConfig.CABundle, serverName, m); err != nil {
			t.Errorf("when the API server is back: %v", err)
		}
		cancel()
		synctest.Wait()
	})
}

func TestFailures(t *testing.T) {
	fail := func(verb string) client.Client {
		return interceptor.NewClient(cluster(), interceptor.Funcs{
			Get: func(ctx context.Context, w client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
				if _, secret := o.(*corev1.Secret); (verb == "get secret" && secret) || (verb == "get webhook" && !secret) {
					return errors.New("no")
				}
				return w.Get(ctx, key, o, opts...)
			},
			Create: func(ctx context.Context, w client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				if verb == "create" {
					return errors.New("no")
				}
				return w.Create(ctx, o, opts...)
			},
			Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
				return errors.New("no")
			},
		})
	}
	for verb, want := range map[string]string{
		"get secret":  "reading Secret gcloud-operator-system/webhook-certificate: no",
		"create":      "writing Secret gcloud-operator-system/webhook-certificate: no",
		"get webhook": "reading ValidatingWebhookConfiguration webhook: no",
		"patch":       "writing ValidatingWebhookConfiguration webhook: no",
	} {
		m := manager(fail(verb))
		if err := m.Ensure(t.Context()); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", verb, err, want)
		}
		if m.serving.Load() != nil {
			t.Errorf("%s: a certificate is served that nobody trusts", verb)
		}
	}
}

func TestClusterWithoutTheWebhookIsServed(t *testing.T) {
	m := manager(fake.NewClientBuilder().Build())
	ensure(t, m)
	if m.serving.Load() == nil {
		t.Error("nothing is served")
	}
}
