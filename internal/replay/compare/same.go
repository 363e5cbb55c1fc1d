package compare

import (
	"bytes"

	"github.com/admsim/admsim/internal/steady"
)

// sameText reports whether two JSON texts are certainly the same after normalization. It decodes nothing, and gives up
// if they are written differently: most answers agree, and both sides write fields in the same order. If it returns
// false, the values must be compared.
func sameText(a, b []byte) bool {
	s := lockstep{a: cursor{text: a}, b: cursor{text: b}}
	return s.value(nil) && s.a.peek() == 0 && s.b.peek() == 0
}

// A lockstep walks through two texts in parallel.
type lockstep struct{ a, b cursor }

// value compares the next value of both texts, which is the value of the named field.
func (s *lockstep) value(name []byte) bool {
	first := s.a.peek()
	if first != s.b.peek() {
		return false
	}
	switch first {
	case '{':
		return s.object()
	case '[':
		return s.array()
	case '"':
		a, ok1 := s.a.quoted()
		b, ok2 := s.b.quoted()
		return ok1 && ok2 && sameString(name, a, b)
	}
	a := s.a.word()
	return len(a) > 0 && bytes.Equal(a, s.b.word())
}

func (s *lockstep) object() bool {
	s.a.at++
	s.b.at++
	for {
		a, ok1 := s.a.key()
		b, ok2 := s.b.key()
		if !ok1 || !ok2 || !bytes.Equal(a, b) {
			return false
		}
		if a == nil {
			return true
		}
		if !s.value(a) {
			return false
		}
	}
}

// key reads the next key, skipping those that are not compared; it returns nil at the end of the object.
func (c *cursor) key() (key []byte, ok bool) {
	for {
		if c.peek() == ',' {
			c.at++
		}
		if c.peek() == '}' {
			c.at++
			return nil, true
		}
		if key, ok = c.quoted(); !ok || c.peek() != ':' {
			return nil, false
		}
		c.at++
		if string(key) != "managedFields" {
			return key, true
		}
		if !c.skip() {
			return nil, false
		}
	}
}

func (s *lockstep) array() bool {
	s.a.at++
	s.b.at++
	for {
		for _, c := range []*cursor{&s.a, &s.b} {
			if c.peek() == ',' {
				c.at++
			}
		}
		if end := s.a.peek() == ']'; end || s.b.peek() == ']' {
			same := end && s.b.peek() == ']'
			s.a.at++
			s.b.at++
			return same
		}
		if !s.value(nil) {
			return false
		}
	}
}

// sameString compares strings as package steady normalizes them. Strings with escapes must be identical, since its
// patterns would not see through the escapes.
func sameString(name, a, b []byte) bool {
	switch {
	case bytes.Equal(a, b):
		return true
	case len(a) == 0 || len(b) == 0 || bytes.IndexByte(a, '\\') >= 0 || bytes.IndexByte(b, '\\') >= 0:
		return false
	case steady.Varies(string(name)):
		return true
	}
	return steady.Text(string(a)) == steady.Text(string(b))
}

// A cursor is a position in a JSON text.
type cursor struct {
	text []byte
	at   int
}

// peek returns the next character that is not white space, or 0 at the end.
func (c *cursor) peek() byte {
	for c.at < len(c.text) {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
	return 0
}

// quoted reads a string and returns it as it is written between its quotes.
func (c *cursor) quoted() ([]byte, bool) {
	if c.peek() != '"' {
		return nil, false
	}
	start := c.at + 1
	if n := bytes.IndexByte(c.text[start:], '"'); n >= 0 && bytes.IndexByte(c.text[start:start+n], '\\') < 0 {
		c.at = start + n + 1
		return c.text[start : start+n : start+n], true
	}
	for i := start; i < len(c.text); i++ {
		switch c.text[i] {
		case '\\':
			i++
		case '"':
			c.at = i + 1
			return c.text[start:i:i], true
		}
	}
	return nil, false
}

// word reads a number, true, false or null.
func (c *cursor) word() []byte {
	start := c.at
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return c.text[start:c.at]
		}
	}
	return c.text[start:]
}

// skip skips a value.
func (c *cursor) skip() bool {
	depth := 0
	for {
		switch c.peek() {
		case 0:
			return false
		case '"':
			if _, ok := c.quoted(); !ok {
				return false
			}
		case '{', '[':
			depth++
			c.at++
		case '}', ']':
			depth--
			c.at++
		case ',', ':':
			c.at++
			continue
		default:
			c.word()
			if c.peek() == ':' {
				return false
			}
		}
		if depth == 0 {
			return true
		}
	}
}
