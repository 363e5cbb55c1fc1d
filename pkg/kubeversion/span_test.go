package kubeversion

import "testing"

func TestSpans(t *testing.T) {
	spans, err := ParseSpans("15-18,20,30-")
	if err != nil {
		t.Fatal(err)
	}
	for minor, want := range map[int]bool{14: false, 15: true, 18: true, 19: false, 20: true, 21: false, 29: false, 30: true, 99: true} {
		if got := spans.Have(minor); got != want {
			t.Errorf("Have(%d) = %v, want %v", minor, got, want)
		}
	}
	for _, text := range []string{"", "a", "15-b", "-15"} {
		if _, err := ParseSpans(text); err == nil {
			t.Errorf("ParseSpans(%q) has no error", text)
		}
	}
}
