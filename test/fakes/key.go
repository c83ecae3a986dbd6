// SPDX-License-Identifier: Apache-2.0

package fakes

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
)

// NewKey makes the key of a service account, as the file that Google hands out, and returns with it a
// part of its secret to look for.
func NewKey(account string) (file []byte, secret string, err error) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, "", fmt.Errorf("making a key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, "", fmt.Errorf("encoding a key: %w", err)
	}
	file, err = json.Marshal(map[string]string{
		"type": "service_account", "project_id": "my-project", "private_key_id": "1", "client_id": "1", "client_email": account,
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})), "token_uri": "https://oauth2.googleapis.com/token",
	})
	return file, base64.StdEncoding.EncodeToString(der)[64:112], err
}
