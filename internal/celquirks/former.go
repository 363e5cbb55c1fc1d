package celquirks

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// A Former is the CEL library of a server, as far as it reads and checks expressions in another way than the linked one. The
// zero value is the linked library.
type Former struct{ version version }

// A version is a version of cel-go: 16_01 is 0.16.1.
type version int

// FormerOf returns a version of the library: 16_01 is 0.16.1.
func FormerOf(v int) Former {
	if version(v) >= quotedNames {
		return Former{}
	}
	return Former{version(v)}
}

// What differs between versions, and the first one that has it.
const (
	serverFunctions     version = 10_00 // functions that servers add
	parametersReplaced  version = 12_00 // a type is known whose parameters are known
	resultsSized        version = 12_00 // costs depend on the sizes of results
	errorLimit          version = 12_00 // no more than 100 errors are shown
	depthLimit          version = 12_00 // expressions may only be so deep, whatever they consist of
	optionalSyntax      version = 16_00 // .? and [?, in the grammar of today
	checkedNatively     version = 17_00 // today's checker
	macrosSized         version = 17_08 // costs depend on the sizes of lists that macros make
	optionalTypeRenamed version = 20_00 // optional_type instead of optional
	listFunctions       version = 23_00 // [LackedFunctions]
	entriesSized        version = 23_00 // costs depend on the sizes of what is in literals
	codePointsChecked   version = 23_00 // code points that are no characters are an error
	quotedNamesRead     version = 23_00 // names in backticks are read, but refused
	quotedNames         version = 29_00 // names in backticks
)

// before reports whether the library does not have something yet.
func (f Former) before(first version) bool { return f.version > 0 && f.version < first }

// Options returns options of environments in which expressions are read, which have to come after those that check
// literals.
func (f Former) Options() []cel.EnvOption {
	if !f.before(checkedNatively) {
		return nil
	}
	options := []cel.EnvOption{cel.Macros(formerMacros()...), cel.ASTValidators(mixedLiterals{})}
	if f.before(optionalSyntax) {
		options = append(options, cel.ParserRecursionLimit(-1)) // [syntaxLimits] are the limits
	}
	return options
}

// Compile compiles an expression as the library of the server does.
func (f Former) Compile(env *cel.Env, text string) (*cel.Ast, *cel.Issues) {
	compiled, issues := env.Compile(f.Readable(text))
	if issues = f.Issues(env, text, issues); issues.Err() != nil {
		return nil, issues
	}
	return compiled, nil
}

// Readable returns an expression as the linked library has to read it to understand what the library of the server does. No
// place moves.
func (f Former) Readable(text string) string {
	if f.before(optionalSyntax) && strings.Contains(text, ")") && strings.Contains(text, "{") {
		text, _ = readSyntax(text, f.syntaxLimits())
	}
	if f.before(codePointsChecked) {
		text = withCharacters(text)
	}
	return text
}

// Issues returns what the library of the server finds wrong with an expression, or nil, given what the linked one found.
func (f Former) Issues(env *cel.Env, text string, found *cel.Issues) *cel.Issues {
	if f == (Former{}) || found.Err() == nil && !f.before(listFunctions) && !strings.Contains(text, "`") {
		return found
	}
	parsed, wrong := f.parse(env, text)
	switch {
	case len(wrong) > 0:
	case f.before(checkedNatively):
		wrong = f.checked(env, parsed.NativeRep())
	default:
		wrong = f.renamed(env, parsed, found)
	}
	if len(wrong) == 0 {
		return found
	}
	errs := common.NewErrors(common.NewTextSource(text))
	if f.before(errorLimit) {
		return cel.NewIssues(errs.Append(wrong))
	}
	for _, err := range wrong {
		errs.ReportErrorAtID(err.ExprID, err.Location, "%s", err.Message)
	}
	return cel.NewIssues(errs)
}

// parse parses an expression, or says what is wrong with its syntax.
func (f Former) parse(env *cel.Env, text string) (*cel.Ast, []*common.Error) {
	plain, wrong := text, []*common.Error(nil)
	switch {
	case f.before(optionalSyntax):
		if plain, wrong = readSyntax(text, f.syntaxLimits()); len(wrong) > 0 {
			return nil, wrong
		}
		plain = withCharacters(plain)
	case f.before(quotedNamesRead):
		plain, wrong = withoutTicks(f.Readable(text))
	case len(ticks(text)) > 0:
		return nil, refusedTicks(env, text)
	}
	parsed, issues := env.Parse(plain)
	for _, err := range issues.Errors() {
		wrong = append(wrong, common.NewError(err.ExprID, f.syntaxError(err.Message), err.Location))
	}
	return parsed, wrong
}

// syntaxError returns an error of the linked parser in the words of the server's (W-351).
func (f Former) syntaxError(message string) string {
	if f.before(codePointsChecked) && message == "invalid unicode code point" {
		return "unable to unescape string"
	}
	if f.before(quotedNamesRead) {
		return strings.Replace(message, ", ESC_IDENTIFIER", "", 1)
	}
	return message
}

// Text returns issues with an expression as the library shows them.
func (f Former) Text(text string, issues *cel.Issues) string {
	if !f.before(errorLimit) {
		return issues.String()
	}
	errs := slices.SortedStableFunc(slices.Values(issues.Errors()), func(a, b *common.Error) int {
		return cmp.Or(cmp.Compare(a.Location.Line(), b.Location.Line()), cmp.Compare(a.Location.Column(), b.Location.Column()))
	})
	source := common.NewTextSource(text)
	shown := make([]string, len(errs))
	for i, err := range errs {
		shown[i] = err.ToDisplayString(source)
	}
	return strings.Join(shown, "\n")
}
