package text

import (
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// sample writes a request, with where it is from behind it or below.
func (p *page) sample(indent int, s document.Sample) {
	p.head(indent, s.String(), s.About())
}

// head writes words, and what is about them behind, or below where there is no room.
func (p *page) head(indent int, title, about string) {
	if about == "" || indent+words.Columns(title)+2+words.Columns(about) <= width {
		p.line(indent, strings.TrimRight(title+"  "+p.paint(p.faint, about), " "))
		return
	}
	p.paragraph(indent, "", title)
	p.paragraph(indent+2, p.faint, about)
}

// left is text, with blanks before it up to so many columns.
func left(text string, to int) string {
	return strings.Repeat(" ", max(to-words.Columns(text), 0)) + text
}
