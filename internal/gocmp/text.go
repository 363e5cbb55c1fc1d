package gocmp

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A mode says on which side of the difference a text is. It is the character in front of its lines.
type mode byte

const (
	unknown   mode = 0
	identical mode = ' '
	removed   mode = '-'
	inserted  mode = '+'
)

const (
	maxColumns = 80
	nothing    = line("nil")
	ellipsis   = line("...")
)

// A text is what will be printed, as a tree: a line, a list, or a text in brackets.
type text interface {
	// compact appends the text as a single line, and returns the text with all parts that are short enough as lines.
	compact(b []byte, m mode) ([]byte, text)
	// expand appends the text in its final form; depth is that of its lines.
	expand(b []byte, m mode, depth int) []byte
	// length returns the number of bytes of the text as a single line.
	length() int
	equal(other text) bool
}

// A line stays on a single line.
type line string

func (l line) compact(b []byte, _ mode) ([]byte, text) { return append(b, l...), l }
func (l line) expand(b []byte, _ mode, _ int) []byte   { return append(b, l...) }
func (l line) length() int                             { return len(l) }
func (l line) equal(other text) bool                   { return l == other }
func indented(b []byte, m mode, depth int) []byte {
	return append(margin(b, m), strings.Repeat("\t", depth)...)
}
func isLine(t text) bool { _, ok := t.(line); return ok }

func margin(b []byte, m mode) []byte {
	if m == unknown {
		m = identical
	}
	return append(b, byte(m), ' ')
}

// A wrapped text has something in front of it and behind it.
type wrapped struct {
	before string
	text   text
	after  string
}

func (w wrapped) compact(b []byte, m mode) ([]byte, text) {
	start := len(b)
	b = append(b, w.before...)
	b, w.text = w.text.compact(b, m)
	b = append(b, w.after...)
	if isLine(w.text) {
		return b, line(b[start:])
	}
	return b, w
}

func (w wrapped) expand(b []byte, m mode, depth int) []byte {
	b = w.text.expand(append(b, w.before...), m, depth)
	return append(b, w.after...)
}

func (w wrapped) length() int { return len(w.before) + w.text.length() + len(w.after) }

func (w wrapped) equal(other text) bool {
	o, ok := other.(wrapped)
	return ok && w.before == o.before && w.after == o.after && w.text.equal(o.text)
}

// braced returns a list in braces.
func braced(l list) text { return wrapped{"{", l, "}"} }

// A list has its items on lines of their own, unless all of them fit on one.
type list []item

// An item is an entry of a list.
type item struct {
	mode    mode
	key     string
	text    text
	noComma bool
	alone   bool   // on a line of its own, if not all items fit on one
	left    *count // what an ellipsis stands for
	comment string // if left is nil
}

// skip appends an ellipsis for what was left out.
func (l *list) skip(left *count) {
	*l = append(*l, item{text: ellipsis, noComma: true, left: left})
}

func (i item) remark() string {
	if i.left != nil {
		return i.left.String()
	}
	return i.comment
}

func (l list) compact(b []byte, m mode) ([]byte, text) {
	start, short := len(b), true
	compacted := make(list, len(l))
	for i, it := range l {
		if i > 0 {
			b = append(b, ", "...)
		}
		if it.key != "" {
			b = append(b, it.key+": "...)
		}
		b, it.text = it.text.compact(b, m|it.mode)
		if it.mode == inserted || it.mode == removed || !isLine(it.text) || it.remark() != "" {
			short = false
		}
		compacted[i] = it
	}
	if (m == inserted || m == removed) && len(b)-start > maxColumns {
		short = false
	}
	if short {
		return b, line(b[start:])
	}
	return b, compacted
}

func (l list) expand(b []byte, m mode, depth int) []byte {
	if l.isSimple() {
		b = l.expandSimple(b, m, depth+1)
		return indented(append(b, '\n'), m, depth)
	}
	keyPadding := l.padding(func(i item) string { return i.key }, func(i item) bool { return i.key != "" && isLine(i.text) })
	textPadding := l.padding(func(i item) string { return string(i.text.(line)) }, func(i item) bool {
		return isLine(i.text) && !i.text.equal(ellipsis) && i.remark() != ""
	})
	for i, it := range l {
		b = indented(append(b, '\n'), m|it.mode, depth+1)
		if it.key != "" {
			b = append(b, it.key+": "...)
		}
		b = append(b, keyPadding[i]...)
		b = it.text.expand(b, m|it.mode, depth+1)
		if !it.noComma {
			b = append(b, ',')
		}
		b = append(b, textPadding[i]...)
		if remark := it.remark(); remark != "" {
			b = append(b, " // "+remark...)
		}
	}
	return indented(append(b, '\n'), m, depth)
}

// isSimple reports whether there are only lines without a key, so that several can share a line.
func (l list) isSimple() bool {
	for _, it := range l {
		if it.alone || it.mode != unknown || it.key != "" || !isLine(it.text) || it.remark() != "" {
			return false
		}
	}
	return len(l) > 0
}

func (l list) expandSimple(b []byte, m mode, depth int) []byte {
	var batch []byte
	flush := func() {
		if len(batch) > 0 {
			b = append(indented(append(b, '\n'), m, depth), bytes.TrimRight(batch, " ")...)
			batch = batch[:0]
		}
	}
	for _, it := range l {
		l := it.text.(line)
		if len(batch)+len(l)+len(", ") > maxColumns {
			flush()
		}
		batch = append(append(batch, l...), ", "...)
	}
	flush()
	return b
}

// padding returns the spaces that align adjacent items of one sort.
func (l list) padding(of func(item) string, applies func(item) bool) []string {
	spaces := make([]string, len(l))
	for start := 0; start < len(l); start++ {
		stop, widest := start, 0
		for ; stop < len(l) && applies(l[stop]); stop++ {
			widest = max(widest, utf8.RuneCountInString(of(l[stop])))
		}
		for ; start < stop; start++ {
			spaces[start] = strings.Repeat(" ", widest-utf8.RuneCountInString(of(l[start])))
		}
	}
	return spaces
}

func (l list) length() int {
	n := 0
	for i, it := range l {
		if i > 0 {
			n += len(", ")
		}
		if it.key != "" {
			n += len(it.key) + len(": ")
		}
		n += it.text.length()
	}
	return n
}

func (l list) equal(other text) bool {
	o, ok := other.(list)
	if !ok || len(l) != len(o) {
		return false
	}
	for i := range l {
		if l[i].mode != o[i].mode || l[i].key != o[i].key || l[i].remark() != o[i].remark() || !l[i].text.equal(o[i].text) {
			return false
		}
	}
	return true
}

// A count says how many members are equal or differ.
type count struct {
	name                                   string // of one member
	identical, removed, inserted, modified int
}

func (c count) differing() int { return c.removed + c.inserted + c.modified }

func (c count) plus(d count) count {
	return count{c.name, c.identical + d.identical, c.removed + d.removed, c.inserted + d.inserted, c.modified + d.modified}
}

// String returns the comment behind an ellipsis: "2 identical and 1 removed fields".
func (c count) String() string {
	var words []string
	for _, w := range []struct {
		n    int
		what string
	}{{c.identical, "identical"}, {c.removed, "removed"}, {c.inserted, "inserted"}, {c.modified, "modified"}} {
		if w.n > 0 {
			words = append(words, fmt.Sprint(w.n, " ", w.what))
		}
	}
	name := c.name
	if c.identical+c.differing() > 1 {
		name += "s"
		if stem, ok := strings.CutSuffix(name, "ys"); ok {
			name = stem + "ies"
		}
	}
	if n := len(words); n > 2 {
		words = []string{strings.Join(words[:n-1], ", ") + ",", words[n-1]}
	}
	return strings.Join(words, " and ") + " " + name
}
