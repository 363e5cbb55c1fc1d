package text

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

func blameText(b *document.Blame, p *page, verbose bool) {
	p.line(0, "# "+p.paint(p.bold, b.Request.String())+p.paint(p.faint, "  "+b.Request.About()))
	if b.Denied != "" {
		p.comment(0, p.bad, "denied: "+p.clean(b.Denied))
	}
	y := &blamedYAML{palette: p.palette, verbose: verbose}
	y.members(0, "", unwritten(b.Root))
	column := 0
	for _, l := range y.lines {
		if n := words.Columns(l.Text); n <= maxBlamed {
			column = max(column, n)
		}
	}
	last := ""
	for _, l := range y.lines {
		if l.By == "" {
			p.line(0, l.Text)
			continue
		}
		comment := l.By
		if l.Source != "" && comment != last {
			last = comment
			comment += ", " + l.Source
		} else {
			last = comment
		}
		switch room := p.room(max(column, words.Columns(l.Text)) + 4); {
		case words.Columns(comment) <= room || l.Block:
			p.line(0, padded(l.Text, column)+"  "+p.paint(l.Colour, "# "+comment))
		case room < leastComment:
			p.line(0, l.Text)
			p.comment(column+2, l.Colour, comment)
		default:
			rows := wrap(comment, room)
			p.line(0, padded(l.Text, column)+"  "+p.paint(l.Colour, "# "+rows[0]))
			for _, row := range rows[1:] {
				p.line(max(column, words.Columns(l.Text))+2, p.paint(l.Colour, "# "+row))
			}
		}
	}
	for _, r := range b.Removed {
		if strings.HasPrefix(r.Path, "/metadata/managedFields") {
			continue
		}
		p.comment(0, p.bad, fmt.Sprintf("removed by %s: %s: %s", r.By.String(), r.Path, words.Shorten(document.Flow(r.Value), 60)))
	}
}

// leastComment is how much room a comment needs beside a line.
const leastComment = 30

// comment writes a comment of YAML.
func (p *page) comment(indent int, colour, text string) {
	for _, row := range wrap(text, p.room(indent+2)) {
		p.line(indent, p.paint(colour, "# "+row))
	}
}

// unwritten returns an object without what the server records when it is written, so that it can be written again: its
// version, and its managedFields, which could be mistaken for who set the fields.
func unwritten(o document.Field) document.Field {
	o.Parts = slices.Clone(o.Parts)
	for i, part := range o.Parts {
		if part.Name == "metadata" {
			o.Parts[i].Parts = slices.DeleteFunc(slices.Clone(part.Parts), func(f document.Field) bool {
				return f.Name == "managedFields" || f.Name == "resourceVersion"
			})
		}
	}
	return o
}

// maxBlamed is the maximum width of a line that moves the column of the comments.
const maxBlamed = 64

// blamedYAML writes an object as YAML, line by line.
type blamedYAML struct {
	palette palette
	verbose bool
	lines   []document.BlamedLine
}

// members writes a map; first is the text before its first line.
func (y *blamedYAML) members(indent int, first string, f document.Field) {
	for _, part := range f.Parts {
		head := first
		if first == "" {
			head = strings.Repeat(" ", indent)
		}
		first = ""
		y.value(indent, head+document.Quoted(part.Name)+":", part)
	}
}

// value writes what comes after a head.
func (y *blamedYAML) value(indent int, head string, f document.Field) {
	switch {
	case len(f.Parts) > 0 && f.IsMap:
		y.lines = append(y.lines, document.BlamedLine{Text: head})
		y.members(indent+2, "", f)
	case len(f.Parts) > 0:
		y.lines = append(y.lines, document.BlamedLine{Text: head})
		y.items(indent, f)
	default:
		y.scalar(indent, head, f)
	}
}

func (y *blamedYAML) items(indent int, f document.Field) {
	for _, item := range f.Parts {
		head := strings.Repeat(" ", indent) + "-"
		switch {
		case item.IsMap && len(item.Parts) > 0:
			y.members(indent+2, head+" ", item)
		case item.IsList && len(item.Parts) > 0:
			y.lines = append(y.lines, document.BlamedLine{Text: head})
			y.items(indent+2, item)
		default:
			y.scalar(indent, head, item)
		}
	}
}

// scalar writes a value; text with several lines is written as a block, with the comment on its first line.
func (y *blamedYAML) scalar(indent int, head string, f document.Field) {
	line := document.BlamedLine{By: f.By.String(), Source: f.By.Source, Colour: y.colour(f.By)}
	var text string
	if json.Unmarshal(f.Value, &text) == nil && strings.Contains(strings.TrimSuffix(text, "\n"), "\n") && !strings.HasPrefix(text, " ") {
		mark := "|"
		if !strings.HasSuffix(text, "\n") {
			mark = "|-"
		}
		line.Text, line.Block = head+" "+mark, true
		y.lines = append(y.lines, line)
		for row := range strings.Lines(text) {
			y.lines = append(y.lines, document.BlamedLine{Text: strings.Repeat(" ", indent+2) + strings.TrimSuffix(row, "\n")})
		}
		return
	}
	value := wholeScalar(f)
	line.Text = head + " " + value
	y.lines = append(y.lines, line)
}

// wholeScalar returns a value on one line, never shortened: the output is YAML.
func wholeScalar(f document.Field) string {
	switch {
	case f.IsMap:
		return "{}"
	case f.IsList:
		return "[]"
	}
	var text string
	if json.Unmarshal(f.Value, &text) == nil && len(f.Value) > 0 && f.Value[0] == '"' {
		if words.Columns(text) > document.Longest {
			return string(f.Value)
		}
		return document.Quoted(text)
	}
	return string(f.Value)
}

func (y *blamedYAML) colour(s document.Setter) string {
	switch s.Sort {
	case document.ByUser:
		return y.palette.bold
	case document.ByWebhook, document.ByPolicy:
		return y.palette.changed
	case document.ByPlugin:
		return y.palette.good
	}
	return y.palette.faint
}
