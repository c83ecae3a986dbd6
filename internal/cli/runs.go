// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/util/duration"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

// listRuns prints a table of the runs that are there.
func listRuns(ctx context.Context, s *session, o options) (int, error) {
	list := &v1alpha1.GcloudRunList{}
	namespace := s.namespace
	if o.allNamespaces {
		namespace = ""
	}
	if err := s.client.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return 0, understood(err)
	}
	if len(list.Items) == 0 {
		fmt.Fprintln(s.Err, "kubectl gcloud: there are no runs here")
		return 0, nil
	}
	newestFirst(list.Items)
	streams := s.Streams
	streams.Colour = s.Colour && s.OutTerminal
	_, err := fmt.Fprint(s.Out, table(streams, list.Items, o.allNamespaces, s.now()))
	return 0, err
}

func newestFirst(runs []v1alpha1.GcloudRun) {
	slices.SortStableFunc(runs, func(a, b v1alpha1.GcloudRun) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
}

// reasonColumn is the one that is coloured.
const reasonColumn = "REASON"

func table(streams Streams, runs []v1alpha1.GcloudRun, namespaces bool, now time.Time) string {
	rows := [][]string{{"NAMESPACE", "NAME", reasonColumn, "EXIT", "AGE", "DURATION", "COMMAND"}}
	for _, g := range runs {
		rows = append(rows, []string{g.Namespace, g.Name, readiness(&g).Reason, exitText(&g), duration.HumanDuration(now.Sub(g.CreationTimestamp.Time)), durationText(&g), g.Spec.Command})
	}
	if !namespaces {
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	return layOut(streams, rows)
}

func exitText(g *v1alpha1.GcloudRun) string {
	r := g.Status.Response
	if r == nil || r.ExitCode == nil || g.Status.Run == nil || r.Run != g.Status.Run.Number {
		return ""
	}
	return strconv.FormatInt(*r.ExitCode, 10)
}

func durationText(g *v1alpha1.GcloudRun) string {
	if g.Status.Run == nil {
		return ""
	}
	return g.Status.Run.Duration
}

// layOut pads the cells, all but a row's last, to the width of their column.
func layOut(streams Streams, rows [][]string) string {
	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			text := strings.Join(strings.Fields(cell), " ")
			if i == len(row)-1 {
				b.WriteString(text + "\n")
				break
			}
			padding := strings.Repeat(" ", widest(rows, i)-utf8.RuneCountInString(text)+3)
			if colour := reasonColour(text); rows[0][i] == reasonColumn && colour != "" {
				text = coloured(streams, colour, text)
			}
			b.WriteString(text + padding)
		}
	}
	return b.String()
}

func widest(rows [][]string, column int) int {
	width := 0
	for _, row := range rows {
		width = max(width, utf8.RuneCountInString(row[column]))
	}
	return width
}

func reasonColour(reason string) string {
	switch reason {
	case reasonColumn, "":
		return ""
	case v1alpha1.ReasonSucceeded:
		return green
	case v1alpha1.ReasonPending, v1alpha1.ReasonQueued, v1alpha1.ReasonRunning, v1alpha1.ReasonSuspended, v1alpha1.ReasonHeld:
		return yellow
	}
	return red
}
