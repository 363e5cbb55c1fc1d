package cluster

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Applying the difference between two states to the first one yields the second one, initial objects included.
func TestBetween(t *testing.T) {
	made := func(kind, namespace, name string) Object {
		return Object{Object: &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: kind}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}}
	}
	maps, first := schema.GroupKind{Kind: "ConfigMap"}, schema.GroupKind{Kind: "First"}
	base := New(made("ConfigMap", "a", "kept"), made("ConfigMap", "a", "changed"), made("ConfigMap", "b", "deleted"), made("Secret", "a", "all")).
		WithInitial(first, func() []Object { return []Object{made("First", "", "one"), made("First", "", "two")} })
	other := base.With(made("ConfigMap", "a", "changed"), made("ConfigMap", "a-b", "new"), made("Other", "", "new")).
		Without(Key{GroupKind: maps, Namespace: "b", Name: "deleted"}).
		Without(Key{GroupKind: schema.GroupKind{Kind: "Secret"}, Namespace: "a", Name: "all"}).
		Without(Key{GroupKind: first, Name: "one"})
	for _, c := range []struct {
		name     string
		from, to *State
		want     int
	}{{"there", base, other, 6}, {"back", other, base, 6}, {"nowhere", other, other, 0}, {"from nothing", New(), base, 6}, {"to nothing", base, New(), 6}} {
		changes := Between(c.from, c.to)
		if len(changes) != c.want {
			t.Errorf("%s: %d changes, want %d: %v", c.name, len(changes), c.want, changes)
		}
		if again := Between(c.from.Doing(changes), c.to); len(again) > 0 {
			t.Errorf("%s: some changes are left: %v", c.name, again)
		}
	}
}
