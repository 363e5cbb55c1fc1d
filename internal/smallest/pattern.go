package smallest

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// matching returns a text that matches a pattern and is not too short or too long: usual if it does, or else one that is
// made for the pattern. If none is found, it returns usual.
func matching(pattern, usual string, least, most int) string {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return usual
	}
	fits := func(text string) bool {
		length := utf8.RuneCountInString(text)
		return length >= least && length <= most && re.MatchString(text)
	}
	if fits(usual) {
		return usual
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return usual
	}
	for more := range 64 { // what is repeated is repeated more and more often
		var b strings.Builder
		writeMatch(&b, parsed, more)
		if fits(b.String()) {
			return b.String()
		}
	}
	return usual
}

// writeMatch writes a text that matches an expression in which everything is repeated as rarely as possible, and a
// number of times more if it may be.
func writeMatch(b *strings.Builder, e *syntax.Regexp, more int) {
	times := func(least, most int) int {
		if most < 0 {
			return least + more
		}
		return min(least+more, most)
	}
	repeated := 1
	switch e.Op {
	case syntax.OpLiteral:
		b.WriteString(string(e.Rune))
		return
	case syntax.OpCharClass:
		b.WriteRune(runeOf(e.Rune))
		return
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('a')
		return
	case syntax.OpAlternate:
		writeMatch(b, e.Sub[0], more)
		return
	case syntax.OpStar:
		repeated = times(0, -1)
	case syntax.OpPlus:
		repeated = times(1, -1)
	case syntax.OpQuest:
		repeated = times(0, 1)
	case syntax.OpRepeat:
		repeated = times(e.Min, e.Max)
	}
	for range repeated {
		for _, sub := range e.Sub {
			writeMatch(b, sub, more)
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
