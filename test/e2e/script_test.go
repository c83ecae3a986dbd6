// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	configv1alpha1 "github.com/gcloud-operator/gcloud-operator/api/config/v1alpha1"
)

// gcloud writes no bytes of anybody's choice to its stderr. So there are runs of scripts: gcloud's own
// start script is told that Python is a shell, which then executes the run's first input file.
func runScripts(c *configv1alpha1.OperatorConfiguration) {
	c.Gcloud.Env = append(c.Gcloud.Env,
		configv1alpha1.EnvVar{Name: "CLOUDSDK_PYTHON", Value: "sh"}, configv1alpha1.EnvVar{Name: "CLOUDSDK_PYTHON_ARGS", Value: scriptFile})
	c.Gcloud.Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("50m")}
}

const scriptFile = "script"

// script returns a resource that runs the script, under the configuration that runScripts makes.
func script(name, text string) builder {
	return gcloudRun("script-"+name, "gcloud version --project=my-project").inputFile(scriptFile, text)
}

// The operator starts anew to run scripts, so there is one test of all that needs them.
func TestWhatAnyProgramCanPrintComesBack(t *testing.T) {
	defer underConfiguration(t, runScripts)()
	t.Run("stderr of every kind and size", testStderr)
	t.Run("no secret of it stands anywhere, and all else stays", testSecrets)
	t.Run("the end of the log begins in the middle of a line", testEndlessLine)
	t.Run("the log is rotated while the command runs", testRotation)
}

// serve answers requests of the cluster's pods at the URL that it returns.
func serve(t *testing.T, handler http.Handler) (url string) {
	t.Helper()
	return serveAt(t, "0", handler)
}

func serveAt(t *testing.T, port string, handler http.Handler) (url string) {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(nodeAddress, port))
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler}}
	server.Start()
	t.Cleanup(server.Close)
	return server.URL
}
