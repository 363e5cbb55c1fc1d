package scenario

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"webhook", "warnings", "when", "patch", "patchType", "gracePeriodSeconds"}
	for _, tt := range []struct{ reason, word, want string }{
		{"a letter too few", "webhok", "webhook"},
		{"two letters swapped", "ptach", "patch"},
		{"upper and lower case", "PatchType", "patchType"},
		{"the beginning of one word", "gracePeriod", "gracePeriodSeconds"},
		{"the nearer one", "patchtyp", "patchType"},
		{"nothing near", "colour", ""},
		{"short words need to be nearer", "x", ""},
	} {
		if got := nearest(tt.word, known); got != tt.want {
			t.Errorf("%s: nearest(%s) = %q, want %q", tt.reason, tt.word, got, tt.want)
		}
	}
}

func FuzzSlips(f *testing.F) {
	f.Add("patch", "ptach")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 30 || len(b) > 30 {
			return
		}
		d := slips(a, b)
		if d != slips(b, a) || (d == 0) != (string([]rune(a)) == string([]rune(b))) || d > max(len([]rune(a)), len([]rune(b))) {
			t.Errorf("slips(%q, %q) = %d", a, b, d)
		}
	})
}
