package pods

import (
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Several presets apply in any order (PP-05), and the server names any of those that it cannot read (PP-07).
func TestPresetsInAnyOrder(t *testing.T) {
	release, err := kubeversion.Parse("1.15")
	if err != nil {
		t.Fatal(err)
	}
	preset := func(name, operator string, variables ...string) *builtin.PodPreset {
		p := &builtin.PodPreset{
			TypeMeta:   metav1.TypeMeta{APIVersion: "settings.k8s.io/v1alpha1", Kind: "PodPreset"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
		}
		if operator != "" {
			p.Spec.Selector.MatchExpressions = []metav1.LabelSelectorRequirement{{Key: "a", Operator: metav1.LabelSelectorOperator(operator)}}
		}
		for _, v := range variables {
			p.Spec.Env = append(p.Spec.Env, corev1.EnvVar{Name: v})
		}
		return p
	}
	different := preset("c", "", "A")
	different.Spec.Env[0].Value = "other"
	for name, c := range map[string]struct {
		presets []*builtin.PodPreset
		want    []string // the variables that the pod ends up with, or the error, on each course
	}{
		"two":                 {[]*builtin.PodPreset{preset("a", "", "A"), preset("b", "", "B")}, []string{"AB", "BA"}},
		"one adds nothing":    {[]*builtin.PodPreset{preset("a", "", "A"), preset("b", "")}, []string{"A"}},
		"they add the same":   {[]*builtin.PodPreset{preset("a", "", "A"), preset("b", "", "A")}, []string{"A"}},
		"one is for others":   {[]*builtin.PodPreset{preset("a", "", "A"), preset("b", "Exists", "B")}, []string{"A"}},
		"they conflict":       {[]*builtin.PodPreset{preset("a", "", "A"), different}, []string{""}},
		"one is not readable": {[]*builtin.PodPreset{preset("a", "", "A"), preset("b", "Foo")}, []string{"b"}},
		"two are not":         {[]*builtin.PodPreset{preset("a", "Foo"), preset("b", "Bar")}, []string{"a", "b"}},
	} {
		var objects []cluster.Object
		for _, p := range c.presets {
			objects = append(objects, cluster.Object{Object: p, Source: p.Name})
		}
		state := cluster.New(objects...)
		pod := &corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}},
		}
		req := admission.Request{Operation: admissionv1.Create, Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: "shop", Object: pod}
		var got []string
		for on := (&admission.Course{Context: t.Context()}); on != nil; on = on.Next(t.Context()) {
			step, err := NewPodPreset(release).Mutate(on, state, req, nil)
			if err != nil {
				t.Fatal(err)
			}
			after := pod
			if step.After != nil {
				after = step.After.(*corev1.Pod)
			}
			result := ""
			for _, v := range after.Spec.Containers[0].Env {
				result += v.Name
			}
			if step.Denial != nil {
				result = step.Source
			}
			got = append(got, result)
			for _, because := range on.Undetermined() {
				if because != "several presets change the pod, and the server applies them in any order" &&
					because != "the selectors of several presets cannot be read, and the server names any of them" {
					t.Errorf("%s: because %q", name, because)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
