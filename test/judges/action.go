// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Act does to the resource what the action of Argo CD with that name does, if it is offered for it, and returns
// the annotations that it then has.
func (j *Judges) Act(object *unstructured.Unstructured, name string) (map[string]string, error) {
	var actions struct {
		Discovery   string `json:"discovery.lua"`
		Definitions []struct {
			Name   string
			Action string `json:"action.lua"`
		}
	}
	gvk := object.GroupVersionKind()
	if err := yaml.UnmarshalStrict([]byte(j.actions[gvk.Group+"_"+gvk.Kind]), &actions); err != nil {
		return nil, err
	}
	offered, err := execute(actions.Discovery, object)
	if err != nil {
		return nil, err
	}
	if table, ok := offered.(*lua.LTable); !ok || table.RawGetString(name) == lua.LNil {
		return nil, fmt.Errorf("for %s %s is not offered", gvk.Kind, name)
	}
	for _, definition := range actions.Definitions {
		if definition.Name == name {
			return annotationsOf(execute(definition.Action, object))
		}
	}
	return nil, fmt.Errorf("there is no definition of %s", name)
}

func annotationsOf(returned lua.LValue, err error) (map[string]string, error) {
	if err != nil {
		return nil, err
	}
	object, ok := returned.(*lua.LTable)
	if !ok {
		return nil, fmt.Errorf("the action returned a %s", returned.Type())
	}
	metadata, ok := object.RawGetString("metadata").(*lua.LTable)
	if !ok {
		return nil, errors.New("the action returned no metadata")
	}
	annotations := map[string]string{}
	if table, ok := metadata.RawGetString("annotations").(*lua.LTable); ok {
		table.ForEach(func(key, value lua.LValue) { annotations[key.String()] = value.String() })
	}
	return annotations, nil
}
