// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

const (
	inlineBytes  = 64 << 10 // what stands in a status
	captureBytes = 4 << 20  // what is kept at all
)

// objects are contents of every size at which something changes on the way of a result.
func objects() map[string][]byte {
	text := func(n int) []byte { return bytes.Repeat([]byte("0123456789abcde\n"), n/16+1)[:n] }
	noise := make([]byte, 3<<20)
	rand.NewChaCha8([32]byte{1}).Read(noise)
	dense := []byte(base64.StdEncoding.EncodeToString(noise)) // text that can't be compressed
	o := map[string][]byte{
		"nothing":                    {},
		"one byte":                   []byte("x"),
		"no newline at last":         []byte("first\nlast"),
		"carriage returns":           []byte("a\r\nb\rc\r\n"),
		"colours":                    []byte("\x1b[1;31mred\x1b[0m\n"),
		"a NUL and half a character": {'a', 0, 'b', 0xc3},
		"256 KiB of <":               bytes.Repeat([]byte("<"), 256<<10),
		"256 KiB of controls":        bytes.Repeat([]byte{7}, 256<<10),
		"1 MiB of text":              text(1 << 20),
		"1 MiB of noise":             noise[:1<<20],
		"3 MB on one line":           dense[:3_000_000],
		"1 MB of 10-byte lines":      bytes.Repeat([]byte("123456789\n"), 100_000),
	}
	for _, n := range []int{4095, 4096, 4097} {
		o[fmt.Sprintf("%d bytes of noise", n)] = noise[:n]
	}
	for _, n := range []int{inlineBytes - 1, inlineBytes, inlineBytes + 1} {
		o[fmt.Sprintf("%d bytes on one line", n)] = dense[:n]
	}
	for _, n := range []int{captureBytes - 1, captureBytes} {
		o[fmt.Sprintf("%d bytes of text", n)] = text(n)
	}
	return o
}

func TestOutputOfEveryKindAndSizeComesBackByteForByte(t *testing.T) {
	contents := objects()
	named := map[string][]byte{}
	names := slices.Sorted(maps.Keys(contents))
	for i, name := range names {
		named[fmt.Sprintf("o%d", i)] = contents[name]
	}
	bucket := serveObjects(t, named)
	for i, name := range names {
		t.Run(name, func(t *testing.T) {
			object := fmt.Sprintf("o%d", i)
			cat := gcloudRun("cat-"+object, "gcloud storage cat "+bucket+"/"+object+" --project=my-project").succeed(t)
			if got := whole(t, cat.Status.Response.Stdout, cat.Status.Response.StdoutInfo); !bytes.Equal(got, contents[name]) {
				t.Errorf("stdout has %d bytes, which aren't the %d of the object", len(got), len(contents[name]))
			}
			if len(contents[name]) >= captureBytes-1 {
				return // `cp` writes to its stderr, too, and the cap is on everything together
			}
			cp := gcloudRun("cp-"+object, "gcloud storage cp "+bucket+"/"+object+" . --project=my-project").succeed(t)
			if got := outputFile(t, cp, object); !bytes.Equal(got, contents[name]) {
				t.Errorf("the file has %d bytes, which aren't the %d of the object", len(got), len(contents[name]))
			}
		})
	}
}

func TestTooMuchOutputIsCutInTheMiddleAndSaysSo(t *testing.T) {
	for name, size := range map[string]int{"over": captureBytes + 1, "huge": 50_000_000} {
		t.Run(name, func(t *testing.T) {
			object := bytes.Repeat([]byte("123456789\n"), size/10+1)[:size]
			bucket := serveObjects(t, map[string][]byte{"o": object})
			g := gcloudRun("cut-"+name, "gcloud storage cat "+bucket+"/o --project=my-project").succeed(t)

			info := g.Status.Response.StdoutInfo
			if !info.Truncated || info.Bytes != int64(size) || info.SHA256 != sha256Of(object) {
				t.Fatalf("the status says %+v of %d bytes", info, size)
			}
			kept := parts(t, info)
			if len(kept) < captureBytes/2 || len(kept) > captureBytes {
				t.Errorf("%d bytes were kept, want nearly %d", len(kept), captureBytes)
			}
			head, tail := kept[:info.HeadBytes], kept[info.HeadBytes:]
			if !bytes.HasPrefix(object, head) || !bytes.HasSuffix(object, tail) {
				t.Error("what was kept are not the beginning and the end")
			}
			expectContains(t, "stdout in the status", g.Status.Response.Stdout, "bytes are not shown here")
		})
	}
}

func TestOutputThatGoesToASecretStandsNowhereElse(t *testing.T) {
	secret := []byte("ya29." + credential("output for a Secret") + "\n" + strings.Repeat("more of it\n", 20_000))
	bucket := serveObjects(t, map[string][]byte{"o": secret})
	g := gcloudRun("sealed", "gcloud storage cat "+bucket+"/o --project=my-project").outputSecret("sealed-output").succeed(t)

	part := g.Status.Response.StdoutInfo.Secret
	if part == nil || g.Status.Response.Stdout != "" || g.Status.Response.StdoutInfo.Bytes != int64(len(secret)) {
		t.Fatalf("the response is %+v", g.Status.Response)
	}
	if got := secretData(t, *part); !bytes.Equal(got, secret) {
		t.Errorf("the Secret has %d bytes, which aren't the %d of the object", len(got), len(secret))
	}
	everything := kubectl(t, "get", "gcloudrun,job,pod,configmap,event", "-o", "yaml") + kubectl(t, "logs", g.Status.Run.PodName)
	if len(credentials.Find([]byte(everything))) > 0 || strings.Contains(everything, "more of it") {
		t.Error("the output stands elsewhere, too")
	}
}

func TestInputFilesComeFromConfigMapsAndSecrets(t *testing.T) {
	flags := database(t, "sources", "CREATE TABLE T (Id INT64) PRIMARY KEY (Id);")
	secret := makeSecret(t, "tables", map[string]string{"ddl": "-- " + credential("a Secret with a file") + "\nCREATE TABLE FromSecret (Id INT64) PRIMARY KEY (Id)"})
	gcloudRun("from-secret", "gcloud spanner databases ddl update db --ddl-file=in/tables.ddl --async"+flags).
		inputFrom("in/tables.ddl", v1alpha1.ContentsSource{SecretKeyRef: &v1alpha1.KeyRef{Name: secret, Key: "ddl"}}).succeed(t)

	late := gcloudRun("from-configmap", "gcloud spanner databases ddl update db --ddl-file=tables.ddl --async"+flags).
		inputFrom("tables.ddl", v1alpha1.ContentsSource{ConfigMapKeyRef: &v1alpha1.KeyRef{Name: "late", Key: "ddl"}})
	expectReason(t, late.run(t), v1alpha1.ReasonInputMissing)
	makeConfigMap(t, "late", map[string]string{"ddl": "CREATE TABLE FromConfigMap (Id INT64) PRIMARY KEY (Id)"})
	eventually(t, "the command runs once its input is there", func() bool {
		g := late.finished(t)
		return g.Status.Run != nil && g.Status.Run.Reason == v1alpha1.ReasonSucceeded
	})
	tables := gcloudRun("sources-tables", "gcloud spanner databases ddl describe db"+flags).succeed(t)
	expectContains(t, "the tables", tables.Status.Response.Stdout, "CREATE TABLE FromSecret", "CREATE TABLE FromConfigMap")
}

func TestAMissingSecretIsSaidAtOnce(t *testing.T) {
	g := gcloudRun("no-secret", "gcloud version --project=my-project").
		inputFrom("x", v1alpha1.ContentsSource{SecretKeyRef: &v1alpha1.KeyRef{Name: "nowhere", Key: "k"}}).run(t)

	expectReason(t, g, v1alpha1.ReasonInputMissing)
}

func TestAPodThatIsDeletedWhileItRunsLosesNothingOfItsOutput(t *testing.T) {
	noise := objects()["1 MiB of noise"]
	bucket := serveObjects(t, map[string][]byte{"o": noise, hangs: []byte("never")})
	b := gcloudRun("drained", "gcloud storage cat "+bucket+"/o "+bucket+"/"+hangs+" --project=my-project").timeout(5 * time.Minute).apply(t)
	g := b.GcloudRun
	eventually(t, "the command runs", func() bool {
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(g), g); err != nil {
			t.Fatal(err)
		}
		return g.Status.Run != nil && g.Status.Run.StartTime != nil
	})
	time.Sleep(3 * time.Second) // the first object comes through
	if err := cluster.Delete(t.Context(), podOf(t, g)); err != nil {
		t.Fatal(err)
	}
	g = b.finished(t)
	expectReason(t, g, v1alpha1.ReasonTerminated)
	if got := whole(t, g.Status.Response.Stdout, g.Status.Response.StdoutInfo); !bytes.Equal(got, noise) {
		t.Errorf("stdout has %d bytes, which aren't the %d that were printed", len(got), len(noise))
	}
}
