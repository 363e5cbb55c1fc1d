package builtin

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Paths lead to the types of fields, with and without the indices of lists.
func TestStep(t *testing.T) {
	for path, want := range map[string]reflect.Type{
		"spec.containers[0].image":              reflect.TypeFor[string](),
		"spec.containers[].resources":           reflect.TypeFor[corev1.ResourceRequirements](),
		"spec.containers.resources":             reflect.TypeFor[corev1.ResourceRequirements](),
		"spec.securityContext.runAsUser":        reflect.TypeFor[*int64](),
		"spec.containers[0].resources.limits.x": Step(reflect.TypeFor[corev1.ResourceList](), "[]"),
		"metadata.labels[a.b/c]":                reflect.TypeFor[string](),
		"kind":                                  reflect.TypeFor[string](), // of an embedded struct
		"TypeMeta":                              nil,
		"spec.container":                        nil,
		"spec[0]":                               nil,
		"kind.length":                           nil,
	} {
		got := Type(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
		for _, step := range Steps(path) {
			got = Step(got, step)
		}
		if got != want {
			t.Errorf("the type of %s is %v, want %v", path, got, want)
		}
	}
}
