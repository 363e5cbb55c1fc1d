// Package words has the words that all formats for people share: numbers of things, names of hooks, requests in the
// words of kubectl, durations to three digits.
//
// It knows what a result is, but no format.
package words

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Plural returns a number of things.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%s %ss", Thousands(n), what)
}

// Thousands returns a number with separators for thousands.
func Thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// NameOf returns the name of a webhook, or of a policy with its binding. A policy without a binding in force has only
// its own name.
func NameOf(configuration, name string) string {
	if name == "" {
		return configuration
	}
	return configuration + "/" + name
}

func Join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ", " + b
}

func Columns(text string) int { return utf8.RuneCountInString(text) }

func Shorten(text string, room int) string {
	if Columns(text) <= room {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s... (%d characters)", string(runes[:room-20]), len(runes))
}

// OneLine returns text with runs of blanks and line breaks as single spaces.
func OneLine(text string) string { return strings.Join(strings.FieldsFunc(text, IsBlank), " ") }

// IsBlank reports whether text may be broken at a rune. Other Unicode white space is shown as it is.
func IsBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }

func Signed(n int) string {
	if n > 0 {
		return "+" + Thousands(n)
	}
	return Thousands(n)
}

func AreCounted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Thousands(n) + " " + many
}

func PluralVerb(n int, what string) string {
	if n != 1 {
		return what
	}
	verb, rest, _ := strings.Cut(what, " ")
	if verb == "are" {
		verb = "is"
	} else if strings.HasSuffix(verb, "s") {
		verb += "es"
	} else {
		verb += "s"
	}
	return strings.TrimSpace(verb + " " + rest)
}

// Percent is truncated, not rounded: 100 means all.
func Percent(part, of int) string {
	hundredths := part * 10_000 / of
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// OrNothing returns a text, or the word for none.
func OrNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

// OrNone returns a name, or the word for none.
func OrNone(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// ByCount returns the keys of m, those with the highest count first.
func ByCount[V any](m map[string]V, of func(V) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(of(m[b])-of(m[a]), strings.Compare(a, b))
	})
}

// Few lists words: all of them, or the first five and how many more there are.
func Few(all []string) string {
	const few = 5
	if len(all) <= few+1 {
		return strings.Join(all, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(all[:few], ", "), len(all)-few)
}
