// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	kjson "sigs.k8s.io/json"

	"github.com/gcloud-operator/gcloud-operator/internal/command"
)

// Rules of what a manifest is made of.
const (
	ruleFieldType    command.Rule = "FieldType"
	ruleUnknownField command.Rule = "UnknownField"
	ruleUnknownKind  command.Rule = "UnknownKind"
)

// decode reads a manifest into its type, and says which of its fields that doesn't have: the API server
// drops those, unless it is asked not to. It is not ok when nothing else can be said of the manifest.
func decode(m manifest, into any) (errs []command.Violation, ok bool) {
	if errs := m.noDurations(); len(errs) > 0 {
		return errs, false
	}
	data, err := m.json()
	if err == nil {
		err = json.Unmarshal(data, into) // whose errors name the field
	}
	if err != nil {
		return []command.Violation{ofType(err)}, false
	}
	unknown, err := kjson.UnmarshalStrict(data, into)
	if err != nil {
		return []command.Violation{ofType(err)}, false
	}
	return m.unknownFields(unknown, reflect.TypeOf(into)), true
}

func (m manifest) json() ([]byte, error) {
	var loose any
	if err := m.root.Decode(&loose); err != nil {
		return nil, err
	}
	return json.Marshal(loose)
}

// ofType is an error of decoding, at its field if that is known.
func ofType(err error) command.Violation {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return command.Violation{
			Rule: ruleFieldType, Field: wrong.Field, Value: wrong.Value,
			Message: "is " + inYAML(wrong.Value), Fix: fmt.Sprintf("Write %s.", inYAML(wrong.Type.Kind().String())),
		}
	}
	return command.Violation{Rule: ruleFieldType, Field: "spec", Message: err.Error()}
}

// inYAML is what people call a type of JSON or of Go who write YAML.
func inYAML(kind string) string {
	switch kind {
	case "array", "slice":
		return "a list"
	case "object", "struct", "map":
		return "a mapping"
	case "bool":
		return "true or false, without quotes"
	case "string":
		return "a string"
	}
	return "a number"
}

// durations are the fields that hold one. Its own error doesn't say in which field it stands.
var durations = []string{"spec.timeout", "spec.interval", "spec.retry.backoff"}

func (m manifest) noDurations() []command.Violation {
	var found []command.Violation
	for _, path := range durations {
		value := m.text(path)
		if _, err := time.ParseDuration(value); value == "" || err == nil {
			continue
		}
		found = append(found, command.Violation{
			Rule: ruleFieldType, Field: path, Value: value,
			Message: fmt.Sprintf("%q is no duration", value), Fix: "Write hours, minutes or seconds, such as 24h, 10m or 90s.",
		})
	}
	return found
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

func (m manifest) unknownFields(errs []error, into reflect.Type) []command.Violation {
	var found []command.Violation
	for _, err := range errs {
		at, ok := errors.AsType[kjson.FieldError](err)
		if !ok {
			continue // a field that stands twice, which YAML refuses before
		}
		path := strings.Split(index.ReplaceAllString(at.FieldPath(), ""), ".")
		above, name := path[:len(path)-1], path[len(path)-1]
		fix := "See which there are: kubectl explain " + strings.Join(append([]string{strings.ToLower(text(get(m.root, "kind")))}, above...), ".")
		if near := command.Nearest(name, slices.Sorted(maps.Keys(fieldsOf(into, above)))); near != "" {
			fix = "Write " + near + ". " + fix
		}
		found = append(found, command.Violation{Rule: ruleUnknownField, Field: at.FieldPath(), Message: "there is no such field", Fix: fix})
	}
	return found
}

// fieldsOf are the fields of what stands at the path in a value of the type, by their names in YAML.
func fieldsOf(t reflect.Type, path []string) map[string]reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	fields := map[string]reflect.Type{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			fields[name] = f.Type
		} else if f.Anonymous {
			maps.Copy(fields, fieldsOf(f.Type, nil))
		}
	}
	if len(path) == 0 {
		return fields
	}
	next, ok := fields[path[0]]
	if !ok {
		return nil
	}
	return fieldsOf(next, path[1:])
}
