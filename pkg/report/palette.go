package report

import (
	"strings"

	"github.com/admsim/admsim/pkg/trace"
)

// A palette is what a text is painted with; without colours all of it is empty.
type palette struct {
	good, bad, changed, faint, bold, reset string
}

func paletteOf(colour bool) palette {
	if !colour {
		return palette{}
	}
	return palette{
		good:    "\x1b[32m",
		bad:     "\x1b[1;31m",
		changed: "\x1b[33m",
		faint:   "\x1b[2m",
		bold:    "\x1b[1m",
		reset:   "\x1b[0m",
	}
}

// paint colours text, but not the blanks around it.
func (p palette) paint(colour, text string) string {
	if colour == "" || strings.TrimSpace(text) == "" {
		return text
	}
	left := len(text) - len(strings.TrimLeft(text, " "))
	right := len(strings.TrimRight(text, " "))
	return text[:left] + colour + text[left:right] + p.reset + text[right:]
}

// of is the colour of an outcome.
func (p palette) of(outcome string) string {
	switch trace.Outcome(outcome) {
	case trace.Allowed:
		return p.good
	case trace.Changed, trace.FailedOpen:
		return p.changed
	case trace.Denied, trace.Failed:
		return p.bad
	}
	return p.faint
}
