// SPDX-License-Identifier: Apache-2.0

package certificate

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// checkInterval is how often the Secret and the webhook configuration are looked at again: another
// replica may have renewed the certificate, and somebody may have applied the configuration anew.
const checkInterval = time.Minute

// errNone is what a TLS handshake gets before the first certificate is there.
var errNone = errors.New("the serving certificate isn't there yet")

// Manager keeps the webhook server's certificate.
type Manager struct {
	// Client reads and writes the Secret and the webhook configuration, without a cache.
	Client client.Client
	// Secret is where the certificate lives.
	Secret types.NamespacedName
	// Names are the DNS names that the certificate is for.
	Names []string
	// Webhook is the name of the ValidatingWebhookConfiguration that has to trust it.
	Webhook string
	Clock   clock.WithTicker

	serving atomic.Pointer[tls.Certificate]
}

// GetCertificate is for tls.Config.
func (m *Manager) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	if c := m.serving.Load(); c != nil {
		return c, nil
	}
	return nil, errNone
}

// NeedLeaderElection is false: every replica serves the webhook.
func (m *Manager) NeedLeaderElection() bool { return false }

// Start keeps the certificate until the context ends. It is for manager.Add.
func (m *Manager) Start(ctx context.Context) error {
	ticker := m.Clock.NewTicker(checkInterval)
	defer ticker.Stop()
	for {
		if err := m.Ensure(ctx); err != nil {
			log.FromContext(ctx).Error(err, "Could not keep the serving certificate; trying again", "after", checkInterval)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
	}
}

// Ensure makes or renews the certificate where that is due, serves it, and has the webhook
// configuration trust it. Where another replica was quicker, its certificate is taken.
func (m *Manager) Ensure(ctx context.Context) error {
	raced := func(err error) bool { return apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) }
	return retry.OnError(retry.DefaultRetry, raced, func() error { return m.ensure(ctx) })
}

// ensure writes the trust first: whoever serves the old certificate meanwhile is trusted too.
func (m *Manager) ensure(ctx context.Context) error {
	p, err := m.sharedPair(ctx)
	if err != nil {
		return err
	}
	if err := m.trust(ctx, p.authority); err != nil {
		return err
	}
	m.serving.Store(p.serving)
	return nil
}

// sharedPair returns the pair in the Secret, a new one if need be.
func (m *Manager) sharedPair(ctx context.Context) (*pair, error) {
	secret := &corev1.Secret{}
	err := m.Client.Get(ctx, m.Secret, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("reading Secret %s: %w", m.Secret, err)
	}
	missing := err != nil
	current, err := pairFrom(secret)
	if err == nil && current.usable(m.Names, m.Clock.Now()) {
		return current, nil
	}
	fresh, err := newPair(m.Names, secret.Data[caKey])
	if err != nil {
		return nil, err
	}
	if err := m.store(ctx, secret, fresh, missing); err != nil {
		return nil, err
	}
	return fresh, nil
}

// store writes the pair. Another replica that was quicker makes it fail; the next look finds its pair.
func (m *Manager) store(ctx context.Context, secret *corev1.Secret, p *pair, missing bool) error {
	secret.Type, secret.Data = corev1.SecretTypeTLS, p.data()
	write := m.Client.Update
	if missing {
		secret.ObjectMeta = metav1.ObjectMeta{Namespace: m.Secret.Namespace, Name: m.Secret.Name}
		write = func(ctx context.Context, o client.Object, _ ...client.UpdateOption) error {
			return m.Client.Create(ctx, o)
		}
	}
	if err := write(ctx, secret); err != nil {
		return fmt.Errorf("writing Secret %s: %w", m.Secret, err)
	}
	return nil
}

// trust writes the authorities into the webhook configuration where they aren't there yet.
func (m *Manager) trust(ctx context.Context, authority []byte) error {
	config := &admissionv1.ValidatingWebhookConfiguration{}
	if err := m.Client.Get(ctx, types.NamespacedName{Name: m.Webhook}, config); err != nil {
		if apierrors.IsNotFound(err) {
			return nil // installed without it: the controller checks every spec itself
		}
		return fmt.Errorf("reading ValidatingWebhookConfiguration %s: %w", m.Webhook, err)
	}
	before := config.DeepCopy()
	for i := range config.Webhooks {
		config.Webhooks[i].ClientConfig.CABundle = authority
	}
	if sameTrust(before, authority) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := m.Client.Patch(ctx, config, patch); err != nil {
		return fmt.Errorf("writing ValidatingWebhookConfiguration %s: %w", m.Webhook, err)
	}
	return nil
}

func sameTrust(config *admissionv1.ValidatingWebhookConfiguration, authority []byte) bool {
	for i := range config.Webhooks {
		if !bytes.Equal(config.Webhooks[i].ClientConfig.CABundle, authority) {
			return false
		}
	}
	return true
}
