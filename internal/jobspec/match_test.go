// SPDX-License-Identifier: Apache-2.0

package jobspec

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// matchPlan has one of everything that a pod can have.
func matchPlan() Plan {
	return plan(withInput("a.txt", "a"), withRunnerImage, func(p *Plan) { p.ServiceAccountName, p.Pod.RuntimeClassName = "deployer", "gvisor" })
}

func TestPodAsItWasMadeIsUnchanged(t *testing.T) {
	for name, p := range map[string]Plan{
		"a command alone":                       plan(),
		"with inputs, runner image and account": matchPlan(),
	} {
		template := Job(p, attempt()).Spec.Template
		if what := Changed(&template, podOf(template)); what != "" {
			t.Errorf("%s: %s", name, what)
		}
	}
}

func TestChangedPodIsTold(t *testing.T) {
	// The first two are what the API server lets whoever may edit pods do to a gated pod; the rest is
	// what a pod has that somebody made in the place of the Job controller's.
	for name, c := range map[string]struct {
		change func(*corev1.PodSpec)
		want   string
	}{
		"the image of the command":      {func(s *corev1.PodSpec) { s.Containers[0].Image = "evil" }, `container "command": image differs`},
		"the image of the runner":       {func(s *corev1.PodSpec) { s.InitContainers[0].Image = "evil" }, `container "runner": image differs`},
		"another program":               {func(s *corev1.PodSpec) { s.Containers[0].Command = []string{"sh"} }, `container "command": command differs`},
		"arguments":                     {func(s *corev1.PodSpec) { s.Containers[0].Args = []string{"-c"} }, `container "command": args differs`},
		"another working directory":     {func(s *corev1.PodSpec) { s.Containers[0].WorkingDir = "/" }, `container "command": workingDir differs`},
		"another task":                  {func(s *corev1.PodSpec) { s.Containers[0].Env[1].Value = "{}" }, `container "command": env differs`},
		"a variable more":               {addVariable, `container "command": env differs`},
		"variables out of a Secret":     {func(s *corev1.PodSpec) { s.Containers[0].EnvFrom = []corev1.EnvFromSource{{Prefix: "A"}} }, `container "command": envFrom differs`},
		"a mount more":                  {addMount, `container "command": volumeMounts differs`},
		"inputs that can be written":    {func(s *corev1.PodSpec) { s.Containers[0].VolumeMounts[1].ReadOnly = false }, `container "command": volumeMounts differs`},
		"privileges":                    {func(s *corev1.PodSpec) { s.Containers[0].SecurityContext.Privileged = new(true) }, `container "command": securityContext differs`},
		"no security context":           {func(s *corev1.PodSpec) { s.Containers[0].SecurityContext = nil }, `container "command": securityContext differs`},
		"root":                          {func(s *corev1.PodSpec) { s.SecurityContext.RunAsUser = new(int64(0)) }, "securityContext differs"},
		"a hook":                        {func(s *corev1.PodSpec) { s.Containers[0].Lifecycle = &corev1.Lifecycle{} }, `container "command": lifecycle differs`},
		"a command under another name":  {func(s *corev1.PodSpec) { s.Containers[0].Name = "other" }, `container "command": image differs`},
		"no runner":                     {func(s *corev1.PodSpec) { s.InitContainers = nil }, `container "runner": image differs`},
		"another account":               {func(s *corev1.PodSpec) { s.ServiceAccountName = "admin" }, `serviceAccountName is "admin"`},
		"the account left out":          {func(s *corev1.PodSpec) { s.ServiceAccountName = "" }, `serviceAccountName is ""`},
		"inputs out of another map":     {func(s *corev1.PodSpec) { inputs(s).Sources[0].ConfigMap.Name = "other" }, `volume "inputs" differs`},
		"inputs under another path":     {func(s *corev1.PodSpec) { inputs(s).Sources[0].ConfigMap.Items[0].Path = "b" }, `volume "inputs" differs`},
		"another runtime class":         {func(s *corev1.PodSpec) { s.RuntimeClassName = new("runc") }, "runtimeClassName differs"},
		"no runtime class":              {func(s *corev1.PodSpec) { s.RuntimeClassName = nil }, "runtimeClassName differs"},
		"a workspace on the node":       {workspaceOnNode, `volume "workspace" differs`},
		"no workspace":                  {func(s *corev1.PodSpec) { s.Volumes = s.Volumes[1:] }, `volume "workspace" differs`},
		"the host's network":            {func(s *corev1.PodSpec) { s.HostNetwork = true }, "it uses the host's namespaces"},
		"the host's processes":          {func(s *corev1.PodSpec) { s.HostPID = true }, "it uses the host's namespaces"},
		"processes in common":           {func(s *corev1.PodSpec) { s.ShareProcessNamespace = new(true) }, "its containers share their processes"},
		"the host's interprocess space": {func(s *corev1.PodSpec) { s.HostIPC = true }, "it uses the host's namespaces"},
	} {
		t.Run(name, func(t *testing.T) {
			template := Job(matchPlan(), attempt()).Spec.Template
			pod := podOf(template)
			c.change(&pod.Spec)
			if got := Changed(&template, pod); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAdditionsThatDoNotChangeTheCommandAreLeftAlone(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"tolerations that the API server adds": func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists}}
		},
		"what Kueue has a pod get when it admits a Job": func(p *corev1.Pod) {
			p.Labels["kueue.x-k8s.io/podset"], p.Annotations["kueue.x-k8s.io/workload"] = "main", "job-x"
			p.Spec.NodeSelector = map[string]string{"cloud.google.com/gke-spot": "true"}
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "spot", Operator: corev1.TolerationOpExists})
		},
		"a narrower choice of nodes": func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"pool": "batch"} },
		"a shorter deadline":         func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(1)) },
		"the gate of another": func(p *corev1.Pod) {
			p.Spec.SchedulingGates = append(p.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: "kueue"})
		},
		"labels and annotations": func(p *corev1.Pod) { p.Labels["a"], p.Annotations["b"] = "1", "2" },
		"a priority class":       func(p *corev1.Pod) { p.Spec.PriorityClassName, p.Spec.Priority = "batch", new(int32(100)) },
		"secrets to pull images with": func(p *corev1.Pod) {
			p.Spec.ImagePullSecrets = []corev1.LocalObjectReference{{Name: "registry"}}
		},
		"the requests of a LimitRange": func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Limits[corev1.ResourceCPU] = resource.MustParse("1")
		},
		"a sidecar of a service mesh": func(p *corev1.Pod) {
			p.Spec.Containers = append([]corev1.Container{{Name: "proxy", Image: "mesh"}}, p.Spec.Containers...)
			p.Spec.InitContainers = append(p.Spec.InitContainers, corev1.Container{Name: "proxy-init", Image: "mesh"})
		},
		"the volume of a sidecar": func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, emptyDir("proxy"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			template := Job(matchPlan(), attempt()).Spec.Template
			pod := podOf(template)
			change(pod)
			if got := Changed(&template, pod); got != "" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestARuntimeClassThatTheClusterAddsIsLeftAlone(t *testing.T) {
	template := Job(plan(), attempt()).Spec.Template
	pod := podOf(template)
	pod.Spec.RuntimeClassName = new("kata")
	if got := Changed(&template, pod); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestDefaultAccountIsTheDefault(t *testing.T) {
	template := Job(plan(), attempt()).Spec.Template
	pod := podOf(template)
	if pod.Spec.ServiceAccountName != "default" || Changed(&template, pod) != "" {
		t.Errorf("got account %q, changed: %q", pod.Spec.ServiceAccountName, Changed(&template, pod))
	}
	pod.Spec.ServiceAccountName = "admin"
	if Changed(&template, pod) == "" {
		t.Error("another account went unnoticed")
	}
}

func addVariable(s *corev1.PodSpec) {
	s.Containers[0].Env = append(s.Containers[0].Env, corev1.EnvVar{Name: "LD_PRELOAD", Value: "/workspace/evil.so"})
}

func addMount(s *corev1.PodSpec) {
	s.Containers[0].VolumeMounts = append(s.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "workspace", MountPath: "/usr/bin"})
}

func workspaceOnNode(s *corev1.PodSpec) {
	s.Volumes[0].VolumeSource = corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/"}}
}

func inputs(s *corev1.PodSpec) *corev1.ProjectedVolumeSource {
	for i := range s.Volumes {
		if s.Volumes[i].Projected != nil {
			return s.Volumes[i].Projected
		}
	}
	return nil
}

// The longest plan that is admitted has to fit where Linux puts it.
func TestLongestCommandFitsIntoTheEnvironment(t *testing.T) {
	p := plan(func(p *Plan) {
		p.Argv = []string{"gcloud", "projects", "list", strings.Repeat("$", 16<<10)}
		p.Timeout = 24 * time.Hour
		for range 32 {
			p.OutputFiles = append(p.OutputFiles, strings.Repeat("é", 256))
		}
	})
	if got := len(p.task(attempt()).Encode()); got > 120<<10 {
		t.Errorf("the task has %d bytes", got)
	}
}
