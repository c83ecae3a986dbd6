// SPDX-License-Identifier: Apache-2.0

// Package commandtest makes command lines for tests.
package commandtest

import (
	"iter"
	"math/rand/v2"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// pieces are what the values in Lines are made of: all that a shell, Kubernetes, JSON or gcloud could
// take for more than text.
var pieces = []string{
	"a", "zone", " ", "  ", "'", `"`, `\`, "$", "$$", "$(HOME)", "$(GCLOUD_OPERATOR_TASK)", "${HOME}", "`id`", "|", ";", "&", "<", ">", "*", "?", "[a]", "{b,c}",
	"~", "#", "!", "%", "=", ",", ":", "^:^", "@file", "ü", "日本", "😀", "-", "--", "/", "..", "0", "-5", "\t", "null", "true", `\u0024`, `\n`, "(", ")",
}

// Lines are command lines without end, the same for each seed, with random text in their values,
// quoted in one of the ways there are. Not all are admitted. The pieces take turns at beginning a
// value, so that none is left out.
func Lines(seed uint64) iter.Seq[string] {
	random := rand.New(rand.NewPCG(seed, seed))
	return func(yield func(string) bool) {
		for turn := 0; ; turn++ {
			value := text(random, pieces[turn%len(pieces)])
			if !yield(line(random, value)) {
				return
			}
		}
	}
}

// text is the piece and up to five others after it.
func text(random *rand.Rand, first string) string {
	b := strings.Builder{}
	b.WriteString(first)
	for range random.IntN(6) {
		b.WriteString(pieces[random.IntN(len(pieces))])
	}
	return b.String()
}

// line is a command with the value in one of the places there are for it.
func line(random *rand.Rand, value string) string {
	words := [][]string{
		{"gcloud", "logging", "read", value, "--limit=5", "--project=my-project"},
		{"gcloud", "logging", "write", "log", value, "--project=my-project"},
		{"gcloud", "compute", "instances", "list", "--filter=" + value, "--project=my-project"},
		{"gcloud", "pubsub", "topics", "publish", "topic", "--message=" + value, "--project=my-project"},
		{"gcloud", "spanner", "databases", "execute-sql", "db", "--instance=i", "--sql=" + value, "--project=my-project"},
		{"gcloud", "beta", "compute", "instances", "describe", "vm", "--zone=z", "--project=my-project", "--format=value(" + value + ")"},
	}
	return command.Quote(words[random.IntN(len(words))])
}
