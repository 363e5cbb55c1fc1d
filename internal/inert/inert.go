// Package inert makes text from outside harmless where people and the logs of CI read it.
//
// The names and messages that admsim shows were written by others. Without care they could move the cursor of a
// terminal, reverse the direction of a line, or give a command to the runner of a CI job, which reads commands from the
// log. Goals:
//
//   - No control character except line feed and tab, no direction mark, no invisible character and no invalid UTF-8
//     gets through. Each is shown in Go's notation: \x1b, \u202e, \xff.
//   - No line is a command to a runner: neither ::name at its beginning (GitHub), nor ##[name] or ##name[ anywhere in
//     it (GitHub, Azure Pipelines, TeamCity).
//   - Colours are added by admsim itself, with [Mark]. Text from outside cannot contain one.
//   - Other text is not changed, so inert text stays the same when it is written again.
//
// Each line is escaped on its own. GitHub's ::stop-commands:: is not used: it needs a token that nobody else knows, and
// anybody who learns it can end it. For the same reason the rules do not depend on where admsim runs: its output may be
// in a container, or in a file that is printed later.
//
// The text is not meant to be decoded: a backslash is not escaped, so \x1b in the output may also be four characters of
// the input. JSON ([NewJSONWriter]) and YAML ([Quote]) use their own escapes and lose nothing.
//
// Start with [NewWriter], which all text output goes through, and [Text] for a part of another format.
package inert

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text returns s as [NewWriter] would write it as a line, or lines, of its own.
func Text(s string) string {
	if Is(s) {
		return s
	}
	e := escaper{}
	return string(e.append(nil, []byte(s)))
}

// Shown returns s with invisible characters shown. It is [Text] for places where the colons and brackets of commands
// are made harmless in another way.
func Shown(s string) string {
	var b strings.Builder
	from := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !shown(r) || r == utf8.RuneError && n == 1 {
			b.WriteString(s[from:i] + Text(s[i:i+n]))
			from = i + n
		}
		i += n
	}
	return b.String() + s[from:]
}

// Is reports whether s is inert.
func Is[T string | []byte](s T) bool {
	e := escaper{}
	return passes(&e, s)
}

// passes reports whether s is complete and inert after what e has seen.
func passes[T string | []byte](e *escaper, s T) bool {
	var buffer [utf8.UTFMax]byte
	for i := 0; i < len(s); i++ {
		r := rune(s[i])
		if r >= utf8.RuneSelf {
			n := 0
			if r, n = utf8.DecodeRune(buffer[:copy(buffer[:], s[i:])]); n == 1 {
				return false
			}
			i += n - 1
		}
		if e.unsafe(r) {
			return false
		}
	}
	return true
}

// Quote returns s as a YAML scalar in double quotes, on one line.
func Quote(s string) string {
	e := escaper{}
	to := []byte{'"'}
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			to = append(to, '\\', byte(r))
			e.unsafe(r)
		case r == '\n' || r == '\t' || e.unsafe(r):
			to = appendEscape(to, r)
		default:
			to = utf8.AppendRune(to, r)
		}
	}
	return string(append(to, '"'))
}

// appendEscape appends a rune in the notation of Go and YAML.
func appendEscape(to []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	switch r {
	case ':', '[':
		return append(to, '\\', 'x', digits[r>>4], digits[r&15])
	}
	quoted := strconv.AppendQuoteRuneToASCII(nil, r)
	return append(to, quoted[1:len(quoted)-1]...)
}

// appendJSONEscape appends a rune in the notation of JSON.
func appendJSONEscape(to []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	if r > 0xFFFF {
		r -= 0x10000
		return appendJSONEscape(appendJSONEscape(to, 0xD800+r>>10), 0xDC00+r&0x3FF)
	}
	return append(to, '\\', 'u', digits[r>>12], digits[r>>8&15], digits[r>>4&15], digits[r&15])
}

// An escaper keeps the state of the current line that decides whether the next rune is harmless.
type escaper struct {
	json bool

	begun  bool // the line has more than blanks and a colon
	colon  bool // it has a colon so far
	hashes int  // just before, with letters after two of them: ## or ##name
}

// unsafe reports whether a rune must not occur at this position. The beginning of a line is what is left of it without
// its leading blanks, as in the runner of GitHub (actions/runner:src/Runner.Common/ActionCommand.cs, TryParseV2 and
// TryParse).
func (e *escaper) unsafe(r rune) bool {
	if !shown(r) {
		e.begun, e.hashes = true, 0
		return true
	}
	switch {
	case r == '\n':
		*e = escaper{json: e.json}
	case r == zeroWidthJoiner || r == zeroWidthNonJoiner: // a comparison may ignore it
	case r == '#':
		e.begun, e.hashes = true, min(e.hashes+1, 2)
	case r == '[' && e.hashes == 2:
		e.begun, e.hashes = true, 0
		return true
	case 'a' <= r|0x20 && r|0x20 <= 'z' && e.hashes == 2:
	case r == ':' && !e.begun && !e.json:
		e.hashes = 0
		if e.colon {
			e.begun = true
			return true
		}
		e.colon = true
	default:
		e.hashes = 0
		e.begun = e.begun || e.colon || !unicode.IsSpace(r)
	}
	return false
}

const (
	zeroWidthNonJoiner = '\u200C' // separates letters in Persian and other scripts
	zeroWidthJoiner    = '\u200D' // joins emoji
)

// shown reports whether a rune is visible.
func shown(r rune) bool {
	if r < 0x7F {
		return r >= ' ' || r == '\n' || r == '\t'
	}
	return unicode.IsGraphic(r) || r == zeroWidthJoiner || r == zeroWidthNonJoiner
}

// append appends p, escaped. The last rune of p must be complete.
func (e *escaper) append(to, p []byte) []byte {
	for len(p) > 0 {
		r, n := utf8.DecodeRune(p)
		switch {
		case r == utf8.RuneError && n == 1 && e.json:
			to = appendJSONEscape(to, utf8.RuneError)
			e.unsafe(utf8.RuneError)
		case r == utf8.RuneError && n == 1:
			const digits = "0123456789abcdef"
			to = append(to, '\\', 'x', digits[p[0]>>4], digits[p[0]&15])
			e.unsafe(utf8.RuneError)
		case !e.unsafe(r):
			to = append(to, p[:n]...)
		case e.json:
			to = appendJSONEscape(to, r)
		default:
			to = appendEscape(to, r)
		}
		p = p[n:]
	}
	return to
}
