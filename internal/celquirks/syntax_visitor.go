package celquirks

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/antlr4-go/antlr/v4"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/operators"
)

// A syntaxVisitor makes expressions of what was read, as far as errors depend on them: google/cel-go@v0.12.7:parser/parser.go.
type syntaxVisitor struct {
	reader *syntaxReader
	depth  int
	plain  []rune // the expression with nothing around names of messages
}

// A visited expression is a name, a selected field, or something else.
type visited struct {
	at      common.Location
	kind    visitedKind
	operand *visited    // of which a field is selected
	has     antlr.Token // if the selection is the argument of this macro
}

type visitedKind int

const (
	visitedOther visitedKind = iota
	visitedName
	visitedSelection
)

// The places of expressions that are not there: where nothing was read, and where a token is missing.
var (
	placeOfNothing = common.NewLocation(1, -1)
	placeOfMissing = common.NewLocation(1, 0)
)

func placeOf(token antlr.Token) common.Location {
	if token == nil {
		return placeOfMissing
	}
	return common.NewLocation(token.GetLine(), token.GetColumn())
}

func (n *syntaxNode) place() common.Location { return placeOf(n.GetStart()) }

// fail reports an error, unless the visitor gave up.
func (v *syntaxVisitor) fail(at common.Location, format string, args ...any) *visited {
	if !v.reader.stopped {
		v.reader.fail(at, format, args...)
	}
	return &visited{at: at}
}

// visit visits what was read, which counts as deeper than what is around it.
func (v *syntaxVisitor) visit(n *syntaxNode) *visited {
	v.depth++
	defer func() { v.depth-- }()
	if most := v.reader.limits.visits; most > 0 && v.depth > most {
		v.reader.stop("max recursion depth exceeded")
	}
	switch {
	case v.reader.stopped:
	case n == nil: // an error was reported
	case n.RuleIndex == ruleStart:
		return v.visit(n.part(0))
	case n.RuleIndex == ruleExpr:
		return v.conditional(n)
	case n.RuleIndex == ruleConditionalOr:
		return v.junction(n, "||")
	case n.RuleIndex == ruleConditionalAnd:
		return v.junction(n, "&&")
	case n.RuleIndex == ruleRelation || n.RuleIndex == ruleCalc:
		return v.operation(n)
	case n.RuleIndex == ruleUnary:
		return v.unary(n)
	case n.RuleIndex == ruleMember && n.form != formUnknown:
		return v.member(n)
	}
	return &visited{at: placeOfNothing}
}

// conditional visits what may be a condition with two results.
func (v *syntaxVisitor) conditional(n *syntaxNode) *visited {
	condition := v.visit(n.part(0))
	if n.op == nil {
		return condition
	}
	v.visit(n.part(1))
	v.visit(n.part(2))
	return &visited{at: placeOf(n.op)}
}

// junction visits what is joined by && or ||.
func (v *syntaxVisitor) junction(n *syntaxNode, operator string) *visited {
	first := v.visit(n.part(0))
	if len(n.ops) == 0 {
		return first
	}
	for i := range n.ops {
		if i+1 >= len(n.parts) {
			return v.fail(n.place(), "unexpected character, wanted '%s'", operator)
		}
		v.visit(n.part(i + 1))
	}
	return &visited{at: placeOf(n.ops[len(n.ops)/2])} // the library balances the tree
}

// operation visits a comparison, a sum or a product, or what has the place of one.
func (v *syntaxVisitor) operation(n *syntaxNode) *visited {
	if first := n.part(0); first == nil || first.RuleIndex != n.RuleIndex {
		return v.visit(first)
	}
	if n.op != nil {
		if _, ok := operators.Find(n.op.GetText()); ok {
			v.visit(n.part(0))
			v.visit(n.part(1))
			return &visited{at: placeOf(n.op)}
		}
	}
	return v.fail(n.place(), "operator not found")
}

func (v *syntaxVisitor) unary(n *syntaxNode) *visited {
	switch n.form {
	case formUnknown:
		return &visited{at: n.place()}
	case formMemberExpr:
		if n.part(0) == nil {
			return v.fail(n.place(), "unsupported simple expression")
		}
		return v.member(n.part(0))
	}
	operand := v.visit(n.part(0))
	if len(n.ops)%2 == 0 {
		return operand
	}
	return &visited{at: placeOf(n.ops[0])}
}

func (v *syntaxVisitor) member(n *syntaxNode) *visited {
	switch n.form {
	case formSelectOrCall:
		operand := v.visit(n.part(0))
		switch {
		case n.name == nil:
			return &visited{at: n.place()}
		case n.open != nil:
			return v.call(n, true)
		}
		return &visited{at: placeOf(n.op), kind: visitedSelection, operand: operand}
	case formIndex:
		v.visit(n.part(0))
		v.visit(n.part(1))
		return &visited{at: placeOf(n.op)}
	case formCreateMessage:
		if name := v.visit(n.part(0)); v.isQualifiedName(name) {
			v.nameAlone(name, n.GetStart(), n.op)
			v.fields(n.list)
		}
		return &visited{at: placeOf(n.op)}
	}
	if n.part(0) == nil || n.part(0).form == formUnknown {
		return v.fail(n.place(), "invalid primary expression")
	}
	return v.primary(n.part(0))
}

func (v *syntaxVisitor) primary(n *syntaxNode) *visited {
	switch n.form {
	case formNested:
		return v.visit(n.part(0))
	case formCreateList:
		v.all(n.list)
		return &visited{at: placeOf(n.op)}
	case formCreateStruct:
		v.entries(n.list)
		return &visited{at: placeOf(n.op)}
	case formConstantLiteral:
		if n.part(0) == nil || n.part(0).form == formUnknown {
			return v.fail(n.place(), "invalid literal")
		}
		return v.literal(n.part(0))
	}
	switch {
	case n.name == nil:
		return &visited{at: n.place()}
	case reservedNames[n.name.GetText()]:
		return v.fail(n.place(), "reserved identifier: %s", n.name.GetText())
	case n.open == nil:
		return &visited{at: placeOf(n.name), kind: visitedName}
	}
	return v.call(n, false)
}

// call visits the arguments of a call. If it is a macro, it has to have certain arguments.
func (v *syntaxVisitor) call(n *syntaxNode, method bool) *visited {
	args, at := v.all(n.list), placeOf(n.open)
	function := n.name.GetText()
	if !method && n.op != nil {
		function = "." + function
	}
	switch {
	case !method && function == operators.Has && len(args) == 1:
		if args[0].kind != visitedSelection {
			return v.fail(at, "invalid argument to has() macro")
		}
		return &visited{at: at, kind: visitedSelection, operand: args[0].operand, has: n.name}
	case !method || len(args) != 2 && (len(args) != 3 || function != operators.Map):
	case function == operators.All, function == operators.Exists, function == operators.ExistsOne:
		if args[0].kind != visitedName {
			return v.fail(args[0].at, "argument must be a simple name")
		}
	case function == operators.Map, function == operators.Filter:
		if args[0].kind != visitedName {
			return v.fail(at, "argument is not an identifier")
		}
	}
	return &visited{at: at}
}

// all visits arguments or elements.
func (v *syntaxVisitor) all(list *syntaxNode) []*visited {
	if list == nil {
		return nil
	}
	all := make([]*visited, len(list.parts))
	for i, n := range list.parts {
		all[i] = v.visit(n)
	}
	return all
}

// fields visits the fields of a message. They end where one is incomplete, which was reported.
func (v *syntaxVisitor) fields(list *syntaxNode) {
	if list == nil {
		return
	}
	for i := range list.names {
		if i >= len(list.ops) || i >= len(list.values) {
			return
		}
		v.visit(list.values[i])
	}
}

// entries visits the entries of a map.
func (v *syntaxVisitor) entries(list *syntaxNode) {
	if list == nil {
		return
	}
	v.depth++ // the library visits the list as well
	defer func() { v.depth-- }()
	for i := range list.ops {
		if i >= len(list.parts) || i >= len(list.values) {
			return
		}
		v.visit(list.parts[i])
		v.visit(list.values[i])
	}
}

// isQualifiedName reports whether an expression is a name with dots. If it is not, that is an error at each of the dots.
func (v *syntaxVisitor) isQualifiedName(e *visited) bool {
	if e.kind == visitedName || e.kind == visitedSelection && v.isQualifiedName(e.operand) {
		return true
	}
	v.fail(e.at, "expected a qualified name")
	return false
}

// nameAlone makes spaces of all that is not the name between two tokens: of parentheses, and of the macro has, whose
// argument the former library takes for the name.
func (v *syntaxVisitor) nameAlone(name *visited, from, to antlr.Token) {
	if from == nil || to == nil || to.GetTokenIndex() < 0 {
		return // a token is missing
	}
	for _, token := range v.reader.tokens.GetAllTokens()[from.GetTokenIndex():to.GetTokenIndex()] {
		if token.GetTokenType() == tokenLeftParen || token.GetTokenType() == tokenRightParen {
			v.plain[token.GetStart()] = ' '
		}
	}
	for ; name != nil; name = name.operand {
		if name.has != nil {
			copy(v.plain[name.has.GetStart():], []rune("   "))
		}
	}
}

func (v *syntaxVisitor) literal(n *syntaxNode) *visited {
	if n.name == nil {
		return &visited{at: n.place()} // an error was reported
	}
	text := n.name.GetText()
	digits, base := text, 10
	if hex, ok := strings.CutPrefix(text, "0x"); ok {
		digits, base = hex, 16
	}
	if n.op != nil {
		digits = "-" + digits
	}
	switch n.form {
	case formIntLiteral:
		if _, err := strconv.ParseInt(digits, base, 64); err != nil {
			return v.fail(n.place(), "invalid int literal")
		}
	case formUintLiteral:
		if _, err := strconv.ParseUint(digits[:len(digits)-1], base, 64); err != nil {
			return v.fail(n.place(), "invalid uint literal")
		}
	case formDoubleLiteral:
		if _, err := strconv.ParseFloat(digits, 64); err != nil {
			return v.fail(n.place(), "invalid double literal")
		}
	case formStringLiteral:
		if !canUnescape(text, false) {
			return v.fail(n.place(), "unable to unescape string")
		}
	case formBytesLiteral:
		if !canUnescape(text[1:], true) {
			return v.fail(n.place(), "unable to unescape string")
		}
	}
	return &visited{at: n.place()}
}

// canUnescape reports whether the escape sequences in a string or in bytes, which the lexer knows, stand for something: in
// bytes, there are no code points, and in strings only those that exist.
func canUnescape(text string, bytes bool) bool {
	if text[0] == 'r' || text[0] == 'R' {
		return true
	}
	for {
		_, after, ok := strings.Cut(text, `\`)
		if !ok {
			return true
		}
		if after[0] == 'u' && bytes || after[0] == 'U' && (bytes || isBeyond(after[1:9])) {
			return false
		}
		text = after[1:]
	}
}

// isBeyond reports whether a number is larger than all code points. To the library, the largest ones are negative.
func isBeyond(hex string) bool {
	point, err := strconv.ParseUint(hex, 16, 32)
	return err != nil || rune(point) > utf8.MaxRune
}

// reservedNames are names that cannot be used, except for fields.
var reservedNames = map[string]bool{
	"as": true, "break": true, "const": true, "continue": true, "else": true, "false": true, "for": true, "function": true,
	"if": true, "import": true, "in": true, "let": true, "loop": true, "package": true, "namespace": true, "null": true,
	"return": true, "true": true, "var": true, "void": true, "while": true,
}
