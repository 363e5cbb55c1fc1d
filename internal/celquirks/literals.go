package celquirks

import (
	"regexp"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
)

// mixedLiterals withdraws the errors of [cel.ValidateHomogeneousAggregateLiterals]: that the elements of a list or map have
// one type is for [formerChecker] to say, to which dyn is one with all others (W-350). No option takes a validator out of an
// environment.
type mixedLiterals struct{}

func (mixedLiterals) Name() string { return "admsim.mixed_literals" }

func (mixedLiterals) Validate(_ *cel.Env, _ cel.ValidatorConfig, a *ast.AST, issues *cel.Issues) {
	kept := common.NewErrors(common.NewTextSource(""))
	for _, err := range issues.Errors() {
		if !strings.HasPrefix(err.Message, "expected type '") {
			kept = kept.Append([]*common.Error{err})
		}
	}
	*issues = *cel.NewIssuesWithSourceInfo(kept, a.SourceInfo())
}

// withCharacters returns an expression in which code points that are no characters, such as those of '\ud800', are written as
// U+FFFD, which they are to the library (W-355). So are the largest numbers, which it takes for negative ones.
func withCharacters(text string) string {
	if !strings.Contains(text, `\`) {
		return text
	}
	return lexical.ReplaceAllStringFunc(text, func(token string) string {
		if token[0] != '\'' && token[0] != '"' || !escaped.MatchString(token) {
			return token // raw, bytes, or no token of CEL
		}
		return escape.ReplaceAllStringFunc(token, func(e string) string {
			switch {
			case !noCharacter.MatchString(e):
				return e
			case e[1] == 'u':
				return `\ufffd`
			}
			return `\U0000fffd`
		})
	})
}

const escapes = `\\(?:[abfnrtv"'\\?` + "`" + `]|[xX][[:xdigit:]]{2}|u[[:xdigit:]]{4}|U[[:xdigit:]]{8}|[0-3][0-7]{2})`

var (
	escape      = regexp.MustCompile(escapes)
	escaped     = regexp.MustCompile(`^(?:[^\\]|` + escapes + `)*$`)
	noCharacter = regexp.MustCompile(`^\\(?:(?:u|U0000)[dD][89a-fA-F]|U[89a-fA-F])`)
)

// lexical matches what may have a backtick or an escape sequence in it: comments, strings, bytes, and backticks themselves.
var lexical = regexp.MustCompile(`(?s)//[^\n]*|(?:[rR][bB]?|[bB][rR])(?:'''.*?'''|""".*?"""|'[^'\n]*'|"[^"\n]*")|` +
	`[bB]?(?:'''(?:\\.|[^\\])*?'''|"""(?:\\.|[^\\])*?"""|'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*")|` + "`")
