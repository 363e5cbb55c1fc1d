package consent

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Act is something that a loaded file wants to do: start a program, or open a connection.
type Act struct {
	File string // where it is declared
	Line int
	For  string // the webhook, or the service

	Program []string // the command; empty: a connection
	Env     []string // NAME=value
	Dir     string   // where the command runs

	Address string // of a connection; empty: the address in the configuration of the webhook
	First   string // that address for the first call, to show when asking
}

// IsProgram reports whether the act is to start a program, and not to open a connection.
func (a Act) IsProgram() bool { return len(a.Program) > 0 }

// Place returns where the act is declared, in a form that is safe to show.
func (a Act) Place() string { return Shown(a.File) + ":" + strconv.Itoa(a.Line) }

// String describes the act in one line without control characters.
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

// key is equal for equal acts.
func (a Act) key() string {
	return fmt.Sprintf("%q", []any{a.File, a.Line, a.For, a.Program, a.Env, a.Dir, a.Address})
}

// mostShown is how many characters of one word are shown.
const mostShown = 400

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:=,@%+{}*-]+$`)

// Shown returns a stranger's text in a form that is safe to show: quoted unless it is a plain word, so that control
// characters and spaces in it cannot pass for something else. It says how much of a long text is left out.
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
