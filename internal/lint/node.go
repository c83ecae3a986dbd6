// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"regexp"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// manifest is a resource as written, with the lines where its fields stand.
type manifest struct{ root *yaml.Node }

// name is the resource's name, with its namespace if that is written.
func (m manifest) name() string {
	metadata := get(m.root, "metadata")
	name := text(get(metadata, "name"))
	if name == "" {
		name = text(get(metadata, "generateName"))
	}
	if namespace := text(get(metadata, "namespace")); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// step is one element of a field's path: a name, or an index in brackets.
var step = regexp.MustCompile(`[^.\[\]]+|\[[0-9]+\]`)

// line is where a field stands, or where the innermost field around it does.
func (m manifest) line(field string) int {
	node, line := m.root, m.root.Line
	for _, s := range step.FindAllString(field, -1) {
		key, next := child(node, s)
		if next == nil {
			break
		}
		node, line = next, key.Line
	}
	return line
}

// text is the value of a field, "" where there is none.
func (m manifest) text(field string) string {
	node := m.root
	for _, s := range step.FindAllString(field, -1) {
		_, node = child(node, s)
	}
	return text(node)
}

// child finds an element of a field's path, and the node that has its line.
func child(node *yaml.Node, s string) (key, value *yaml.Node) {
	if s[0] != '[' {
		return pair(node, s)
	}
	i, err := strconv.Atoi(s[1 : len(s)-1])
	if all := items(node); err == nil && i < len(all) {
		return all[i], all[i]
	}
	return nil, nil
}

// pair finds a key of a mapping.
func pair(node *yaml.Node, name string) (key, value *yaml.Node) {
	node = resolve(node)
	if node == nil || node.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == name {
			return node.Content[i], node.Content[i+1]
		}
	}
	return nil, nil
}

func get(node *yaml.Node, name string) *yaml.Node {
	_, value := pair(node, name)
	return resolve(value)
}

func items(node *yaml.Node) []*yaml.Node {
	if node = resolve(node); node == nil || node.Kind != yaml.SequenceNode {
		return nil
	}
	return node.Content
}

// text is the value of a scalar; of anything else, what it is, so that the rules refuse it.
func text(node *yaml.Node) string {
	switch node = resolve(node); {
	case node == nil || node.Tag == "!!null":
		return ""
	case node.Kind != yaml.ScalarNode:
		return fmt.Sprintf("a list or mapping on line %d", node.Line)
	}
	return node.Value
}

func resolve(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}
