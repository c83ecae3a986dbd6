// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

const (
	severityError   = "error"
	severityWarning = "warning"
)

func report(w io.Writer, form string, found []finding) error {
	write := map[string]func(io.Writer, finding) error{"text": writeText, "json": writeJSON, "github": writeGitHub}[form]
	for _, f := range found {
		if err := write(w, f); err != nil {
			return err
		}
	}
	return nil
}

func writeText(w io.Writer, f finding) error {
	_, err := fmt.Fprintf(w, "%s:%d: %s: %s %s: %s (%s)\n", f.File, f.Line, f.Severity, f.Resource, f.Field, f.Violation, f.Rule)
	return err
}

func writeJSON(w io.Writer, f finding) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(f)
}

// writeGitHub writes a command that a GitHub workflow shows beside the line.
func writeGitHub(w io.Writer, f finding) error {
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	_, err := fmt.Fprintf(w, "::%s file=%s,line=%d,title=%s::%s\n", f.Severity, property.Replace(f.File), f.Line, property.Replace(string(f.Rule)), data.Replace(f.Resource+" "+f.Field+": "+f.String()))
	return err
}
