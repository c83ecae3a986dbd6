// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// maxLine is the longest command line that is read, in bytes.
const maxLine = 4 << 20

// lineVerdict is what is written of one command line.
type lineVerdict struct {
	Command    string    `json:"command"`
	OK         bool      `json:"ok"`
	Path       string    `json:"path"` // the command's canonical words after gcloud, release track first
	Argv       []string  `json:"argv"`
	Violations []problem `json:"violations"`
	Warnings   []problem `json:"warnings,omitempty"`
}

type problem struct {
	Rule    command.Rule `json:"rule"`
	Message string       `json:"message"`
	Fix     string       `json:"fix"`
}

func lintCommandLines(o options, stdin io.Reader, stdout io.Writer) (bool, error) {
	out := bufio.NewWriter(stdout)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	clean := true
	for _, path := range o.paths {
		err := eachLine(path, stdin, func(line string) error {
			v := judge(o, line)
			clean = clean && v.OK
			return encoder.Encode(v)
		})
		if err != nil {
			return false, errors.Join(err, out.Flush())
		}
	}
	return clean, out.Flush()
}

// eachLine calls f for each line of a file, or of standard input.
func eachLine(path string, stdin io.Reader, f func(string) error) error {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		stdin = file
	}
	lines := bufio.NewScanner(stdin)
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		if err := f(lines.Text()); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("reading %s: %w", path, err)
	}
	return nil
}

// judge checks one command. What is wrong with other fields than spec.command can't be said of a line.
func judge(o options, line string) lineVerdict {
	var c command.Command
	var verdict command.Verdict
	if o.parseOnly {
		c, verdict.Errors = command.Parse(line)
	} else {
		c, verdict = o.policy.Check(command.Request{Command: line})
	}
	v := lineVerdict{
		Command:    line,
		Path:       strings.Join(c.Words(), " "),
		Argv:       append([]string{}, c.Argv...), // [] rather than null
		Violations: problems(verdict.Errors),
		Warnings:   problems(verdict.Warnings),
	}
	v.OK = len(v.Violations) == 0
	return v
}

func problems(violations []command.Violation) []problem {
	out := []problem{}
	for _, v := range violations {
		if v.Field == "spec.command" {
			out = append(out, problem{v.Rule, v.Message, v.Fix})
		}
	}
	return out
}
