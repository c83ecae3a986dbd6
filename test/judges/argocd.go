// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// What the keys of argocd-cm begin with that hold health checks, and actions; group_Kind follows.
const (
	healthKey  = "resource.customizations.health."
	actionsKey = "resource.customizations.actions."
)

// loadScripts reads what the kustomization puts into argocd-cm under keys that begin so.
func loadScripts(folder, begins string) (map[string]string, error) {
	var kustomization struct {
		ConfigMapGenerator []struct {
			Name  string
			Files []string
		}
	}
	if err := readYAML(filepath.Join(folder, "kustomization.yaml"), &kustomization); err != nil {
		return nil, err
	}
	scripts := map[string]string{}
	for _, generator := range kustomization.ConfigMapGenerator {
		for _, entry := range generator.Files {
			key, file, _ := strings.Cut(entry, "=")
			kind, wanted := strings.CutPrefix(key, begins)
			known := strings.HasPrefix(key, healthKey) || strings.HasPrefix(key, actionsKey)
			if generator.Name != "argocd-cm" || !known || len(validation.IsConfigMapKey(key)) > 0 {
				return nil, fmt.Errorf("%s in %s is nothing that Argo CD reads", key, generator.Name)
			}
			if !wanted {
				continue
			}
			script, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				return nil, err
			}
			scripts[kind] = string(script)
		}
	}
	return scripts, nil
}

// argoCD asks the health check.
func (j *Judges) argoCD(object *unstructured.Unstructured) (string, error) {
	gvk := object.GroupVersionKind()
	script, ok := j.scripts[gvk.Group+"_"+gvk.Kind]
	if !ok {
		return "", fmt.Errorf("it has no script for %s", gvk.Kind)
	}
	returned, err := execute(script, object)
	if err != nil {
		return "", err
	}
	return health(returned)
}

// execute executes a script as Argo CD does: with the resource as the global obj, the basic functions, those
// for tables and for the time and no others, for a second at most. It returns what the script returns.
func execute(script string, object *unstructured.Unstructured) (lua.LValue, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := state.CallByParam(lua.P{Fn: state.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return nil, err
		}
	}
	state.PreloadModule(lua.OsLibName, safeOS)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	state.SetContext(ctx)
	state.SetGlobal("obj", luaValue(state, object.Object))
	if err := state.DoString(script); err != nil {
		return nil, err
	}
	return state.Get(-1), nil
}

// safeOS is the module os with what tells the time alone.
func safeOS(state *lua.LState) int {
	lua.OpenOs(state)
	whole, safe := state.Get(-1), state.NewTable()
	for _, name := range []string{"date", "time"} {
		safe.RawSetString(name, state.GetField(whole, name))
	}
	state.Push(safe)
	return 1
}

// health takes what a script returned for what Argo CD takes it for.
func health(returned lua.LValue) (string, error) {
	table, ok := returned.(*lua.LTable)
	if !ok {
		return "", fmt.Errorf("the script returned a %s", returned.Type())
	}
	health, message := table.RawGetString("status").String(), table.RawGetString("message")
	if !slices.Contains([]string{"Healthy", "Progressing", "Degraded", "Suspended", "Missing", "Unknown"}, health) {
		return "", fmt.Errorf("the script returned the health %s", health)
	}
	if message.Type() != lua.LTString || message.String() == "" {
		return "", fmt.Errorf("the script returned %s without a message", health)
	}
	return health, nil
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case string:
		return lua.LString(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case []any:
		table := state.NewTable()
		for _, item := range v {
			table.Append(luaValue(state, item))
		}
		return table
	case map[string]any:
		table := state.NewTable()
		for key, item := range v {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	}
	return lua.LNil
}
