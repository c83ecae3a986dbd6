// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"cloud.google.com/go/compute/metadata"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// seeToIdentity makes sure that there is somebody for the command to act as.
func (r *run) seeToIdentity() error {
	switch i := r.task.Identity; {
	case i.Key:
		return findKey(filepath.Join(r.Paths.Identity, result.KeyName))
	case i.Federation != "":
		return writeFederation(r.Paths.Federation, i.Federation)
	case i.Metadata:
		return r.awaitMetadata()
	}
	return nil
}

// findKey leaves the key unread.
func findKey(path string) error {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return refusal{result.InputsMissing, errors.New("the credentials are missing: the Secret of spec.identity.secretRef, or the key in it, does not exist")}
	}
	if err != nil {
		return refusal{result.InputsFailed, fmt.Errorf("looking for the credentials: %w", err)}
	}
	return nil
}

// writeFederation writes the configuration outside the working directory, so that it is no output.
func writeFederation(path, configuration string) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(configuration), 0o444)
	}
	if err != nil {
		return refusal{result.InputsFailed, fmt.Errorf("writing the configuration of the federated identity: %w", err)}
	}
	return nil
}

const (
	// metadataPatience is longer than a node takes to know a new pod's identity.
	metadataPatience = 30 * time.Second
	metadataPause    = 500 * time.Millisecond
	metadataToken    = "instance/service-accounts/default/token"
)

// awaitMetadata waits for the metadata server, which isn't up in a pod's first
// seconds: gcloud would ask once, find nobody to act as, and remember that. It
// never waits beyond the start window. What the server refuses is asked for again,
// too: a binding takes effect a while after it is made.
func (r *run) awaitMetadata() error {
	ctx, cancel := r.stops.context(0)
	defer cancel()
	patience := min(metadataPatience, r.startBefore.Sub(r.Now()))
	ctx, cancel = context.WithTimeout(ctx, patience)
	defer cancel()
	client := metadata.NewClient(nil)
	var why error
	for {
		_, err := client.GetWithContext(ctx, metadataToken)
		if err == nil {
			return nil
		}
		if why == nil || ctx.Err() == nil {
			why = err
		}
		select {
		case <-time.After(metadataPause):
		case <-ctx.Done():
			return r.noIdentity(patience, why)
		}
	}
}

func (r *run) noIdentity(patience time.Duration, why error) error {
	if r.stops.requested() {
		return errStopped
	}
	return refusal{result.NoIdentity, fmt.Errorf("the metadata server gave no token for the pod's identity within %s: %w; "+
		"see to it that the ServiceAccount has an identity at Google Cloud, or name another in spec.identity", patience.Round(time.Second), why)}
}
