package cases

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/words"
)

// A Selection says which cases run. Nil selects all of them.
type Selection func(suite, name string) bool

// ParseSelection parses a regular expression as go test does: each part between slashes is matched against a part of
// the name suite/case. An empty expression selects all cases.
func ParseSelection(expression string) (Selection, error) {
	if expression == "" {
		return nil, nil
	}
	var parts []*regexp.Regexp
	for _, part := range splitAtSlashes(expression) {
		compiled, err := regexp.Compile(part)
		if err != nil {
			return nil, err
		}
		parts = append(parts, compiled)
	}
	return func(suite, name string) bool {
		names := append([]string{suite}, strings.SplitN(name, "/", max(len(parts)-1, 1))...)
		for i, part := range parts {
			if i >= len(names) || !part.MatchString(names[i]) {
				return false
			}
		}
		return true
	}, nil
}

// splitAtSlashes splits an expression at the slashes outside of brackets.
func splitAtSlashes(expression string) []string {
	var parts []string
	depth, start := 0, 0
	for i := 0; i < len(expression); i++ {
		switch expression[i] {
		case '\\':
			i++
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case '/':
			if depth <= 0 {
				parts = append(parts, expression[start:i])
				start = i + 1
			}
		}
	}
	return append(parts, expression[start:])
}

// Hint returns a hint for an expression that selects none of all: a similar expression that selects something, or else
// the existing names.
func (all Names) Hint(expression string) string {
	first, rest, ofCase := strings.Cut(expression, "/")
	near := [][2]string{
		{strings.ReplaceAll(expression, "//", "/"), "a single slash is between suite and case"},
		{literally(expression), "brackets in names need backslashes"},
		{"/" + expression, "the part before the first slash matches the suite"},
	}
	if rest != "" {
		near = append(near, [2]string{"/" + rest, "no suite has both this name and such a case"})
	}
	for _, other := range near {
		if found := all.selectedBy(other[0]); len(found) > 0 {
			return fmt.Sprintf("%s; --run '%s' selects %s", other[1], other[0], words.Few(found.names()))
		}
	}
	there := all.selectedBy(first)
	known := len(there) > 0
	if !known {
		there = all
	}
	if near := there.near(strings.Trim(expression, "^$"), ofCase); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if known {
		return fmt.Sprintf("the cases there are %s; admsim test --list lists all", words.Few(there.names()))
	}
	return fmt.Sprintf("the suites are %s; admsim test --list lists their cases", words.Few(all.suites()))
}

// literally returns an expression that matches exactly text; its slashes separate the parts.
func literally(text string) string {
	parts := strings.Split(text, "/")
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return strings.Join(parts, "/")
}

// near returns the name of the case or suite that word was probably meant to be.
func (all Names) near(word string, ofCase bool) string {
	names, of := all.names(), map[string]string{}
	for _, one := range all {
		names = append(names, one.Case)
		of[one.Case] = "/" + one.Case
	}
	if !ofCase {
		names = append(names, all.suites()...)
	}
	near := didyoumean.Nearest(word, names)
	return cmp.Or(of[near], near)
}
