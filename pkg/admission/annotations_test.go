package admission

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
)

// The first value of a key stays (W-249), and a bad key is dropped (W-248).
func TestAnnotations(t *testing.T) {
	var a Annotations
	for _, pair := range [][2]string{{"h.example/k", "first"}, {"h.example/k", "second"}, {"bad key", "x"}, {"h.example/l", "third"}} {
		a.Add(pair[0], pair[1])
	}
	want := map[string]string{"h.example/k": "first", "h.example/l": "third"}
	if !maps.Equal(a.Map(), want) {
		t.Errorf("%v, want %v", a.Map(), want)
	}
}

// ValidAnnotationKey agrees with the server's own check (W-248).
func FuzzValidAnnotationKey(f *testing.F) {
	for _, key := range []string{
		"", "/", "a/b", "a/", "/b", "ab", "a/b/c", "a.b/c", "a..b/c", ".a/b", "a./b", "-a/b", "a-/b", "a--b/c", "a_b/c", "A/b", "a/B",
		"a/-b", "a/b-", "a/b_c.d-e", "a/_", "a/b.", "a/b c", "a b/c", "a/ä", "ä/a", "a/b\n", "a\n/b",
		"mutation.webhook.admission.k8s.io/round_0_index_11",
		"a/" + strings.Repeat("b", 63), "a/" + strings.Repeat("b", 64),
		strings.Repeat("a", 253) + "/b", strings.Repeat("a", 254) + "/b",
	} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		want := strings.Contains(key, "/") && len(validation.IsQualifiedName(key)) == 0
		if got := ValidAnnotationKey(key); got != want {
			t.Errorf("%q: %v, want %v", key, got, want)
		}
	})
}
