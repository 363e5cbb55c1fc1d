package steps

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/report/document"
)

// Two values share what they have in common, and neither changes its meaning.
func TestSharing(t *testing.T) {
	const before = `{"a": {"b": [1, {"c": "d"}, {"e": "f"}], "g": {}}, "h": [], "i": 1}`
	for _, tt := range []struct {
		after  string
		shared []string // members that are shared with the value before
	}{
		{before, []string{"b", "g"}},
		{`{"a": {"b": [1, {"c": "d"}, {"e": "f"}], "g": {"new": 1}}}`, []string{"b"}},
		{`{"a": {"b": [1, {"c": "other"}, {"e": "f"}], "g": {}}, "i": "1"}`, []string{"g"}},
		{`{"a": {"b": [0, 1, {"c": "d"}, {"e": "f"}]}, "i": {"h": []}}`, nil},
		{`{"a": {"b": {"c": "d"}, "g": []}, "h": {}, "i": [1]}`, nil},
		{`[1, 2]`, nil},
	} {
		from, err := document.Decoded([]byte(before))
		if err != nil {
			t.Fatal(err)
		}
		v, err := document.Decoded([]byte(tt.after))
		if err != nil {
			t.Fatal(err)
		}
		want, _ := document.Decoded([]byte(tt.after))
		got := sharing(v, from)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s changed its meaning (-want +got):\n%s", tt.after, diff)
		}
		for _, name := range tt.shared {
			a, b := got.(map[string]any)["a"].(map[string]any)[name], from.(map[string]any)["a"].(map[string]any)[name]
			if !identical(a, b) {
				t.Errorf("%s: %s is not shared", tt.after, name)
			}
		}
	}
	from, _ := document.Decoded([]byte(`[{"a": 1}, {"b": 2}]`))
	v, _ := document.Decoded([]byte(`[{"first": 0}, {"a": 1}, {"b": 2}]`))
	got := sharing(v, from).([]any)
	if !identical(got[1], from.([]any)[0]) || !identical(got[2], from.([]any)[1]) {
		t.Error("items after a new one are not shared")
	}
}
