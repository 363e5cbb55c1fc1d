package yamldoc

import (
	"strings"
)

// mostIndent is the largest indentation that is tried for a block with an indentation indicator.
const mostIndent = 40

// block reads a YAML block, which begins with | or >. Its indentation is that of its first line. With an indentation
// indicator, it depends on what is around the block, so all are tried.
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

// indent returns the indentation of the first line that is not empty.
func (r *scalarReader) indent() int {
	for line := range strings.Lines(r.rest) {
		if text := strings.TrimLeft(line, " "); strings.TrimRight(text, "\r\n") != "" {
			return len(line) - len(text)
		}
	}
	return 0
}

// indented reads the lines of a block, including all line breaks at its end.
func (r *scalarReader) indented(indent int, folded bool) *scalarReader {
	b := &scalarReader{Position: r.Position, rest: r.rest}
	var breaks []Position // before the current line
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

// enter skips the indentation of a line. It reports whether the line belongs to the block: a line with less indentation
// does not, unless it is empty.
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
