package yamldoc

import (
	"strings"
)

// mostIndent is how far a block with an indentation indicator is tried to be indented.
const mostIndent = 40

// block reads a YAML block, which begins with | or >. How far it is indented is what its
// first line is; where the block tells it, that depends on what is around it, and is tried.
func (r *scalarReader) block(value string) (*Scalar, bool) {
	header, _, _ := strings.Cut(r.rest, "\n")
	folded := header[0] == '>'
	header, _, _ = strings.Cut(header, "#")
	for r.rest != "" && r.skip() != '\n' {
	}
	if !strings.ContainsAny(header, "123456789") {
		return r.indented(r.indent(), folded).done(value)
	}
	for indent := 1; indent <= mostIndent; indent++ {
		if s, ok := r.indented(indent, folded).done(value); ok {
			return s, true
		}
	}
	return nil, false
}

// indent is how far the first line with anything in it is indented.
func (r *scalarReader) indent() int {
	for line := range strings.Lines(r.rest) {
		if text := strings.TrimLeft(line, " "); strings.TrimRight(text, "\r\n") != "" {
			return len(line) - len(text)
		}
	}
	return 0
}

// indented reads the lines of a block, with every line break at its end.
func (r *scalarReader) indented(indent int, folded bool) *scalarReader {
	b := &scalarReader{Position: r.Position, rest: r.rest}
	var breaks []Position // before the line at hand
	spaced, first := false, true
	for b.rest != "" {
		if !b.enter(indent) {
			break
		}
		if b.rest == "" || b.rest[0] == '\n' || strings.HasPrefix(b.rest, "\r\n") {
			breaks = append(breaks, b.Position)
			b.toNextLine()
			continue
		}
		wasSpaced := spaced
		spaced = b.rest[0] == ' ' || b.rest[0] == '\t'
		if folded && !first && !wasSpaced && !spaced {
			b.join(breaks)
		} else {
			b.breaks(breaks)
		}
		for b.rest != "" && b.rest[0] != '\n' && !strings.HasPrefix(b.rest, "\r\n") {
			from := b.Position
			b.put(b.skip(), from)
		}
		breaks = []Position{b.Position}
		b.toNextLine()
		first = false
	}
	b.breaks(breaks)
	return b
}

// enter goes past the indentation of a line, which is not one of the block where it has
// less and is not empty.
func (r *scalarReader) enter(indent int) bool {
	for range indent {
		if r.rest == "" || r.rest[0] != ' ' {
			break
		}
		r.skip()
	}
	return r.rest == "" || r.rest[0] == '\n' || strings.HasPrefix(r.rest, "\r\n") || int(r.column) == indent+1
}

func (r *scalarReader) toNextLine() {
	for r.rest != "" && r.skip() != '\n' {
	}
}

// join folds the line breaks between two lines.
func (r *scalarReader) join(breaks []Position) {
	if len(breaks) == 1 {
		r.put(' ', breaks[0])
		return
	}
	r.breaks(breaks[1:])
}

func (r *scalarReader) breaks(breaks []Position) {
	for _, from := range breaks {
		r.put('\n', from)
	}
}
