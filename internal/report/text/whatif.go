package text

import (
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// sample writes a request, with its source after it or below it.
func (p *page) sample(indent int, s document.Sample) {
	p.head(indent, "", s.String(), s.About())
}

// head writes a title, with more about it after it, or below it if there is no room.
func (p *page) head(indent int, colour, title, about string) {
	if about == "" || words.Columns(title)+2+words.Columns(about) <= p.room(indent) {
		p.line(indent, strings.TrimRight(p.paint(colour, title)+"  "+p.paint(p.faint, about), " "))
		return
	}
	p.paragraph(indent, colour, title)
	p.paragraph(indent+2, p.faint, about)
}

// left pads text with blanks on its left.
func left(text string, to int) string {
	return strings.Repeat(" ", max(to-words.Columns(text), 0)) + text
}
