package text

import (
	"encoding/json"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// changes writes one change per line, such as
//
//	~ /spec/replicas: 1 -> 2
//
// and a value that is too long for the line as YAML below it, or as its size if counted is set.
func (p *page) changes(indent int, changes []report.Change, counted bool) {
	for _, c := range changes {
		path := c.Path
		if path == "" {
			path = "/"
		}
		switch c.Op {
		case "add":
			p.change(indent, "+", p.good, path, "", c.Value, counted)
		case "remove":
			p.change(indent, "-", p.bad, path, "", c.Old, counted)
		default:
			p.change(indent, "~", p.changed, path, document.Brief(c.Old), c.Value, counted)
		}
	}
}

func (p *page) change(indent int, mark, colour, path, old string, value json.RawMessage, counted bool) {
	head := mark + " " + path + ":"
	if old != "" {
		head += " " + old + " ->"
	}
	text := document.Flow(value)
	switch {
	case words.Columns(head)+1+words.Columns(text) <= p.room(indent):
		p.line(indent, p.paint(colour, head+" "+text))
		return
	case document.IsScalar(value):
		p.paragraph(indent, colour, head)
		p.paragraph(indent+4, colour, text)
		return
	}
	if counted {
		p.line(indent, p.paint(colour, head+" "+document.Size(value)))
		return
	}
	p.line(indent, p.paint(colour, head))
	block, err := encode.YAML(value)
	if err != nil {
		block = value
	}
	for row := range strings.Lines(string(block)) {
		p.line(indent+4, p.paint(colour, strings.TrimRight(row, "\n")))
	}
}
