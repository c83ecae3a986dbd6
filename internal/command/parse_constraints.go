// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"

	"github.com/gcloud-operator/gcloud-operator/internal/command/tree"
)

// constraints checks that what is required was written, and that arguments which exclude each other were not.
func (p *parser) constraints() {
	if g := p.deepest.Constraints(); g != nil {
		p.group(g, true, true)
	}
}

// group checks one group of arguments, and says whether any of it was written. mandatory says that all groups round it
// are required.
func (p *parser) group(g *tree.Group, mandatory, top bool) bool {
	var have, need []*tree.Group
	for _, m := range g.Of {
		switch {
		case p.wrote(m, mandatory):
			have = append(have, m)
		case m.Required != 0:
			need = append(need, m)
		}
	}
	if len(need) > 0 && (top || len(have) > 0) {
		p.missing(have, need, top)
	}
	if g.Exclusive == 0 {
		return len(have) > 0
	}
	switch n := destinations(have); {
	case n > 1:
		p.refuse(ConflictingFlags, names(have, " "), fmt.Sprintf("%s exclude each other", names(have, " and ")), "Keep one of them.")
	case n == 0 && mandatory && g.Required != 0 && len(need) == 0 && !top:
		p.refuse(MissingArgument, p.command.Name(), fmt.Sprintf("one of %s is missing", names(g.Of, ", ")), "Add exactly one of them.")
	}
	return len(have) > 0
}

func (p *parser) wrote(m *tree.Group, mandatory bool) bool {
	if m.Of != nil {
		return p.group(m, mandatory && m.Required != 0, false)
	}
	return p.specified[m.Dest]
}

func (p *parser) missing(have, need []*tree.Group, top bool) {
	for _, m := range need {
		if m.Of != nil && m.Exclusive != 0 && top {
			continue // its own check says so
		}
		message := fmt.Sprintf("%s is missing", m.Describe())
		if !top {
			message = fmt.Sprintf("%s needs %s too", names(have, " and "), m.Describe())
		}
		p.refuse(MissingArgument, p.command.Name(), message, p.missingFix(m))
	}
}

func (p *parser) missingFix(m *tree.Group) string {
	if asked := m.Asked(); len(asked) == 1 {
		return p.missingFix(asked[0])
	}
	if m.Of == nil && strings.HasPrefix(m.Name, "-") {
		if f := p.deepest.Flag(m.Name); f != nil && f.Boolean() {
			return fmt.Sprintf("Add %s.", m.Name)
		}
		return fmt.Sprintf("Add %s=VALUE.", m.Name)
	}
	if m.Of == nil {
		return fmt.Sprintf("Write the %s after %s.", m.Name, nodeName(p.deepest))
	}
	return fmt.Sprintf("Add %s.", strings.Trim(m.Describe(), "()"))
}

// destinations counts what was written; flags that set the same count once.
func destinations(have []*tree.Group) int {
	seen := map[string]bool{}
	groups := 0
	for _, m := range have {
		if m.Of != nil {
			groups++
		} else {
			seen[m.Dest] = true
		}
	}
	return len(seen) + groups
}

func names(members []*tree.Group, separator string) string {
	all := make([]string, len(members))
	for i, m := range members {
		all[i] = m.Describe()
	}
	return strings.Join(all, separator)
}
