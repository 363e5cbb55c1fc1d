package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Initial objects are created when they are first looked up, and behave like others from then on.
func TestInitial(t *testing.T) {
	made := 0
	first := New().WithInitial(configMaps, func() []Object {
		made++
		return []Object{configMap("a", "x", "old"), configMap("b", "x", "old"), configMap("b", "z", "old")}
	})
	s := first.With(configMap("a", "w", "new"), configMap("b", "x", "new"), configMap("b", "y", "new")).
		Without(Key{configMaps, "b", "z"}).Without(Key{configMaps, "b", "none"})
	if made != 0 {
		t.Fatal("a write created the initial objects")
	}
	if first.Revision(configMaps) == s.Revision(configMaps) || first.Revision(configMaps) != first.With(node("n")).Revision(configMaps) {
		t.Error("Revision() does not tell whether a kind was written to")
	}
	for namespace, want := range map[string][]string{"": {"a/w", "a/x", "b/x", "b/y"}, "b": {"b/x", "b/y"}, "c": nil} {
		if diff := cmp.Diff(want, keysIn(s, configMaps, namespace)); diff != "" {
			t.Errorf("List(%q): (-want +got)\n%s", namespace, diff)
		}
	}
	if diff := cmp.Diff([]string{"a/x", "b/x", "b/z"}, keysIn(first, configMaps, "")); diff != "" {
		t.Errorf("List() of the first state: (-want +got)\n%s", diff)
	}
	for _, tt := range []struct {
		key  Key
		want bool
	}{
		{Key{configMaps, "a", "x"}, true},
		{Key{configMaps, "b", "y"}, true},
		{Key{configMaps, "b", "z"}, false}, // deleted
		{Key{configMaps, "b", "none"}, false},
	} {
		if _, got := s.Find(tt.key); got != tt.want {
			t.Errorf("Find(%v) = %v, want %v", tt.key, got, tt.want)
		}
	}
	n := 0
	for range s.Written(configMaps) {
		n++
	}
	if n != 3 {
		t.Errorf("%d objects were written, want 3", n)
	}
	n = 0
	for range s.All() {
		n++
	}
	if n != 4 || made != 1 {
		t.Errorf("All() has %d objects, created %d times; want 4, once", n, made)
	}
}

// Changes to initial objects are applied when these are created.
func TestMapInitial(t *testing.T) {
	if s := New(); s.MapInitial(configMaps, nil) != s {
		t.Error("MapInitial() without initial objects returned another state")
	}
	made := false
	s := New().WithInitial(configMaps, func() []Object {
		made = true
		return []Object{configMap("a", "x", "old")}
	}).MapInitial(configMaps, func(first []Object) []Object { return append(first, configMap("a", "y", "new")) })
	if made {
		t.Error("MapInitial() created the objects")
	}
	if diff := cmp.Diff([]string{"a/x", "a/y"}, keysIn(s, configMaps, "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Changes of initial objects can be repeated on another state.
func TestInitialOnto(t *testing.T) {
	first := New().WithInitial(configMaps, func() []Object {
		return []Object{configMap("a", "x", "old"), configMap("a", "y", "old")}
	})
	s := first.Recording().With(configMap("a", "x", "new")).Without(Key{configMaps, "a", "y"})
	next, changes, ok := s.Onto(first.With(node("n")))
	if !ok || len(changes) != 2 || changes[0].Before.Object == nil || changes[1].Before.Object == nil {
		t.Fatalf("Onto() = %v, %+v", ok, changes)
	}
	if diff := cmp.Diff([]string{"a/x"}, keysIn(next, configMaps, "")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if _, _, ok := s.Onto(first.Without(Key{configMaps, "a", "x"})); ok {
		t.Error("Onto() a state in which another request deleted the object reported no conflict")
	}
}
