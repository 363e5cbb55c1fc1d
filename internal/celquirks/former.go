package celquirks

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
)

// Former says how the CEL library of a server reads and checks expressions where the linked one does otherwise. The zero
// value is the linked library.
type Former struct{ version int }

// FormerOf returns how a version of cel-go differs: 16_01 is 0.16.1.
func FormerOf(version int) Former {
	if version >= namesInTicksOn {
		return Former{}
	}
	return Former{version}
}

// The versions of cel-go that brought what differs.
const (
	kubernetes     = 10_00 // the server has functions of its own
	replacesTypes  = 12_00 // type parameters are replaced wherever it is known what they are
	resultSizes    = 12_00 // the sizes of results are estimated
	optionalSyntax = 16_00 // .? and [? are read
	typedErrors    = 17_00 // [formerChecker] ends
	macroSizes     = 17_08 // the sizes of lists that macros make are estimated
	optionalTypes  = 20_00 // optional values have another name of their type
	optionalLists  = 23_00 // [LackedFunctions] exist
	entrySizes     = 23_00 // [formerCoster] ends
	validRunes     = 23_00 // code points that are no characters are an error
	namesInTicks   = 23_00 // names in backticks are read, but an error
	namesInTicksOn = 29_00 // names in backticks may be used
)

func (f Former) before(version int) bool { return f.version > 0 && f.version < version }

// Options returns options of environments in which expressions are read, which have to come after those that check
// literals.
func (f Former) Options() []cel.EnvOption {
	if !f.before(typedErrors) {
		return nil
	}
	return []cel.EnvOption{cel.Macros(formerMacros()...), cel.ASTValidators(mixedLiterals{})}
}

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

// Compile compiles an expression as the library of the server does.
func (f Former) Compile(env *cel.Env, text string) (*cel.Ast, *cel.Issues) {
	compiled, issues := env.Compile(f.Readable(text))
	if issues = f.Issues(env, text, issues); issues.Err() != nil {
		return nil, issues
	}
	return compiled, nil
}

// Readable returns an expression as the linked library has to read it to understand what the library of the server does:
// to the latter, code points that are no characters, such as those of '\ud800', are U+FFFD (W-355). No place moves.
func (f Former) Readable(text string) string {
	if !f.before(validRunes) || !strings.Contains(text, `\`) {
		return text
	}
	return lexical.ReplaceAllStringFunc(text, func(token string) string {
		if token[0] != '\'' && token[0] != '"' || !escaped.MatchString(token) {
			return token // raw, bytes, or no token of CEL
		}
		return escape.ReplaceAllStringFunc(token, func(e string) string {
			if !surrogate.MatchString(e) {
				return e
			}
			return e[:len(e)-4] + "fffd"
		})
	})
}

const escapes = `\\(?:[abfnrtv"'\\?` + "`" + `]|[xX][[:xdigit:]]{2}|u[[:xdigit:]]{4}|U[[:xdigit:]]{8}|[0-3][0-7]{2})`

var (
	escape    = regexp.MustCompile(escapes)
	escaped   = regexp.MustCompile(`^(?:[^\\]|` + escapes + `)*$`)
	surrogate = regexp.MustCompile(`^\\(?:u|U0000)[dD][89a-fA-F]`)
)

// formerMacros are macros that say only of the whole call that an argument is wrong.
func formerMacros() (macros []cel.Macro) {
	expander := func(m cel.Macro) cel.MacroFactory {
		return func(f cel.MacroExprFactory, target ast.Expr, args []ast.Expr) (ast.Expr, *common.Error) {
			e, err := m.Expander()(f, target, args)
			if err != nil {
				err = &common.Error{Message: err.Message}
			}
			return e, err
		}
	}
	for _, m := range []cel.Macro{parser.HasMacro, parser.MapMacro, parser.MapFilterMacro, parser.FilterMacro} {
		if m.IsReceiverStyle() {
			macros = append(macros, cel.ReceiverMacro(m.Function(), m.ArgCount(), expander(m)))
		} else {
			macros = append(macros, cel.GlobalMacro(m.Function(), m.ArgCount(), expander(m)))
		}
	}
	return macros
}

// Issues returns what the library of the server finds wrong with an expression, or nil, given what the linked one found.
func (f Former) Issues(env *cel.Env, text string, found *cel.Issues) *cel.Issues {
	plain, ticks := f.Readable(text), []int(nil)
	if f.before(namesInTicksOn) {
		plain, ticks = withoutTicks(plain)
	}
	if f == (Former{}) {
		return found
	}
	if found.Err() == nil && len(ticks) == 0 && !f.before(optionalLists) {
		return found
	}
	errs := common.NewErrors(common.NewTextSource(text))
	read := func(found []*cel.Error) {
		for _, err := range found {
			location, message := f.syntax(text, err)
			errs.ReportErrorAtID(err.ExprID, location, "%s", message)
		}
	}
	if len(ticks) > 0 && !f.before(namesInTicks) {
		read(unescaped(env, text))
		return cel.NewIssues(errs)
	}
	for _, at := range ticks {
		errs.ReportErrorString(locationOf(text, at), "Syntax error: token recognition error at: '`'")
	}
	parsed, unread := env.Parse(plain)
	read(unread.Errors())
	switch {
	case len(errs.GetErrors()) > 0:
		return cel.NewIssues(errs)
	case f.before(typedErrors):
		errs = f.checked(env, text, parsed.NativeRep())
	case f.before(optionalLists):
		if lacking := f.lacking(env, parsed); lacking.Err() != nil {
			found = lacking
		}
		for _, err := range found.Errors() {
			errs.ReportErrorAtID(err.ExprID, err.Location, "%s", f.named(err.Message))
		}
	}
	if len(errs.GetErrors()) == 0 {
		return found
	}
	return cel.NewIssues(errs)
}

// lacking returns what is wrong with an expression that calls functions which the library lacks (W-345): these get names
// that no function has.
func (f Former) lacking(env *cel.Env, parsed *cel.Ast) *cel.Issues {
	names, some := ast.NewExprFactory(), false
	ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		call, name := e.AsCall(), e.AsCall().FunctionName()
		if !call.IsMemberFunction() {
			return
		}
		if namespace, ok := containers.ToQualifiedName(call.Target()); f.lacks(name) || ok && f.lacks(namespace+"."+name) {
			e.SetKindCase(names.NewMemberCall(e.ID(), name+noFunction, call.Target(), call.Args()...))
			some = true
		}
	}))
	if !some {
		return nil
	}
	_, issues := env.Check(parsed)
	return issues
}

// noFunction ends the name of a function that does not exist. Nobody writes it.
const noFunction = "\uFDD0"

// named returns an error of the checker with the names that the library has.
func (f Former) named(message string) string {
	message = strings.ReplaceAll(message, noFunction, "")
	if f.before(optionalTypes) {
		message = strings.ReplaceAll(message, optionalType+"(", formerOptionalType+"(")
	}
	return message
}

// unescaped returns what is wrong with an expression that has names in backticks, where these are not switched on.
func unescaped(env *cel.Env, text string) []*cel.Error {
	p, err := parser.NewParser(parser.EnableIdentEscapeSyntax(false), parser.EnableOptionalSyntax(true), parser.Macros(env.Macros()...))
	if err != nil {
		return nil // options that do not depend on any input
	}
	_, errs := p.Parse(common.NewTextSource(text))
	return errs.GetErrors()
}

// lexical matches what may have a backtick or an escape sequence in it: comments, strings, bytes, and backticks themselves.
var lexical = regexp.MustCompile(`(?s)//[^\n]*|(?:[rR][bB]?|[bB][rR])(?:'''.*?'''|""".*?"""|'[^'\n]*'|"[^"\n]*")|` +
	`[bB]?(?:'''(?:\\.|[^\\])*?'''|"""(?:\\.|[^\\])*?"""|'(?:\\.|[^\\'\n])*'|"(?:\\.|[^\\"\n])*")|` + "`")

// withoutTicks returns an expression in which the backticks outside of strings and comments are spaces, and where these are.
func withoutTicks(text string) (plain string, at []int) {
	if !strings.Contains(text, "`") {
		return text, nil
	}
	blank := []byte(text)
	for _, token := range lexical.FindAllStringIndex(text, -1) {
		if text[token[0]] == '`' {
			blank[token[0]] = ' '
			at = append(at, token[0])
		}
	}
	return string(blank), at
}

// locationOf returns the place of a byte, in code points.
func locationOf(text string, at int) common.Location {
	before := text[:at]
	line := strings.LastIndexByte(before, '\n') + 1
	return common.NewLocation(strings.Count(before, "\n")+1, utf8.RuneCountInString(before[line:]))
}

// What the parser expects where an expression, the first element of a list, the first key of a map, or the first field of
// a message begins.
const (
	wantsExpression = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
	wantsElement    = "{'[', ']', '{', '(', '.', ',', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
	wantsKey        = "{'[', '{', '}', '(', '.', ',', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
	wantsField      = "{'}', ',', IDENTIFIER}"
)

// syntax returns an error of the parser in the words of the server's (W-351).
func (f Former) syntax(text string, err *cel.Error) (common.Location, string) {
	message := err.Message
	if f.before(validRunes) && message == "invalid unicode code point" {
		message = "unable to unescape string"
	}
	if f.before(namesInTicks) {
		message = strings.NewReplacer(", ESC_IDENTIFIER", "").Replace(message)
	}
	if !f.before(optionalSyntax) {
		return err.Location, message
	}
	message = strings.Replace(message, "'?', ", "", 1)
	line, column := err.Location.Line(), err.Location.Column()
	runes := []rune(strings.Split(text, "\n")[max(line, 1)-1])
	if token, ok := strings.CutPrefix(message, noField); ok {
		token = strings.TrimSpace(strings.TrimSuffix(token, "'"))
		if after := min(column+utf8.RuneCountInString(token), len(runes)); identifierFollows.MatchString(string(runes[after:])) {
			return err.Location, "Syntax error: extraneous input '" + token + "' expecting IDENTIFIER"
		}
		return err.Location, "Syntax error: missing IDENTIFIER at '" + cmp.Or(token, "<EOF>") + "'"
	}
	operator, ok := strings.CutPrefix(message, "unsupported syntax ")
	if !ok {
		return err.Location, message
	}
	mark := slices.Index(runes[min(column, len(runes)):], '?')
	if mark < 0 {
		return err.Location, message
	}
	wants := ""
	switch before := strings.TrimSpace(string(runes[:column])); {
	case operator == "'.?'":
		wants = "IDENTIFIER"
	case operator == "'[?'":
		wants = wantsExpression
	case strings.HasSuffix(before, "["):
		wants = wantsElement
	case messageBegins.MatchString(before):
		wants = wantsField
	case strings.HasSuffix(before, "{"):
		wants = wantsKey
	default:
		return err.Location, message
	}
	return common.NewLocation(line, column+mark), "Syntax error: extraneous input '?' expecting " + wants
}

// noField begins an error about a dot that no name follows.
const noField = "Syntax error: no viable alternative at input '."

// The parser leaves out what stands before a name that it expects.
var identifierFollows = regexp.MustCompile(`^\s*[A-Za-z_]`)

var messageBegins = regexp.MustCompile(`[\w.]\s*\{$`)

func (f Former) lacks(function string) bool {
	return f.before(optionalLists) && slices.Contains(LackedFunctions(), function) ||
		f.before(kubernetes) && slices.Contains(kubernetesFunctions, function)
}

func (f Former) lacksOverload(fn *decls.FunctionDecl, o *decls.OverloadDecl) bool {
	return f.before(optionalSyntax) && fn.Name() == overloads.Matches && !o.IsMemberFunction() ||
		f.before(kubernetes) && (fn.Name() == "indexOf" || fn.Name() == "lastIndexOf") && o.ArgTypes()[0].Kind() == types.ListKind
}

// kubernetesFunctions are the first functions that servers added to CEL: kubernetes/apiextensions-apiserver@v0.24.17:pkg/apiserver/schema/cel/library.
// Those of strings with the same names are CEL's own.
var kubernetesFunctions = []string{
	"find", "findAll", "isSorted", "sum", "min", "max",
	"url", "isURL", "getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery",
}
