package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
)

// The changes of a recorded state are repeated on another state, unless the same object changed there.
func TestOnto(t *testing.T) {
	start := New(configMap("shop", "a", "1"), configMap("shop", "b", "1"), node("n")).At(10)
	a, b := KeyOf(configMap("shop", "a", "").Object), KeyOf(configMap("shop", "b", "").Object)
	recorded := start.Recording().With(configMap("shop", "a", "2")).With(configMap("shop", "c", "1")).Without(KeyOf(node("n").Object)).Remembering("p", []int{1})
	for _, tt := range []struct {
		reason  string
		current *State
		want    []string // the config maps; nil if the changes conflict
	}{
		{"nothing happened", start, []string{"a=2@11", "b=1@", "c=1@12"}},
		{"another object changed", start.With(configMap("shop", "b", "2")), []string{"a=2@12", "b=2@", "c=1@13"}},
		{"another plugin remembers", start.Remembering("q", 1), []string{"a=2@12", "b=1@", "c=1@13"}},
		{"the same object changed", start.With(configMap("shop", "a", "3")), nil},
		{"the same object was rewritten without a change", start.With(configMap("shop", "a", "1")), nil},
		{"the same object was deleted", start.Without(a), nil},
		{"the new object exists already", start.With(configMap("shop", "c", "1")), nil},
		{"the same plugin remembers", start.Remembering("p", []int{1}), nil},
	} {
		next, changes, ok := recorded.Onto(tt.current)
		if !ok {
			if tt.want != nil {
				t.Errorf("%s: the changes conflict", tt.reason)
			}
			continue
		}
		var got []string
		for o := range next.List(configMaps, "shop") {
			m, _ := meta.Accessor(o.Object)
			got = append(got, m.GetName()+"="+value(o)+"@"+m.GetResourceVersion())
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if len(changes) != 3 || changes[0].Key != a || changes[2].After.Object != nil {
			t.Errorf("%s: changes %v", tt.reason, changes)
		}
		if next.Writes() != tt.current.Writes()+3 || next.Memory("p") == nil {
			t.Errorf("%s: %d writes after %d, remembered %v", tt.reason, next.Writes(), tt.current.Writes(), next.Memory("p"))
		}
	}
	if found, _ := start.Find(b); value(found) != "1" {
		t.Error("a state that others derive from changed")
	}
}

// What may be lost does not conflict: it is overwritten.
func TestOntoOfMemoryThatMayBeLost(t *testing.T) {
	first, second := (&State{}).Recording().Remembering("p", lossy("first")), (&State{}).Remembering("p", lossy("second"))
	if next, _, ok := first.Onto(second); !ok || next.Memory("p") != lossy("first") {
		t.Errorf("the state remembers %v: %v, want first", next.Memory("p"), ok)
	}
}

type lossy string

func (lossy) MayBeLost() {}

func value(o Object) string { return o.Object.(*corev1.ConfigMap).Data["a"] }
