// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"

	"google.golang.org/api/dataform/v1"
	"google.golang.org/api/option"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// file reads a file of a Dataform workspace.
func (s *session) file(ctx context.Context, client *http.Client, task result.Fetch, report *result.Report) error {
	service, err := dataform.NewService(ctx, options(client, task.Endpoint)...)
	if err != nil {
		return fmt.Errorf("making the client: %w", err)
	}
	call := service.Projects.Locations.Repositories.Workspaces.ReadFile(task.File.Workspace).Path(task.File.Path).Context(ctx)
	if task.File.Revision != "" {
		call.Revision(task.File.Revision)
	}
	var answer *dataform.ReadFileResponse
	err = s.try(ctx, func() (err error) {
		answer, err = call.Do()
		return s.classify(err)
	})
	if err != nil {
		return err
	}
	// An empty file comes as no contents at all.
	contents, err := base64.StdEncoding.DecodeString(answer.FileContents)
	if err != nil {
		return fail(result.Unavailable, "the contents are not base64: %w", err)
	}
	report.PackFile(contents)
	report.Reason, report.Message = result.Fetched, fmt.Sprintf("The file has %d bytes", len(contents))
	return nil
}

// options let the API's client send through ours, to another endpoint if need be.
func options(client *http.Client, endpoint string) []option.ClientOption {
	o := []option.ClientOption{option.WithHTTPClient(client)}
	if endpoint != "" {
		o = append(o, option.WithEndpoint(endpoint))
	}
	return o
}
