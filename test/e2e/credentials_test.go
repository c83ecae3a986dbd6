// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/rand"
	"crypto/rsa"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/keyutil"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/test/leaks"
)

// credentials are all that the tests use: keys, tokens, whatever stands in Secrets, and the operator's own
// keys. After the tests it is looked for each of them wherever somebody could read it.
var credentials leaks.Credentials

// credential returns one for a test, which is nowhere to be found after the tests.
func credential(name string) string { return secretly(name, rand.Text()+rand.Text()) }

// secretly returns the credential, which is nowhere to be found after the tests.
func secretly(name, value string) string {
	if !credentials.Add(name, value) {
		panic(name + " is too short to be looked for")
	}
	return value
}

// secretKey has the numbers of a private key in PEM among the credentials, however they are written down.
// What else is in the key is public.
func secretKey(name string, key []byte) error {
	parsed, err := keyutil.ParsePrivateKeyPEM(key)
	if err != nil {
		return fmt.Errorf("reading %s: %w", name, err)
	}
	var numbers [][]byte
	switch k := parsed.(type) {
	case *rsa.PrivateKey:
		numbers = append(numbers, k.D.Bytes(), k.Primes[0].Bytes(), k.Primes[1].Bytes())
	case *ecdsa.PrivateKey:
		number, err := k.Bytes()
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		numbers = append(numbers, number)
	default:
		return fmt.Errorf("%s is a %T, of which it isn't known what is secret", name, parsed)
	}
	for _, number := range numbers {
		secretly(name, string(number))
	}
	return nil
}

// rememberOperatorKeys has the operator's own keys among the credentials: as it is deployed anew in some
// tests, or has to make new ones, those that are there before the tests, and those that are there after.
func rememberOperatorKeys(ctx context.Context) error {
	const sealing = "AGE-SECRET-KEY-1"
	var secrets corev1.SecretList
	if err := cluster.List(ctx, &secrets, client.InNamespace(operatorNamespace)); err != nil {
		return fmt.Errorf("listing the operator's keys: %w", err)
	}
	keys := 0
	for _, s := range secrets.Items {
		for key, value := range s.Data {
			name := fmt.Sprintf("the operator's key %s/%s", s.Name, key)
			if number, ok := bytes.CutPrefix(value, []byte(sealing)); ok {
				secretly(name, string(number))
			} else if !bytes.Contains(value, []byte("PRIVATE KEY")) {
				continue // public
			} else if err := secretKey(name, value); err != nil {
				return err
			}
			keys++
		}
	}
	if keys < 2 {
		return fmt.Errorf("found %d keys of the operator; it has one to seal with, and one of its webhook", keys)
	}
	return nil
}
