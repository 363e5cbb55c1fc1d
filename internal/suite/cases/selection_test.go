package cases

import "testing"

// Names are split as go test does it.
func TestParseSelection(t *testing.T) {
	for _, tt := range []struct {
		expression, suite, name string
		want                    bool
	}{
		{"pods", "pods", "anything", true},
		{"^pod$", "pods", "anything", false},
		{"pods/priv", "pods", "privileged", true},
		{"pods/x", "pods", "privileged", false},
		{"/priv", "pods", "privileged", true},
		{"pods/a/b", "pods", "a/b", true},
		{"pods/a/c", "pods", "a/b", false},
		{"pods/b", "pods", "a/b", true},
		{`pods/a\[fault=timeout\]`, "pods", "a[fault=timeout]", true},
		{"[a/b]/x", "a", "x", true},
	} {
		selects, err := ParseSelection(tt.expression)
		if err != nil {
			t.Fatal(err)
		}
		if got := selects(tt.suite, tt.name); got != tt.want {
			t.Errorf("%s selects %s/%s: %t, want %t", tt.expression, tt.suite, tt.name, got, tt.want)
		}
	}
}
