// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// benchmarkLines are commands of all kinds: admitted, refused with suggestions, with many flags, long.
func benchmarkLines() []string {
	lines := []string{
		`gcloud logging read "severity>=ERROR AND resource.type='gce_instance'" --limit=10 --order=DESC --project=my-project`,
		"gcloud compute instances create vm-1 vm-2 --zone=us-central1-a --machine-type=e2-small --labels=a=b,c=d --metadata=a=b --tags=x,y --network-interface=network=default,no-address --async --project=my-project",
		"gcloud compute instances create vm-1 --zone=us-central1-a --machine-typ=e2-small --lables=a=b --tgs=x --netwrk=default --project=my-project",
		"gcloud container clusters create c --region=r --num-nodes=3 --enable-autoscaling --min-nodes=1 --max-nodes=5 --async --project=my-project",
		"gcloud compute instnces list --project=my-project", "gcloud comput instances list --project=my-project",
		"gcloud compute instances list " + strings.Repeat("vm ", 500) + "--project=my-project",
		"gcloud compute instances add-labels vm --labels=" + strings.Repeat("a=b,", 500) + "c=d --zone=z --project=my-project",
	}
	for line := range bypasses {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func BenchmarkCheck(b *testing.B) {
	lines := benchmarkLines()
	r := admitted()
	Policy{}.Check(r) // loads the tree
	durations := make([]time.Duration, 0, b.N)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		r.Command = lines[i%len(lines)]
		i++
		start := time.Now()
		Policy{}.Check(r)
		durations = append(durations, time.Since(start))
	}
	slices.Sort(durations)
	b.ReportMetric(float64(durations[len(durations)*99/100].Microseconds()), "p99-µs")
}

func BenchmarkLongestCommand(b *testing.B) {
	r := admitted()
	for name, line := range map[string]string{
		"words":        "gcloud compute instances list " + strings.Repeat("vm ", 5000),
		"unknown":      "gcloud compute instances create " + strings.Repeat("--machine-typ=x ", 1000),
		"list":         "gcloud compute instances add-labels vm --labels=" + strings.Repeat("a=b,", 4000),
		"repeated":     "gcloud compute instances list " + strings.Repeat("--limit=5 ", 1600),
		"single quote": "gcloud compute instances list '" + strings.Repeat("x", 16000) + "'",
	} {
		b.Run(name, func(b *testing.B) {
			r.Command = line
			for b.Loop() {
				Policy{}.Check(r)
			}
		})
	}
}

func BenchmarkLoadTree(b *testing.B) {
	for b.Loop() {
		if _, err := tree.Decode(tree.Embedded()); err != nil {
			b.Fatal(err)
		}
	}
}

// The bars of one admission and of the tree. They are far from what is measured, so that a slow machine doesn't fail.
func TestTheTreeIsSmallAndLoadsFast(t *testing.T) {
	before := heap()
	start := time.Now()
	loaded, err := tree.Decode(tree.Embedded())
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(start)
	size := heap() - before
	t.Logf("%.1f MiB, loaded in %s", float64(size)/(1<<20), took.Round(time.Millisecond))
	if size > 20<<20 {
		t.Errorf("the tree takes %d bytes, want at most 20 MiB", size)
	}
	runtime.KeepAlive(loaded)
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func ExamplePolicy_Check() {
	_, verdict := Policy{}.Check(Request{Project: "projects/my-project", Command: "gcloud projects lst --project=my-project"})
	for _, v := range verdict.Errors {
		fmt.Println(v)
	}
	// Output: gcloud projects has no command "lst". Write gcloud projects list.
}
