package yamldoc

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Scalar is a string in a file: its value, and the place in the file of each character of the value. Folding, escapes
// and indentation shift these places.
type Scalar struct {
	value  string
	places []Position // of each character, and of the end
}

// at returns the place of a character of the value, given its line and column in the value, both counted from 1. If the
// line is shorter, it returns the end of the line.
func (s *Scalar) at(line, column int) (Position, bool) {
	i, rest := 0, s.value
	for ; line > 1; line-- {
		before, after, found := strings.Cut(rest, "\n")
		if !found {
			return Position{}, false
		}
		i += utf8.RuneCountInString(before) + 1
		rest = after
	}
	text, _, _ := strings.Cut(rest, "\n")
	i += min(max(column-1, 0), utf8.RuneCountInString(text))
	return s.places[i], true
}

// ScalarAt reads the string at a place of the chunk: plain or quoted, over several lines, a YAML block, or JSON. value
// is what a parser made of it; ok is false if the result differs from value.
func (c Chunk) ScalarAt(at Position, value string) (*Scalar, bool) {
	r := &scalarReader{Position: at, rest: c.from(at)}
	r.properties()
	if r.rest == "" {
		return nil, false
	}
	switch first := r.rest[0]; first {
	case '|', '>':
		return r.block(value)
	case '"', '\'':
		r.skip()
		return r.flow(value, first)
	}
	return r.flow(value, 0)
}

// from returns the text of the chunk from a place of the file on.
func (c Chunk) from(at Position) string {
	text := c.text
	for line := c.line + 1; line < int(at.Line); line++ {
		i := bytes.IndexByte(text, '\n')
		if i < 0 {
			return ""
		}
		text = text[i+1:]
	}
	for column := int32(1); column < at.column && len(text) > 0; column++ {
		_, size := utf8.DecodeRune(text)
		text = text[size:]
	}
	return string(text)
}

// lineAt returns the whole line of a place.
func (c Chunk) lineAt(at Position) string {
	line, _, _ := strings.Cut(c.from(Position{at.Line, 1}), "\n")
	return strings.TrimSuffix(line, "\r")
}

// A scalarReader reads a string that begins at a place.
type scalarReader struct {
	Position
	rest string
	out  Scalar
	text strings.Builder
}

// skip advances by one character.
func (r *scalarReader) skip() rune {
	c, size := utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[size:]
	if c == '\n' {
		r.Position = Position{r.Line + 1, 1}
	} else {
		r.column++
	}
	return c
}

func (r *scalarReader) put(c rune, from Position) {
	r.text.WriteRune(c)
	r.out.places = append(r.out.places, from)
}

// properties skips the anchor and tag before a value.
func (r *scalarReader) properties() {
	for r.rest != "" && (r.rest[0] == '&' || r.rest[0] == '!') {
		for r.rest != "" && !isSpace(r.rest[0]) {
			r.skip()
		}
		for r.rest != "" && isSpace(r.rest[0]) {
			r.skip()
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// done reports whether the text that was read is value, or begins with it.
func (r *scalarReader) done(value string) (*Scalar, bool) {
	if !strings.HasPrefix(r.text.String(), value) {
		return nil, false
	}
	n := utf8.RuneCountInString(value)
	r.out.places = append(r.out.places, r.Position)
	r.out.value, r.out.places = value, r.out.places[:n+1]
	return &r.out, true
}

// flow reads a plain or quoted string up to the end of value. White space with line breaks in it is folded: one line
// break is a space, and each further one a line break.
func (r *scalarReader) flow(value string, quote byte) (*Scalar, bool) {
	for r.rest != "" && r.text.Len() < len(value) {
		start := r.Position
		switch {
		case isSpace(r.rest[0]):
			r.fold()
		case quote == '\'' && strings.HasPrefix(r.rest, "''"):
			r.skip()
			r.put(r.skip(), start)
		case quote == '"' && r.rest[0] == '\\':
			r.escape()
		case r.rest[0] == quote:
			return nil, false
		default:
			r.put(r.skip(), start)
		}
	}
	return r.done(value)
}

func (r *scalarReader) fold() {
	type blank struct {
		c    rune
		from Position
	}
	var blanks []blank
	breaks := 0
	for r.rest != "" && isSpace(r.rest[0]) {
		from := r.Position
		c := r.skip()
		if c == '\n' {
			breaks++
		}
		blanks = append(blanks, blank{c, from})
	}
	switch {
	case breaks == 0:
		for _, b := range blanks {
			r.put(b.c, b.from)
		}
	case breaks == 1:
		r.put(' ', blanks[0].from)
	default:
		for range breaks - 1 {
			r.put('\n', blanks[0].from)
		}
	}
}

// escapes are the escapes in double quotes, except those with a number.
var escapes = map[byte]rune{
	'0': 0, 'a': '\a', 'b': '\b', 't': '\t', '\t': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', 'e': 0x1b,
	' ': ' ', '"': '"', '\'': '\'', '/': '/', '\\': '\\', 'N': 0x85, '_': 0xa0, 'L': 0x2028, 'P': 0x2029,
}

var escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

func (r *scalarReader) escape() {
	start := r.Position
	r.skip()
	if r.rest == "" {
		return
	}
	kind := r.rest[0]
	digits := escapeDigits[kind]
	r.skip()
	if kind == '\n' || kind == '\r' { // the line continues on the next one
		for r.rest != "" && isSpace(r.rest[0]) {
			r.skip()
		}
		return
	}
	if digits == 0 {
		r.put(escapes[kind], start)
		return
	}
	c := r.number(digits)
	if c >= 0xd800 && c < 0xdc00 && strings.HasPrefix(r.rest, `\u`) { // the first half of a pair, in JSON
		r.skip()
		r.skip()
		c = 0x10000 + (c-0xd800)<<10 + (r.number(digits) - 0xdc00)
	}
	r.put(c, start)
}

func (r *scalarReader) number(digits int) rune {
	n := min(digits, len(r.rest))
	c, err := strconv.ParseUint(r.rest[:n], 16, 32)
	if err != nil {
		return utf8.RuneError
	}
	for range n {
		r.skip()
	}
	return rune(c)
}
