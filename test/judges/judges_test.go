// SPDX-License-Identifier: Apache-2.0

package judges

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gcloud-operator/gcloud-operator/api/v1alpha1"
)

type change = func(*v1alpha1.GcloudRun)

// resource returns a resource that was just made, changed in order, as the API server returns it. What the
// kinds have in common is all that is judged.
func resource(t *testing.T, kind string, changes []change) *unstructured.Unstructured {
	t.Helper()
	g := &v1alpha1.GcloudRun{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.SchemeGroupVersion.String(), Kind: kind},
		ObjectMeta: metav1.ObjectMeta{Name: "list", Namespace: "team", Generation: 1},
	}
	g.Status.ObservedGeneration = -1
	for _, c := range changes {
		c(g)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(g)
	if err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// says sets the conditions as the operator does.
func says(reason string, ready metav1.ConditionStatus, others ...string) change {
	return func(g *v1alpha1.GcloudRun) {
		g.Status.ObservedGeneration = g.Generation
		g.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: ready, Reason: reason, Message: "what it means"}}
		for _, kind := range others {
			g.Status.Conditions = append(g.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Reason: reason, Message: "what it means"})
		}
	}
}

func under(reason string) change {
	return says(reason, metav1.ConditionUnknown, v1alpha1.ConditionReconciling)
}

func failed(reason string) change {
	return says(reason, metav1.ConditionFalse, v1alpha1.ConditionStalled, v1alpha1.ConditionFinished)
}

var (
	succeeded = says(v1alpha1.ReasonSucceeded, metav1.ConditionTrue, v1alpha1.ConditionFinished)
	suspended = says(v1alpha1.ReasonSuspended, metav1.ConditionFalse)
	held      = says("Held", metav1.ConditionFalse)
)

// ran is for a run that is written down as ended; it had a pod.
func ran(reason string) change {
	return func(g *v1alpha1.GcloudRun) {
		g.Status.Run = &v1alpha1.Run{Number: 1, Reason: reason, PodUID: "pod-1"}
	}
}

// dropped is for a run that is written down as ended before it had a pod.
func dropped(reason string) change {
	return func(g *v1alpha1.GcloudRun) { g.Status.Run = &v1alpha1.Run{Number: 1, Reason: reason} }
}

func edited(g *v1alpha1.GcloudRun) { g.Generation++ }

func annotated(annotation, value string) change {
	return func(g *v1alpha1.GcloudRun) { metav1.SetMetaDataAnnotation(&g.ObjectMeta, annotation, value) }
}

var asked = annotated(v1alpha1.RequestedAtAnnotation, "noon")

func handled(g *v1alpha1.GcloudRun) { g.Status.LastHandledRequest = "noon" }

func TestVerdicts(t *testing.T) {
	judges, err := Load("../../config")
	if err != nil {
		t.Fatal(err)
	}
	// kstatus doesn't look at annotations: it goes on to say what it said of the run before.
	overtaken := func(kstatus string) Verdict { return Verdict{kstatus, UnderWay.Flux, UnderWay.ArgoCD} }
	for name, c := range map[string]struct {
		changes []change
		want    Verdict
	}{
		"the operator has not seen it":                                   {nil, UnderWay},
		"a run was queued":                                               {[]change{under(v1alpha1.ReasonPending)}, UnderWay},
		"a command runs":                                                 {[]change{under(v1alpha1.ReasonRunning)}, UnderWay},
		"a command succeeded":                                            {[]change{ran(v1alpha1.ReasonSucceeded), succeeded}, Succeeded},
		"a command failed":                                               {[]change{ran(v1alpha1.ReasonCommandFailed), failed(v1alpha1.ReasonCommandFailed)}, Failed},
		"the spec can't be run":                                          {[]change{failed(v1alpha1.ReasonInvalidSpec)}, Failed},
		"it is suspended":                                                {[]change{suspended}, Waits},
		"it is held":                                                     {[]change{held}, Waits},
		"it succeeded, and was edited":                                   {[]change{ran(v1alpha1.ReasonSucceeded), succeeded, edited}, UnderWay},
		"it failed, and was edited":                                      {[]change{ran(v1alpha1.ReasonCommandFailed), failed(v1alpha1.ReasonCommandFailed), edited}, UnderWay},
		"it is suspended, and was edited":                                {[]change{suspended, edited}, UnderWay},
		"another run was queued after an edit":                           {[]change{ran(v1alpha1.ReasonSucceeded), edited, under(v1alpha1.ReasonPending)}, UnderWay},
		"it succeeded before it was suspended":                           {[]change{ran(v1alpha1.ReasonSucceeded), edited, succeeded}, Succeeded},
		"an edited one is suspended":                                     {[]change{ran(v1alpha1.ReasonSucceeded), edited, suspended}, Waits},
		"it succeeded as asked for":                                      {[]change{asked, handled, ran(v1alpha1.ReasonSucceeded), succeeded}, Succeeded},
		"it succeeded, and is asked for again":                           {[]change{ran(v1alpha1.ReasonSucceeded), succeeded, asked}, overtaken("Current")},
		"it failed, and is asked for again":                              {[]change{ran(v1alpha1.ReasonCommandFailed), failed(v1alpha1.ReasonCommandFailed), asked}, overtaken("Failed")},
		"Flux asks for it again":                                         {[]change{ran(v1alpha1.ReasonSucceeded), succeeded, annotated(v1alpha1.FluxRequestedAtAnnotation, "noon")}, overtaken("Current")},
		"it is asked for with another value":                             {[]change{asked, handled, ran(v1alpha1.ReasonSucceeded), succeeded, annotated(v1alpha1.RequestedAtAnnotation, "one")}, overtaken("Current")},
		"an empty value asks for nothing":                                {[]change{ran(v1alpha1.ReasonSucceeded), succeeded, annotated(v1alpha1.RequestedAtAnnotation, "")}, Succeeded},
		"another annotation asks for nothing":                            {[]change{ran(v1alpha1.ReasonSucceeded), succeeded, annotated("team", "platform")}, Succeeded},
		"the value that was handled is taken away":                       {[]change{handled, ran(v1alpha1.ReasonSucceeded), succeeded}, Succeeded},
		"no pod came, and it is asked for again":                         {[]change{dropped(v1alpha1.ReasonPodRejected), failed(v1alpha1.ReasonPodRejected), asked}, overtaken("Failed")},
		"an input was missing to the pod, and it is asked for again":     {[]change{ran(v1alpha1.ReasonInputMissing), failed(v1alpha1.ReasonInputMissing), asked}, overtaken("Failed")},
		"what can't be run is asked for":                                 {[]change{failed(v1alpha1.ReasonInvalidSpec), asked}, Failed},
		"what can't be run any more is asked for":                        {[]change{ran(v1alpha1.ReasonSucceeded), failed(v1alpha1.ReasonInvalidSpec), asked}, Failed},
		"a run was dropped as invalid, and is asked for again":           {[]change{dropped(v1alpha1.ReasonInvalidSpec), failed(v1alpha1.ReasonInvalidSpec), asked}, Failed},
		"a run was stopped as invalid, and is asked for again":           {[]change{ran(v1alpha1.ReasonInvalidSpec), failed(v1alpha1.ReasonInvalidSpec), asked}, Failed},
		"an input was missing to a run, and still is as it is asked for": {[]change{dropped(v1alpha1.ReasonInputMissing), failed(v1alpha1.ReasonInputMissing), asked}, Failed},
		"what is held is asked for":                                      {[]change{held, asked}, UnderWay},
		"what came with the annotation is held":                          {[]change{asked, handled, held}, Waits},
		"another attempt waits":                                          {[]change{ran(v1alpha1.ReasonImagePullFailed), under(v1alpha1.ReasonImagePullFailed)}, UnderWay},
		"what is suspended between two attempts is asked for":            {[]change{ran(v1alpha1.ReasonImagePullFailed), suspended, asked}, Waits},
		"what is suspended is asked for":                                 {[]change{suspended, asked}, Waits},
		"what is suspended after a run is asked for":                     {[]change{ran(v1alpha1.ReasonSucceeded), suspended, asked}, Waits},
		"a run is under way, and another is asked for":                   {[]change{under(v1alpha1.ReasonRunning), asked}, UnderWay},
	} {
		for _, kind := range []string{"GcloudRun", "DocumentFetch", "DataformFileRead"} {
			t.Run(kind+"/"+name, func(t *testing.T) {
				got, err := judges.Judge(resource(t, kind, c.changes))
				if err != nil {
					t.Fatal(err)
				}
				if got != c.want {
					t.Errorf("got %+v, want %+v", got, c.want)
				}
			})
		}
	}
}
