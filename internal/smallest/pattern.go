package smallest

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matching returns a text that matches a pattern and is not too short or too long: usual if it does, or else one that is
// made for the pattern. If none is found, it returns usual and false.
func (m *maker) matching(pattern, usual string, least, most int) (string, bool) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return usual, false
	}
	fits := func(text string) bool {
		length := utf8.RuneCountInString(text)
		return length >= least && length <= most && re.MatchString(text)
	}
	if fits(usual) {
		return usual, true
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return usual, false
	}
	for more := range 64 { // what is repeated is repeated more and more often
		w := &matchWriter{maker: m, more: more, most: most}
		w.write(parsed)
		if fits(w.text.String()) {
			return w.text.String(), true
		}
		if w.tooLong() {
			break // more of it is not shorter
		}
	}
	return usual, false
}

// A matchWriter writes a text that matches an expression in which everything is repeated as rarely as possible, and a
// number of times more if it may be. It stops if the text is too long.
type matchWriter struct {
	*maker
	text   strings.Builder
	length int // of text, in characters
	more   int
	most   int
}

// tooLong reports whether there is no sense in writing more.
func (w *matchWriter) tooLong() bool { return w.length > w.most || w.pieces <= 0 }

func (w *matchWriter) write(e *syntax.Regexp) {
	w.pieces-- // also for what matches nothing
	repeated := 1
	switch e.Op {
	case syntax.OpLiteral:
		w.text.WriteString(string(e.Rune))
		w.length += len(e.Rune)
		return
	case syntax.OpCharClass:
		w.text.WriteRune(runeOf(e.Rune))
		w.length++
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		w.text.WriteByte('a')
		w.length++
		return
	case syntax.OpAlternate:
		w.write(e.Sub[0])
		return
	case syntax.OpStar:
		repeated = w.more
	case syntax.OpPlus:
		repeated = 1 + w.more
	case syntax.OpQuest:
		repeated = min(w.more, 1)
	case syntax.OpRepeat:
		if repeated = e.Min + w.more; e.Max >= 0 {
			repeated = min(repeated, e.Max)
		}
	}
	for range repeated {
		for _, sub := range e.Sub {
			if w.tooLong() {
				return
			}
			w.write(sub)
		}
	}
}

// runeOf returns a character of a class, which is given as ranges: a common one if there is any.
func runeOf(ranges []rune) rune {
	for _, common := range "a1A" {
		for i := 0; i+1 < len(ranges); i += 2 {
			if ranges[i] <= common && common <= ranges[i+1] {
				return common
			}
		}
	}
	if len(ranges) == 0 {
		return 'a' // such a class matches nothing
	}
	return ranges[0]
}
