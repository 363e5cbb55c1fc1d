package text

import (
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/pkg/trace"
)

// A palette holds the colours of a text; without colours they are all empty.
type palette struct {
	good, bad, changed, faint, bold, reset string
}

func paletteOf(colour bool) palette {
	if !colour {
		return palette{}
	}
	return palette{
		good:    inert.Mark(inert.Green),
		bad:     inert.Mark(inert.Red),
		changed: inert.Mark(inert.Yellow),
		faint:   inert.Mark(inert.Faint),
		bold:    inert.Mark(inert.Bold),
		reset:   inert.Mark(inert.Reset),
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

// of returns the colour of an outcome.
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
