package consent

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Act is something that a loaded file wants done: a program to be started, or a connection
// to be opened.
type Act struct {
	File string // where it is declared
	Line int
	For  string // the webhook, or the service

	Program []string // the command; empty: a connection
	Env     []string // NAME=value
	Dir     string   // where the command runs

	Address string // of a connection; empty: where the configuration of the webhook says
	First   string // where that is for the first call, for those who are asked
}

// IsProgram reports whether the act is a program, and not a connection.
func (a Act) IsProgram() bool { return len(a.Program) > 0 }

// Place is where the act is declared, as it can be shown.
func (a Act) Place() string { return Shown(a.File) + ":" + strconv.Itoa(a.Line) }

// String is what is done, in one line without control characters.
func (a Act) String() string {
	switch {
	case a.IsProgram():
	case a.Address != "":
		return Shown(a.Address)
	case a.First != "":
		return "wherever its configuration says, first " + Shown(a.First)
	default:
		return "wherever its configuration says"
	}
	var words []string
	for _, word := range append(append([]string(nil), a.Env...), a.Program...) {
		words = append(words, Shown(word))
	}
	return strings.Join(words, " ") + " (in " + Shown(a.Dir) + ")"
}

// key is the same for acts that are the same.
func (a Act) key() string {
	return fmt.Sprintf("%q", []any{a.File, a.Line, a.For, a.Program, a.Env, a.Dir, a.Address})
}

// mostShown is how many characters of one word are shown.
const mostShown = 400

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+{}*-]+$`)

// Shown is a text of a stranger as it can be shown: quoted unless it is a plain word, so that
// neither control characters nor spaces in it pass for something else. What is left out of a
// long one is counted.
func Shown(text string) string {
	rest := ""
	if n := utf8.RuneCountInString(text); n > mostShown {
		text = string([]rune(text)[:mostShown])
		rest = fmt.Sprintf("… (%d more characters)", n-mostShown)
	}
	if !plain.MatchString(text) {
		text = strconv.QuoteToASCII(text)
	}
	return text + rest
}
