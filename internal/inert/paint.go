package inert

import (
	"crypto/rand"
	"strings"
	"sync"
)

// A Colour is one that admsim writes text in.
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

// Mark is what stands for a colour until [NewWriter] puts the colour there. Nothing else that a
// writer is given becomes one, since no text from outside can know what marks look like.
func Mark(c Colour) string {
	return markOpens + markKey() + string(rune('a'+c))
}

// markOpens is no UTF-8.
const markOpens = "\xFF"

// markKey is what marks have between their first byte and their last, the colour.
var markKey = sync.OnceValue(rand.Text)

// marked is what the mark that p begins with stands for, and how long the mark is; 0: it begins
// with none, -1: it ends too early to tell.
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
