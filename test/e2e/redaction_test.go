// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
	"github.com/gcloud-operator/gcloud-operator/internal/redact"
	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

func testSecrets(t *testing.T) {
	secrets, ordinary := secretText(t), lookAlikes(t)
	url := serveBytes(t, map[string][]byte{"secrets": []byte(secrets.text), "ordinary": []byte(ordinary)})
	g := script("redacted", get(url+"/secrets")+" >../tmp/secrets\n"+get(url+"/ordinary")+` >../tmp/ordinary
		in_two_writes() { while IFS= read -r line; do half=$((${#line}/2)); printf %s "${line:0:half}"; sleep 0.01; printf '%s\n' "${line:half}"; done; }
		cat ../tmp/ordinary; in_two_writes <../tmp/secrets
		in_two_writes <../tmp/secrets >&2
		cat ../tmp/secrets ../tmp/ordinary >written
		exit 1`).run(t)

	expectEnd(t, g, v1alpha1.ReasonCommandFailed, 1)
	expectBytes(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo, []byte(ordinary+secrets.redacted))
	expectBytes(t, g.Status.Response.Stderr, g.Status.Response.StderrInfo, []byte(secrets.redacted))
	if got := string(outputFile(t, g, "written")); got != secrets.redacted+ordinary {
		t.Errorf("the file has %d bytes, and should have %d", len(got), len(secrets.redacted+ordinary))
	}
	expectContains(t, "the message", g.Status.Run.Message, "ERROR: "+redact.Replacement)
	for place, text := range everythingWritten(t, g) {
		for _, piece := range secrets.pieces {
			if strings.Contains(text, piece) {
				t.Errorf("%q of a secret stands in %s", piece, place)
			}
		}
		if text == "" {
			t.Errorf("nothing stands in %s, which can't be", place)
		}
	}
}

// secretive is text with secrets in it, the same as it is kept, and pieces that must be nowhere.
type secretive struct {
	text, redacted string
	pieces         []string
}

// add adds a line with a secret between other text.
func (s *secretive) add(before, secret, after string) {
	s.text += before + secret + after + "\n"
	s.redacted += before + redact.Replacement + after + "\n"
	s.hide(secretly("a secret that was printed", secret))
}

// hide adds what is random of the secret: 16 characters are enough to know it by.
func (s *secretive) hide(secret string) {
	for piece := range slices.Chunk([]byte(secret), 16) {
		if len(piece) == 16 {
			s.pieces = append(s.pieces, string(piece))
		}
	}
}

// addKey adds a private key: its lines are replaced one by one.
func (s *secretive) addKey(key string, spell func(string) string) {
	if err := secretKey("a key that was printed", []byte(key)); err != nil {
		panic(err)
	}
	redacted := key
	for line := range strings.Lines(key) {
		if line = strings.TrimSpace(line); !strings.Contains(line, "-----") {
			redacted = strings.Replace(redacted, line, redact.Replacement, 1)
			s.hide(line)
		}
	}
	s.text += spell(key) + "\n"
	s.redacted += spell(redacted) + "\n"
}

// secretText has every kind of secret that is replaced. They are made anew each time, and their first
// letters put together, so that nobody's scanner takes them for real.
func secretText(t *testing.T) secretive {
	t.Helper()
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	ecKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	var s secretive
	s.add("", "ya29."+"a0A"+random(180), "")
	s.add("token=", "ya29."+"c."+"b0A"+random(900), "&x=y")
	s.add("refresh: ", "1//"+"0g"+random(100), "")
	s.add("client: ", "GOCSPX"+"-"+random(28), "")
	s.add("https://example.com/?key=", "AIza"+random(35), "&alt=json")
	s.add("id_token ", signedJWT(t, rsaKey), " and more")
	s.add("Authorization: Bearer ", "0"+random(40), "")
	s.add(`{"access_token": "`, "0"+random(40), `", "expires_in": 3599}`)
	s.addKey(pemOf(t, rsaKey), asItIs)
	s.addKey(pemOf(t, ecKey), asItIs)
	s.addKey(pemOf(t, rsaKey), func(key string) string {
		return fmt.Sprintf(`{"type": "service_account", "private_key_id": "0123456789abcdef", "private_key": %s, "client_email": "a@b.iam.gserviceaccount.com"}`, inJSON(t, key))
	})
	s.add("ERROR: ", "ya29."+"a0A"+random(180), " is not valid")
	return s
}

// lookAlikes are more than a status holds.
func lookAlikes(t *testing.T) string {
	t.Helper()
	noise := make([]byte, 60_000)
	_, _ = rand.Read(noise) // never fails
	certificate := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: noise[:900]}))
	encode := base64.RawURLEncoding.EncodeToString
	return strings.Join([]string{
		"ya29.example.com ya29.ACCESS_TOKEN", "x = 1//0 + 1//0x1f", "gs://bucket/1//0" + random(50), "GOCSPX-secret",
		"AIza" + random(34), "AIza" + random(36), encode([]byte(`{"alg":"none"}`)) + "." + encode([]byte(`{"iss":"me"}`)),
		"Bearer $(gcloud auth print-access-token), Bearer ACCESS_TOKEN", `{"access_token": "<your token>", "id_token": {"type": "string"}}`,
		"access_token: projects/my-project-1/secrets/token/versions/1", `"private_key_id": "1234567890abcdef1234567890abcdef12345678"`,
		"-----BEGIN PRIVATE KEY----- is the first line", "6f9d2c1e-7a44-4c0b-9d55-0d9f3f1f7a10",
		certificate, inJSON(t, certificate), base64.StdEncoding.EncodeToString(noise), "",
	}, "\n")
}

// random returns letters and digits.
func random(n int) string {
	text := ""
	for len(text) < n {
		text += rand.Text()
	}
	return text[:n]
}

func asItIs(text string) string { return text }

func inJSON(t *testing.T, text string) string {
	t.Helper()
	encoded, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func pemOf(t *testing.T, key any) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func signedJWT(t *testing.T, key *rsa.PrivateKey) string {
	t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode([]byte(`{"sub":"`+random(20)+`"}`))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatal(err)
	}
	return text + "." + encode(signature)
}

// everythingWritten is what there is to read about a run, by where it stands; what is encoded is decoded.
func everythingWritten(t *testing.T, g *v1alpha1.GcloudRun) map[string]string {
	t.Helper()
	places := map[string]string{
		"the resource":          kubectl(t, "get", "gcloudrun", g.Name, "-o", "json"),
		"objects":               kubectl(t, "get", "job,pod,configmap,secret,events.events.k8s.io", "-o", "json"),
		"the pod's log":         kubectl(t, "logs", g.Status.Run.PodName),
		"the operator's log":    kubectl(t, "logs", "--namespace="+operatorNamespace, "--selector=app.kubernetes.io/name=gcloud-operator", "--tail=-1"),
		"ConfigMaps, decoded":   decodedConfigMaps(t),
		"the message, unpacked": "",
	}
	m, err := result.DecodeMessage(podOf(t, g).Status.ContainerStatuses[0].State.Terminated.Message)
	if err != nil {
		t.Fatal(err)
	}
	places["the message, unpacked"] = fmt.Sprintf("%s%s%s", m.Report.Message, m.Report.Stdout.Data, m.Report.Stderr.Data)
	return places
}

func decodedConfigMaps(t *testing.T) string {
	t.Helper()
	var maps corev1.ConfigMapList
	if err := cluster.List(t.Context(), &maps, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, m := range maps.Items {
		for _, data := range m.BinaryData {
			text.Write(data)
		}
	}
	return text.String()
}
