// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"
)

// The cases are commands on which the parser agreed with gcloud when they were drawn, from the half of the examples that
// was not looked at while the parser was written.
func TestTheParserStillAgreesWithGcloud(t *testing.T) {
	f, err := os.Open("testdata/verdicts.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	n, refused := 0, 0
	for ; lines.Scan(); n++ {
		var v Verdict
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if outcome, detail := Judge(v); outcome != Agreed {
			t.Errorf("%q: %s: %s", v.Argv, outcome, detail)
		}
		if !v.OK {
			refused++
		}
	}
	if err := lines.Err(); err != nil || n < 2000 || refused < n/4 || refused > 3*n/4 {
		t.Errorf("%d cases, %d of which gcloud refuses (%v): want 2000, and enough of both", n, refused, err)
	}
}
