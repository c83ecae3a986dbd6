// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/gcloud-operator/gcloud-operator/internal/result"
)

// maxConfigMapBytes is how much one ConfigMap may hold: Kubernetes allows 1,048,576 bytes, counted
// as they are, without the base64 of the transport.
const maxConfigMapBytes = 1 << 20

// InputConfigMaps returns the ConfigMaps that hold the plan's input files. Their names
// come from their contents, and they are immutable: what the Job was made for is what it mounts.
func InputConfigMaps(p Plan, a Attempt) []*corev1.ConfigMap {
	var maps []*corev1.ConfigMap
	for i, group := range groupInputs(p.Inputs) {
		meta := a.Meta(inputMapName(p, a, i))
		data := make(map[string][]byte, len(group))
		for _, f := range group {
			data[f.key] = []byte(f.Contents)
		}
		maps = append(maps, &corev1.ConfigMap{ObjectMeta: meta, Immutable: new(true), BinaryData: data})
	}
	return maps
}

// inputsVolume mounts the input files under their own paths, whichever ConfigMap they are in.
func inputsVolume(p Plan, a Attempt) corev1.Volume {
	var sources []corev1.VolumeProjection
	for i, group := range groupInputs(p.Inputs) {
		items := make([]corev1.KeyToPath, 0, len(group))
		for _, f := range group {
			items = append(items, corev1.KeyToPath{Key: f.key, Path: f.Path})
		}
		sources = append(sources, corev1.VolumeProjection{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: inputMapName(p, a, i)},
			Items:                items,
		}})
	}
	return corev1.Volume{Name: inputsVolumeName, VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{Sources: sources, DefaultMode: new(int32(0o444))},
	}}
}

// keyedFile is an input file and the key it has in its ConfigMap: a path is no valid key.
type keyedFile struct {
	InputFile
	key string
}

// groupInputs splits the files into groups that fit into a ConfigMap each. They go by their paths, as
// the name of the ConfigMap does: the same files in another order are the same ConfigMap.
func groupInputs(files []InputFile) [][]keyedFile {
	files = slices.SortedFunc(slices.Values(files), func(a, b InputFile) int { return strings.Compare(a.Path, b.Path) })
	var groups [][]keyedFile
	size := 0
	for i, f := range files {
		if len(groups) == 0 || size+len(f.Contents) > maxConfigMapBytes {
			groups, size = append(groups, nil), 0
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], keyedFile{f, fmt.Sprintf("file-%03d", i)})
		size += len(f.Contents)
	}
	return groups
}

func inputMapName(p Plan, a Attempt, index int) string {
	return fmt.Sprintf("%s-in-%s-%d", prefix(a.Owner.Name), shortHash(string(a.Owner.UID), p.inputsHash()), index)
}

// inputsMount is where the runner finds the input files.
func inputsMount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: inputsVolumeName, MountPath: result.InputsDir, ReadOnly: true}
}

// secretsVolume mounts keys of Secrets under the paths of the input files that they are. A source is
// optional, for a pod with a missing one would wait for it without an end; the runner says what is
// missing.
func secretsVolume(p Plan) corev1.Volume {
	var sources []corev1.VolumeProjection
	for _, s := range p.SecretInputs {
		sources = append(sources, corev1.VolumeProjection{Secret: &corev1.SecretProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.Secret},
			Items:                []corev1.KeyToPath{{Key: s.Key, Path: s.Path}},
			Optional:             new(true),
		}})
	}
	return corev1.Volume{Name: secretsVolumeName, VolumeSource: corev1.VolumeSource{
		Projected: &corev1.ProjectedVolumeSource{Sources: sources, DefaultMode: new(int32(0o444))},
	}}
}

// OutputSecret returns the Secret that the output goes to, still empty, or nil when it goes to none. It
// is made before the Job, so that a name that is another's is found out before anything is run.
func OutputSecret(p Plan, a Attempt) *corev1.Secret {
	if p.OutputSecret == "" {
		return nil
	}
	return &corev1.Secret{ObjectMeta: a.Meta(p.OutputSecret), Type: corev1.SecretTypeOpaque}
}
