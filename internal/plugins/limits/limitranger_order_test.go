package limits

import (
	"slices"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The order only varies among limit ranges that have defaults for the pod.
func TestLimitRangesInAnyOrder(t *testing.T) {
	limitRange := func(name string, item corev1.LimitRangeItem) runtime.Object {
		item.Type = corev1.LimitTypeContainer
		return &corev1.LimitRange{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "LimitRange"},
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop"},
			Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}},
		}
	}
	list := func(memory string) corev1.ResourceList {
		return corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(memory)}
	}
	small, large := corev1.LimitRangeItem{DefaultRequest: list("1Gi")}, corev1.LimitRangeItem{DefaultRequest: list("2Gi")}
	bound := corev1.LimitRangeItem{Min: list("1Mi")}
	for name, c := range map[string]struct {
		ranges []runtime.Object
		asks   corev1.ResourceList
		want   []string // the memory request that the container ends up with, on each course
	}{
		"two with defaults":  {[]runtime.Object{limitRange("a", small), limitRange("b", large)}, nil, []string{"1Gi", "2Gi"}},
		"one with bounds":    {[]runtime.Object{limitRange("a", small), limitRange("b", bound)}, nil, []string{"1Gi"}},
		"a pod without gaps": {[]runtime.Object{limitRange("a", small), limitRange("b", large)}, list("3Gi"), []string{"3Gi"}},
		"one":                {[]runtime.Object{limitRange("a", small)}, nil, []string{"1Gi"}},
	} {
		var objects []cluster.Object
		for _, o := range c.ranges {
			objects = append(objects, cluster.Object{Object: o})
		}
		state := cluster.New(objects...)
		pod := &corev1.Pod{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Resources: corev1.ResourceRequirements{Requests: c.asks}}}},
		}
		req := admission.Request{Operation: admissionv1.Create, Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: "shop", Object: pod}
		var got []string
		for on := (&admission.Course{Context: t.Context()}); on != nil; on = on.Next(t.Context()) {
			step, err := NewLimitRanger(kubeversion.Default()).Mutate(on, state, req, nil)
			if err != nil {
				t.Fatal(err)
			}
			after := pod
			if step.After != nil {
				after = step.After.(*corev1.Pod)
			}
			memory := after.Spec.Containers[0].Resources.Requests[corev1.ResourceMemory]
			got = append(got, memory.String())
			for _, because := range on.Undetermined() {
				if because != "several limit ranges have defaults for the pod, and the server takes them in any order" {
					t.Errorf("%s: because %q", name, because)
				}
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: memory %v, want %v", name, got, c.want)
		}
	}
}

// The resources that exceed one limit range are reported in any order (LR-32): as in the answer that the course follows.
func TestResourcesInAnyOrder(t *testing.T) {
	list := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi")}
	state := cluster.New(cluster.Object{Object: &corev1.LimitRange{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "LimitRange"},
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "shop"},
		Spec:       corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Min: list}}},
	}})
	pod := &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web"}}},
	}
	req := admission.Request{Operation: admissionv1.Create, Resource: corev1.SchemeGroupVersion.WithResource("pods"), Namespace: "shop", Object: pod}
	const (
		cpu    = "minimum cpu usage per Container is 1.  No request is specified"
		memory = "minimum memory usage per Container is 1Gi.  No request is specified"
		loose  = "the order of what is in the message: LimitRanger goes through the resources of a limit range in any order"
	)
	for _, c := range []struct {
		seen []string
		want string
	}{
		{nil, "[" + cpu + ", " + memory + "]"},
		{[]string{memory, cpu}, "[" + memory + ", " + cpu + "]"},
	} {
		on := &admission.Course{Context: t.Context(), Form: func(text string) string { return text }}
		if c.seen != nil {
			on.Answer = func(in string) ([]string, bool) { return c.seen, in == steady.InErrors }
		}
		step, err := NewLimitRanger(kubeversion.Default()).Validate(on, state, req)
		if err != nil {
			t.Fatal(err)
		}
		if got := step.Denial.Message; got != `pods "web" is forbidden: `+c.want {
			t.Errorf("seen %q: %s, want %s", c.seen, got, c.want)
		}
		if got := on.Loose(); !slices.Equal(got, []string{loose}) {
			t.Errorf("seen %q: undetermined %q, want %q", c.seen, got, loose)
		}
	}
}
