package inert

import (
	"crypto/rand"
	"strings"
	"sync"
)

// A Colour is a colour that admsim writes text in.
type Colour byte

// The colours; the first one ends all others.
const (
	Reset Colour = iota
	Green
	Red // and bold
	Yellow
	Faint
	Bold
)

var sequences = [...]string{Reset: "\x1b[0m", Green: "\x1b[32m", Red: "\x1b[1;31m", Yellow: "\x1b[33m", Faint: "\x1b[2m", Bold: "\x1b[1m"}

// Mark returns the mark for a colour, which [NewWriter] replaces by the colour. Text from outside cannot contain a
// mark, since nobody can know what marks look like.
func Mark(c Colour) string {
	return markOpens + markKey() + string(rune('a'+c))
}

// markOpens is invalid UTF-8.
const markOpens = "\xFF"

// markKey is the part of a mark between its first byte and its last, the colour.
var markKey = sync.OnceValue(rand.Text)

// marked returns the escape sequence for the mark at the beginning of p, and the length of the mark. n is 0 if there is
// no mark, and -1 if p is too short to tell.
func marked(p []byte) (sequence string, n int) {
	key := markKey()
	n = len(markOpens) + len(key) + 1
	if len(p) < n {
		if strings.HasPrefix(markOpens+key, string(p)) {
			return "", -1
		}
		return "", 0
	}
	colour := int(p[n-1]) - 'a'
	if string(p[len(markOpens):n-1]) != key || colour < 0 || colour >= len(sequences) {
		return "", 0
	}
	return sequences[colour], n
}
