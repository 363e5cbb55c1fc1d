package expect

import (
	"bytes"

	"github.com/rogpeppe/go-internal/diff"
)

// unified returns the difference between two texts: lines with - are wanted, lines with + were got.
func unified(want, got string) string {
	text := diff.Diff("want", withNewline(want), "got", withNewline(got))
	// The first three lines name files, which do not exist here.
	for range 3 {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return string(text)
}

func withNewline(text string) []byte {
	if text != "" && text[len(text)-1] != '\n' {
		text += "\n"
	}
	return []byte(text)
}
