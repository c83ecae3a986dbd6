// SPDX-License-Identifier: Apache-2.0

package tree

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

// Group is a required argument, or arguments that are checked together.
type Group struct {
	Name      string   `json:"n,omitempty"` // of a single argument
	Dest      string   `json:"d,omitempty"` // of a single argument
	Required  int      `json:"r,omitempty"`
	Exclusive int      `json:"x,omitempty"` // at most one member may be written
	Of        []*Group `json:"of,omitempty"`
}

// Type says what the values of an argument must be like. Which fields count depends on Kind.
type Type struct {
	Kind string `json:"k"`

	// int, float, bounded, duration (seconds) and size (bytes)
	Low       *float64           `json:"lo,omitempty"`
	High      *float64           `json:"hi,omitempty"`
	Unlimited int                `json:"unlimited,omitempty"` // "unlimited" is a value too
	Unit      string             `json:"unit,omitempty"`      // of a number without unit
	Scales    map[string]float64 `json:"scales,omitempty"`
	Suffix    string             `json:"abbr,omitempty"` // what may stand after a size's unit, such as B

	// regexp
	Pattern string `json:"p,omitempty"`
	Text    string `json:"text,omitempty"`

	// bool
	True   []string `json:"true,omitempty"`
	False  []string `json:"false,omitempty"`
	Strict int      `json:"strict,omitempty"` // the case of letters counts

	// list, dict, object and choice
	Of        *Type            `json:"of,omitempty"`
	Choices   []string         `json:"choices,omitempty"`
	Min       int              `json:"min,omitempty"`
	Max       *int             `json:"max,omitempty"`
	Delimiter string           `json:"delim,omitempty"`
	JSON      int              `json:"json,omitempty"` // delimiters inside brackets separate nothing
	Key       *Type            `json:"key,omitempty"`
	KeyOnly   int              `json:"keyonly,omitempty"`
	Required  []string         `json:"required,omitempty"`
	Clean     int              `json:"clean,omitempty"` // white space and double quotes round keys and values go
	Spec      map[string]*Type `json:"spec,omitempty"`
	Operators map[string]*Type `json:"ops,omitempty"`
	Repeated  int              `json:"repeated,omitempty"`
	Shorthand int              `json:"shorthand,omitempty"`
	Upload    int              `json:"upload,omitempty"`
	Keyed     int              `json:"keyed,omitempty"`

	// func: a function of gcloud that is not reproduced here
	Name  string `json:"name,omitempty"`
	Total int    `json:"total,omitempty"` // it refuses nothing
}

// lazy is a value that is decoded from JSON when it is asked for first. Most of the tree never is.
type lazy[T any] struct {
	text  string
	once  sync.Once
	value *T
}

func (l *lazy[T]) get() *T {
	if l == nil {
		return nil
	}
	l.once.Do(func() {
		l.value = new(T)
		if err := json.Unmarshal([]byte(l.text), l.value); err != nil {
			panic(fmt.Sprintf("embedded command tree: %v in %s", err, l.text)) // the generator has decoded it before
		}
	})
	return l.value
}

// Describe names what the group asks for: "--zone", "(--labels or --clear-labels)", "(--network and --subnet)". Members that
// may be left out beside required ones are not named.
func (g *Group) Describe() string {
	members := g.Asked()
	if len(members) == 0 {
		return g.Name
	}
	parts := make([]string, 0, len(members))
	for _, m := range members {
		parts = append(parts, m.Describe())
	}
	if len(parts) == 1 {
		return parts[0]
	}
	separator := " and "
	if g.Exclusive != 0 {
		separator = " or "
	}
	return "(" + strings.Join(parts, separator) + ")"
}

// Asked are the members of a group that are required once any of it is written; all of them if none is.
func (g *Group) Asked() []*Group {
	var required []*Group
	for _, m := range g.Of {
		if m.Required != 0 {
			required = append(required, m)
		}
	}
	if g.Exclusive != 0 || len(required) == 0 {
		return g.Of
	}
	return required
}
