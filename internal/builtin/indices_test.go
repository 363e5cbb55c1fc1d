package builtin

import "testing"

func TestReplaceIndices(t *testing.T) {
	for _, tt := range []struct{ path, text, want string }{
		{"spec.containers[0].image", "[]", "spec.containers[].image"},
		{"spec.containers[].image", ".[]", "spec.containers.[].image"},
		{"metadata.labels[a.b/c].x", "", "metadata.labels.x"},
		{"a[0][$1]", "$1", "a$1$1"},
		{"spec", "[]", "spec"},
	} {
		if got := ReplaceIndices(tt.path, tt.text); got != tt.want {
			t.Errorf("ReplaceIndices(%q, %q) = %q, want %q", tt.path, tt.text, got, tt.want)
		}
	}
}
