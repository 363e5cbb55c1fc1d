package text

import (
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// Text has the usual number of columns, and as many as a narrower terminal has, but at least the fewest.
const usualColumns, fewestColumns = 100, 60

// A page is text that is written line by line.
type page struct {
	strings.Builder
	palette
	columns int
}

func newPage(o document.Options) *page {
	p := &page{palette: paletteOf(o.Colour), columns: usualColumns}
	if o.Columns > 0 {
		p.columns = min(max(o.Columns, fewestColumns), usualColumns)
	}
	return p
}

// room returns how many columns a row has from the given column on.
func (p *page) room(column int) int { return p.columns - column }

// line writes one line with the given indentation.
func (p *page) line(indent int, text string) {
	if text = strings.TrimRight(text, " "); text != "" {
		p.WriteString(strings.Repeat(" ", indent) + text)
	}
	p.WriteByte('\n')
}

// wrapped writes text after a head that ends at the given column; further lines begin at that column.
func (p *page) wrapped(head string, column int, colour, text string) {
	p.behind(head, column, colour, wrap(text, p.room(column)))
}

// listed is like [page.wrapped] for a list whose items are not broken.
func (p *page) listed(head string, column int, colour string, items []string) {
	parts := slices.Clone(items)
	for i := range len(parts) - 1 {
		parts[i] += ","
	}
	p.behind(head, column, colour, fill(parts, p.room(column)))
}

func (p *page) behind(head string, column int, colour string, rows []string) {
	if len(rows) == 0 {
		p.line(0, head)
		return
	}
	p.line(0, head+p.paint(colour, rows[0]))
	for _, row := range rows[1:] {
		p.line(column, p.paint(colour, row))
	}
}

// labelled writes text after a label; further lines are indented more deeply.
func (p *page) labelled(indent int, colour, label, text string) {
	const deeper = 2
	rows := wrap(label+" "+text, p.room(indent+deeper))
	p.line(indent, p.paint(colour, label)+strings.TrimPrefix(rows[0], label))
	for _, row := range rows[1:] {
		p.line(indent+deeper, row)
	}
}

// assumed writes which answers of webhooks were made up, and how to declare them.
func (p *page) assumed(about string) {
	p.labelled(0, p.changed, "assumed:", about)
	p.labelled(0, p.bold, "hint:", document.AssumedHint)
}

// paragraph writes text, indented.
func (p *page) paragraph(indent int, colour, text string) {
	for _, row := range wrap(text, p.room(indent)) {
		p.line(indent, p.paint(colour, row))
	}
}

// wrap breaks text at blanks into rows of at most room columns; a longer word gets its own row, except for JSON, which is
// broken between its values. It keeps line breaks in the text, and the columns of what is laid out with tabs or several
// blanks, such as differences.
func wrap(text string, room int) (rows []string) {
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if wide := strings.ReplaceAll(line, "\t", "  "); strings.Contains(wide, "  ") && words.Columns(wide) <= room {
			rows = append(rows, strings.TrimRight(wide, " "))
			continue
		}
		rows = append(rows, fill(strings.FieldsFunc(line, words.IsBlank), room)...)
	}
	return rows
}

// fill puts parts into rows of at most room columns.
func fill(parts []string, room int) (rows []string) {
	room = max(room, 20)
	row := ""
	for _, part := range parts {
		between := " "
		for _, piece := range pieces(part, room) {
			switch {
			case row == "":
				row = piece
			case words.Columns(row+between+piece) > room:
				rows = append(rows, row)
				row = piece
			default:
				row += between + piece
			}
			between = ""
		}
	}
	if row != "" {
		rows = append(rows, row)
	}
	return rows
}

// pieces returns the pieces that a part may be broken into: the members and items of JSON that is longer than a row.
func pieces(part string, room int) (all []string) {
	if words.Columns(part) <= room {
		return []string{part}
	}
	from := 0
	for i := 1; i+1 < len(part); i++ {
		if part[i] == ',' && strings.IndexByte(`"}]el0123456789`, part[i-1]) >= 0 && strings.IndexByte(`"{[`, part[i+1]) >= 0 {
			all, from = append(all, part[from:i+1]), i+1
		}
	}
	return append(all, part[from:])
}

// padded appends blanks to text up to the given width.
func padded(text string, to int) string {
	return text + strings.Repeat(" ", max(to-words.Columns(text), 0))
}
