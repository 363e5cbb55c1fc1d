package plugins

import "testing"

// What is forgotten is what was not used for longest, and no earlier map changes.
func TestRecent(t *testing.T) {
	empty := newRecent[int](2)
	two := empty.with("a", 1).with("b", 2)
	used := two.with("a", 1)
	three := used.with("c", 3)

	tests := []struct {
		reason string
		in     *recent[int]
		key    string
		want   bool
	}{
		{"nothing is in it at first", empty, "a", false},
		{"both fit", two, "a", true},
		{"both fit", two, "b", true},
		{"the older one has to go", three, "b", false},
		{"the one used later stays", three, "a", true},
		{"the new one is there", three, "c", true},
		{"earlier maps stay as they are", used, "b", true},
		{"earlier maps stay as they are", used, "c", false},
	}
	for _, test := range tests {
		if _, got := test.in.get(test.key); got != test.want {
			t.Errorf("%s: get(%q) finds something: %v, want %v", test.reason, test.key, got, test.want)
		}
	}
	if v, _ := three.with("a", 9).get("a"); v != 9 {
		t.Errorf("the later value of a is %d, want 9", v)
	}
}
