package celquirks

import (
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/parser"
)

// withoutTicks returns an expression with spaces instead of the backticks outside of strings and comments, and the errors about
// them where the library does not know names in backticks (W-351).
func withoutTicks(text string) (plain string, wrong []*common.Error) {
	blank := []byte(text)
	for _, at := range ticks(text) {
		blank[at] = ' '
		wrong = append(wrong, common.NewError(0, "Syntax error: token recognition error at: '`'", locationOf(text, at)))
	}
	return string(blank), wrong
}

// refusedTicks returns what is wrong with an expression where the library reads names in backticks, but refuses them.
func refusedTicks(env *cel.Env, text string) []*common.Error {
	p, err := parser.NewParser(parser.EnableIdentEscapeSyntax(false), parser.EnableOptionalSyntax(true), parser.Macros(env.Macros()...))
	if err != nil {
		return nil // options that do not depend on any input
	}
	_, errs := p.Parse(common.NewTextSource(text))
	return errs.GetErrors()
}

// ticks returns where the backticks outside of strings and comments are.
func ticks(text string) (at []int) {
	if !strings.Contains(text, "`") {
		return nil
	}
	for _, token := range lexical.FindAllStringIndex(text, -1) {
		if text[token[0]] == '`' {
			at = append(at, token[0])
		}
	}
	return at
}

// locationOf returns the place of a byte, in code points.
func locationOf(text string, at int) common.Location {
	before := text[:at]
	line := strings.LastIndexByte(before, '\n') + 1
	return common.NewLocation(strings.Count(before, "\n")+1, utf8.RuneCountInString(before[line:]))
}
