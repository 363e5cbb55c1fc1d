package plugin

import "testing"

// The least recently used entry is dropped, and no earlier map changes.
func TestRecent(t *testing.T) {
	empty := NewRecent[int](2)
	two := empty.With("a", 1).With("b", 2)
	used := two.With("a", 1)
	three := used.With("c", 3)

	tests := []struct {
		reason string
		in     Recent[int]
		key    string
		want   bool
	}{
		{"empty at first", empty, "a", false},
		{"both fit", two, "a", true},
		{"both fit", two, "b", true},
		{"the older entry is dropped", three, "b", false},
		{"the entry used later stays", three, "a", true},
		{"the new entry exists", three, "c", true},
		{"earlier maps stay as they are", used, "b", true},
		{"earlier maps stay as they are", used, "c", false},
	}
	for _, test := range tests {
		if _, got := test.in.Get(test.key); got != test.want {
			t.Errorf("%s: Get(%q) finds a value: %v, want %v", test.reason, test.key, got, test.want)
		}
	}
	if v, _ := three.With("a", 9).Get("a"); v != 9 {
		t.Errorf("the later value of a is %d, want 9", v)
	}
}
