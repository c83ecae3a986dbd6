// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"time"
)

const storagePort = "9032"

// hangs is an object whose contents never come.
const hangs = "hangs"

// serveObjects serves a bucket as much as `gcloud storage cp` and `cat` ask of Cloud Storage, of which
// Google has no emulator. It returns the bucket's URL.
func serveObjects(t *testing.T, objects map[string][]byte) (bucket string) {
	t.Helper()
	address := net.JoinHostPort(nodeAddress, storagePort)
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("object") == hangs && r.URL.Query().Get("alt") == "media" {
			<-r.Context().Done()
			return
		}
		data, ok := objects[r.PathValue("object")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.URL.Query().Get("alt") == "media" {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data)) // with ranges
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(objectMetadata(address, r.PathValue("object"), data))
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /storage/v1/b/bucket/o/{object}", answer)
	mux.HandleFunc("GET /download/storage/v1/b/bucket/o/{object}", answer)
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	return "gs://bucket"
}

func objectMetadata(address, name string, data []byte) map[string]any {
	sum := md5.Sum(data)
	return map[string]any{
		"kind": "storage#object", "bucket": "bucket", "name": name, "generation": "1", "metageneration": "1",
		"size": strconv.Itoa(len(data)), "md5Hash": base64.StdEncoding.EncodeToString(sum[:]), "contentType": "application/octet-stream",
		"mediaLink":   "http://" + address + "/download/storage/v1/b/bucket/o/" + name + "?alt=media",
		"timeCreated": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z", "storageClass": "STANDARD",
	}
}
