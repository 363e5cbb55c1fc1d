package admission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/admission"
)

// Warnings are dropped and cut as W-254 and W-255 say. want has the number of characters of each warning sent.
func TestWarnings(t *testing.T) {
	long := func(letter string, n int) string { return strings.Repeat(letter, n) }
	of256 := func(n int) (texts []string) {
		for i := range n {
			texts = append(texts, long(string(rune('a'+i)), 256))
		}
		return texts
	}
	times := func(n, of int) (lengths []int) {
		for range n {
			lengths = append(lengths, of)
		}
		return lengths
	}
	for _, tt := range []struct {
		reason string
		texts  []string
		want   []int
	}{
		{"empty or repeated warnings, or those that no header can hold", []string{"", "a", "a", "b\n", "\xff"}, []int{1}},
		{"exactly the available room", []string{long("a", 4096)}, []int{4096}},
		{"characters count, not bytes", []string{long("é", 4096)}, []int{4096}},
		{"if there are more, all are cut, including earlier ones", []string{long("a", 4000), long("b", 97)}, []int{256, 97}},
		{"cut by characters", []string{long("é", 4097)}, []int{256}},
		{"no more once it is full", append(of256(16), "z"+long("z", 255), "y"), times(17, 256)},
		{"as long as there is room, another one is cut", []string{long("a", 4097), long("b", 300)}, []int{256, 256}},
		{"cutting may remove what no header can hold", []string{long("a", 300) + "\n", long("b", 4097)}, []int{256, 256}},
	} {
		var w admission.Warnings
		for _, text := range tt.texts {
			w.Add(text)
		}
		var got []int
		for _, text := range w.List() {
			got = append(got, len([]rune(text)))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
