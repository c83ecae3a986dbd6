// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
)

const storagePort = "9032"

// serveObject serves a bucket with one object in it, object.bin, as much as `gcloud storage cp` asks
// of Cloud Storage, of which Google has no emulator. It returns the bucket's name.
func serveObject(t *testing.T, data []byte) (bucket string) {
	t.Helper()
	bucket = "bucket"
	sum := md5.Sum(data)
	metadata := map[string]any{
		"kind": "storage#object", "bucket": bucket, "name": "object.bin", "generation": "1", "metageneration": "1",
		"size": strconv.Itoa(len(data)), "md5Hash": base64.StdEncoding.EncodeToString(sum[:]), "contentType": "application/octet-stream",
		"mediaLink":   "http://" + net.JoinHostPort(nodeAddress, storagePort) + "/download/storage/v1/b/bucket/o/object.bin?alt=media",
		"timeCreated": "2026-01-01T00:00:00Z", "updated": "2026-01-01T00:00:00Z", "storageClass": "STANDARD",
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("alt") == "media" {
			_, _ = w.Write(data)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(metadata)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /storage/v1/b/bucket/o/object.bin", answer)
	mux.HandleFunc("GET /download/storage/v1/b/bucket/o/object.bin", answer)
	listener, err := net.Listen("tcp", net.JoinHostPort(nodeAddress, storagePort))
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: mux}}
	server.Start()
	t.Cleanup(server.Close)
	return bucket
}
