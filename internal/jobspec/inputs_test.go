// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestInputsAreSplitWhereAConfigMapIsFull(t *testing.T) {
	for name, c := range map[string]struct {
		sizes []int
		want  []int // how many files each ConfigMap holds
	}{
		"no files need no ConfigMap":            {nil, nil},
		"an empty file is a file":               {[]int{0}, []int{1}},
		"a file of exactly 1 MiB":               {[]int{1 << 20}, []int{1}},
		"two files of together exactly 1 MiB":   {[]int{1<<20 - 1, 1}, []int{2}},
		"two files of together 1 MiB and one":   {[]int{1 << 20, 1}, []int{1, 1}},
		"an empty file beside a full ConfigMap": {[]int{1 << 20, 0}, []int{2}},
		"three large files":                     {[]int{700_000, 700_000, 700_000}, []int{1, 1, 1}},
		"small files after a large one":         {[]int{1 << 20, 10, 10, 10}, []int{1, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			p := plan()
			for i, size := range c.sizes {
				withInput(fmt.Sprintf("%03d", i), strings.Repeat("x", size))(&p)
			}
			var got []int
			for _, m := range InputConfigMaps(p, attempt()) {
				got = append(got, len(m.BinaryData))
				total := 0
				for key, value := range m.BinaryData {
					total += len(value)
					if errs := validation.IsConfigMapKey(key); len(errs) > 0 {
						t.Errorf("key %q: %v", key, errs)
					}
				}
				if total > 1<<20 {
					t.Errorf("ConfigMap %s holds %d bytes", m.Name, total)
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got ConfigMaps of %v files, want %v", got, c.want)
			}
		})
	}
}

func TestMountedFilesAreTheInputs(t *testing.T) {
	big := strings.Repeat("x", 1<<20)
	p := plan(withInput("z.txt", "z"), withInput("deep/er/a.yaml", "a"), withInput("big", big), withInput("more", "m"))
	got := mounted(t, p, InputConfigMaps(p, attempt()))
	want := map[string]string{"z.txt": "z", "deep/er/a.yaml": "a", "big": big, "more": "m"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got the files %v", keys(got))
	}
}

// A ConfigMap that is there already is taken as it is: the same name has to be the same contents.
func TestConfigMapsOfAnEarlierRunServeTheFilesInAnotherOrder(t *testing.T) {
	before := InputConfigMaps(plan(withInput("a", "1"), withInput("b", "2")), attempt())
	after := plan(withInput("b", "2"), withInput("a", "1"))
	if now := InputConfigMaps(after, attempt()); now[0].Name != before[0].Name {
		return // another name: another ConfigMap is made
	}
	if got, want := mounted(t, after, before), (map[string]string{"a": "1", "b": "2"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNameOfAConfigMapIsThatOfItsContents(t *testing.T) {
	name := func(a Attempt, changes ...func(*Plan)) string { return InputConfigMaps(plan(changes...), a)[0].Name }
	base := name(attempt(), withInput("a", "1"))
	for title, c := range map[string]struct {
		got  string
		same bool
	}{
		"the next run with the same files":       {name(attempt(func(a *Attempt) { a.Number = 2 }), withInput("a", "1")), true},
		"other contents":                         {name(attempt(), withInput("a", "2")), false},
		"another path":                           {name(attempt(), withInput("b", "1")), false},
		"a file more":                            {name(attempt(), withInput("a", "1"), withInput("b", "")), false},
		"the same files of a resource made anew": {name(attempt(func(a *Attempt) { a.Owner.UID = "0b1c" }), withInput("a", "1")), false},
	} {
		if (c.got == base) != c.same {
			t.Errorf("%s: got %s beside %s", title, c.got, base)
		}
	}
}

// mounted returns the files that the plan's Job mounts out of the ConfigMaps, by path.
func mounted(t *testing.T, p Plan, maps []*corev1.ConfigMap) map[string]string {
	t.Helper()
	byName := map[string]*corev1.ConfigMap{}
	for _, m := range maps {
		byName[m.Name] = m
	}
	files := map[string]string{}
	for _, v := range Job(p, attempt()).Spec.Template.Spec.Volumes {
		if v.Projected == nil {
			continue
		}
		for _, source := range v.Projected.Sources {
			for _, item := range source.ConfigMap.Items {
				data, there := byName[source.ConfigMap.Name].BinaryData[item.Key]
				if !there {
					t.Errorf("ConfigMap %s has no key %s", source.ConfigMap.Name, item.Key)
				}
				files[item.Path] = string(data)
			}
		}
	}
	return files
}

func keys(m map[string]string) []string {
	var names []string
	for k := range m {
		names = append(names, k)
	}
	return names
}
