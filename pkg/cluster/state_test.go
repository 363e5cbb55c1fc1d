package cluster

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var (
	configMaps = schema.GroupKind{Kind: "ConfigMap"}
	nodes      = schema.GroupKind{Kind: "Node"}
)

func configMap(namespace, name, value string) Object {
	return Object{Object: &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data:       map[string]string{"a": value},
	}}
}

func node(name string) Object {
	return Object{Object: &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: name}}}
}

func keysIn(s *State, gk schema.GroupKind, namespace string) (keys []string) {
	for o := range s.List(gk, namespace) {
		k := KeyOf(o.Object)
		keys = append(keys, k.Namespace+"/"+k.Name)
	}
	return keys
}

// Deriving a state leaves the original unchanged.
func TestStateStays(t *testing.T) {
	before := New(configMap("shop", "c", "1"))
	after := before.With(configMap("shop", "c", "2"), node("n"))
	gone := after.Without(KeyOf(configMap("shop", "c", "").Object))
	for _, tt := range []struct {
		reason string
		s      *State
		value  string
		nodes  int
	}{
		{"the original state", before, "1", 0},
		{"another object under the same key", after, "2", 1},
		{"without the object", gone, "", 1},
	} {
		c, _ := Get[*corev1.ConfigMap](tt.s, configMaps, "shop", "c")
		value := ""
		if c != nil {
			value = c.Data["a"]
		}
		if n := len(keysIn(tt.s, nodes, "")); value != tt.value || n != tt.nodes {
			t.Errorf("%s: %q and %d nodes, want %q and %d", tt.reason, value, n, tt.value, tt.nodes)
		}
	}
	if _, ok := Get[*corev1.Secret](before, configMaps, "shop", "c"); ok {
		t.Error("an object of another type was found under the key")
	}
}

// Objects are listed in the order of keys in etcd, in which shop-2/ comes before shop/, whatever the order in which
// they were added.
func TestList(t *testing.T) {
	s := New(
		configMap("shop", "b", ""), configMap("shop-2", "a", ""), configMap("sho", "z", ""), configMap("shop", "a-b", ""),
		configMap("shop", "a.b", ""), configMap("shop", "a", ""), configMap("Shop", "a", ""), node("n"))
	for _, tt := range []struct {
		gk        schema.GroupKind
		namespace string
		want      []string
	}{
		{configMaps, "", []string{"Shop/a", "sho/z", "shop-2/a", "shop/a", "shop/a-b", "shop/a.b", "shop/b"}},
		{configMaps, "shop", []string{"shop/a", "shop/a-b", "shop/a.b", "shop/b"}},
		{configMaps, "sh", nil},
		{nodes, "", []string{"/n"}},
		{schema.GroupKind{Kind: "Secret"}, "", nil},
	} {
		if diff := cmp.Diff(tt.want, keysIn(s, tt.gk, tt.namespace)); diff != "" {
			t.Errorf("%s in %q (-want +got):\n%s", tt.gk, tt.namespace, diff)
		}
	}
	if n := len(slices.Collect(s.All())); n != 8 {
		t.Errorf("there are %d objects in all, want 8", n)
	}
}

// The revisions of a kind are equal if none of its objects was written in between.
func TestRevision(t *testing.T) {
	s := New(configMap("shop", "c", "1"))
	for _, tt := range []struct {
		reason string
		next   *State
		same   bool
	}{
		{"a write of another kind", s.With(node("n")), true},
		{"a plugin remembers", s.Remembering("p", 1), true},
		{"one more object", s.With(configMap("shop", "d", "1")), false},
		{"the same object again", s.With(configMap("shop", "c", "1")), false},
		{"a removal", s.Without(Key{GroupKind: configMaps, Namespace: "shop", Name: "c"}), false},
	} {
		if same := s.Revision(configMaps) == tt.next.Revision(configMaps); same != tt.same {
			t.Errorf("%s: equal: %v, want %v", tt.reason, same, tt.same)
		}
	}
}

// Memory is visible only in states derived from the one that remembers.
func TestMemory(t *testing.T) {
	s := New()
	first := s.Remembering("p", 1)
	second := first.Remembering("q", 2).With(node("n"))
	if s.Memory("p") != nil || first.Memory("p") != 1 || first.Memory("q") != nil || second.Memory("p") != 1 || second.Memory("q") != 2 {
		t.Errorf("remembered: %v, %v, %v, %v, %v", s.Memory("p"), first.Memory("p"), first.Memory("q"), second.Memory("p"), second.Memory("q"))
	}
}

// A cache lacks objects, also after writes, and nothing else does. The live state has them all.
func TestCached(t *testing.T) {
	all := New().WithInitial(configMaps, func() []Object { return []Object{configMap("shop", "a", "new"), configMap("shop", "b", "old")} }).
		With(configMap("shop", "c", "new"), configMap("shop", "d", "old"))
	cached := all.Cached(func(o Object) bool { return value(o) == "new" })
	written := cached.Recording().With(configMap("shop", "a", "newer"), configMap("shop", "e", "new")).Without(Key{configMaps, "shop", "c"})
	for _, tt := range []struct {
		reason string
		s      *State
		want   []string
	}{
		{"all", all, []string{"a", "b", "c", "d"}},
		{"cached", cached, []string{"b", "d"}},
		{"the live state of the cache", cached.Live(), []string{"a", "b", "c", "d"}},
		{"after writes", written, []string{"a", "b", "d"}},
		{"the live state after writes", written.Live(), []string{"a", "b", "d", "e"}},
	} {
		var got []string
		for o := range tt.s.List(configMaps, "") {
			got = append(got, KeyOf(o.Object).Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: List(): (-want +got)\n%s", tt.reason, diff)
		}
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			if _, found := tt.s.Find(Key{configMaps, "shop", name}); found != slices.Contains(tt.want, name) {
				t.Errorf("%s: Find(%s) = %v", tt.reason, name, found)
			}
		}
	}
	next, changes, ok := written.Onto(all)
	if !ok || len(changes) != 3 || changes[0].Before.Object == nil || changes[2].Before.Object == nil {
		t.Errorf("Onto() = %v, %+v", ok, changes)
	} else if _, found := next.Find(Key{configMaps, "shop", "e"}); !found {
		t.Error("a write that the cache lacks is lost")
	}
}

// The next version is always new, even if the object has a higher version or none at all.
func TestNextVersion(t *testing.T) {
	s := New(node("a")).With(node("b"))
	for before, want := range map[string]string{"": "3", "1": "3", "2": "3", "7": "8", "no number": "3"} {
		if got := s.NextVersion(before); got != want {
			t.Errorf("NextVersion(%q) = %s, want %s", before, got, want)
		}
	}
}
