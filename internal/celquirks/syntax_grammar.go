package celquirks

import "github.com/antlr4-go/antlr/v4"

// What follows is what ANTLR generated from the grammar, in short: google/cel-go@v0.12.7:parser/gen/cel_parser.go. There is a
// method for each rule. The numbers are states and decisions of ANTLR's tables, on which it depends what is expected.

// The rules of the grammar. A rule n begins in state 2n.
const (
	ruleStart = iota
	ruleExpr
	ruleConditionalOr
	ruleConditionalAnd
	ruleRelation
	ruleCalc
	ruleUnary
	ruleMember
	rulePrimary
	ruleExprList
	ruleFieldInitializerList
	ruleMapInitializerList
	ruleLiteral
)

// The tokens of the grammar.
const (
	tokenEquals = iota + 1
	tokenNotEquals
	tokenIn
	tokenLess
	tokenLessEquals
	tokenGreaterEquals
	tokenGreater
	tokenLogicalAnd
	tokenLogicalOr
	tokenLeftBracket
	tokenRightBracket
	tokenLeftBrace
	tokenRightBrace
	tokenLeftParen
	tokenRightParen
	tokenDot
	tokenComma
	tokenMinus
	tokenExclam
	tokenQuestionMark
	tokenColon
	tokenPlus
	tokenStar
	tokenSlash
	tokenPercent
	tokenTrue
	tokenFalse
	tokenNull
	tokenWhitespace
	tokenComment
	tokenNumFloat
	tokenNumInt
	tokenNumUint
	tokenString
	tokenBytes
	tokenIdentifier
)

// A syntaxForm is an alternative of a rule that has a name of its own. Until it is known which one is read, there is none.
type syntaxForm int

const (
	formUnknown syntaxForm = iota

	formMemberExpr
	formLogicalNot
	formNegate

	formPrimaryExpr
	formSelectOrCall
	formIndex
	formCreateMessage

	formIdentOrGlobalCall
	formNested
	formCreateList
	formCreateStruct
	formConstantLiteral

	formIntLiteral
	formUintLiteral
	formDoubleLiteral
	formStringLiteral
	formBytesLiteral
	formOtherLiteral
)

// A syntaxNode is what a rule read. What is missing in the expression is nil, or the token that ANTLR made up for it.
type syntaxNode struct {
	antlr.BaseParserRuleContext
	form syntaxForm

	parts []*syntaxNode // expressions
	op    antlr.Token   // an operator, a sign, a dot, or the bracket that opens
	name  antlr.Token   // a name, or the token of a literal
	open  antlr.Token   // the parenthesis in front of arguments
	list  *syntaxNode   // arguments, elements, entries or fields

	ops    []antlr.Token // several operators, or the colons of entries and fields
	names  []antlr.Token // of fields
	values []*syntaxNode // of entries and fields
}

func newSyntaxNode(parent antlr.ParserRuleContext, state, rule int) *syntaxNode {
	n := &syntaxNode{}
	antlr.InitBaseParserRuleContext(&n.BaseParserRuleContext, parent, state)
	n.RuleIndex = rule
	return n
}

func (n *syntaxNode) add(part *syntaxNode) { n.parts = appended(n.parts, part) }

// part returns a part, or nil if it is missing.
func (n *syntaxNode) part(i int) *syntaxNode {
	if i >= len(n.parts) {
		return nil
	}
	return n.parts[i]
}

// appended returns a list with what was read, if it was.
func appended[T comparable](list []T, read T) []T {
	var missing T
	if read == missing {
		return list
	}
	return append(list, read)
}

func (r *syntaxReader) start() *syntaxNode {
	return r.rule(ruleStart, func(n *syntaxNode) {
		n.add(r.at(26).expr())
		r.match(27, antlr.TokenEOF)
	})
}

func (r *syntaxReader) expr() *syntaxNode {
	return r.rule(ruleExpr, func(n *syntaxNode) {
		n.add(r.at(29).conditionalOr())
		if r.peek(35) == tokenQuestionMark {
			n.op = r.match(30, tokenQuestionMark)
			n.add(r.at(31).conditionalOr())
			r.match(32, tokenColon)
			n.add(r.at(33).expr())
		}
	})
}

func (r *syntaxReader) conditionalOr() *syntaxNode {
	return r.rule(ruleConditionalOr, func(n *syntaxNode) {
		n.add(r.at(37).conditionalAnd())
		for state := 42; r.peek(state) == tokenLogicalOr; state = 44 {
			n.ops = appended(n.ops, r.match(38, tokenLogicalOr))
			n.add(r.at(39).conditionalAnd())
		}
	})
}

func (r *syntaxReader) conditionalAnd() *syntaxNode {
	return r.rule(ruleConditionalAnd, func(n *syntaxNode) {
		n.add(r.at(45).relation(0))
		for state := 50; r.peek(state) == tokenLogicalAnd; state = 52 {
			n.ops = appended(n.ops, r.match(46, tokenLogicalAnd))
			n.add(r.at(47).relation(0))
		}
	})
}

func (r *syntaxReader) relation(precedence int) *syntaxNode {
	return r.leftRecursive(ruleRelation, precedence, func(n *syntaxNode) *syntaxNode {
		n.add(r.at(54).calc(0))
		for state := 61; r.predict(state, 3) == 1; state = 63 {
			r.TriggerExitRuleEvent()
			n = r.following(n)
			n.op = r.matchOneOf(57, tokenEquals, tokenNotEquals, tokenIn, tokenLess, tokenLessEquals, tokenGreaterEquals, tokenGreater)
			n.add(r.at(58).relation(2))
		}
		return n
	})
}

func (r *syntaxReader) calc(precedence int) *syntaxNode {
	return r.leftRecursive(ruleCalc, precedence, func(n *syntaxNode) *syntaxNode {
		n.add(r.at(65).unary())
		for state := 75; r.predict(state, 5) == 1; state = 77 {
			r.TriggerExitRuleEvent()
			switch r.predict(73, 4) {
			case 1:
				n = r.following(n)
				n.op = r.matchOneOf(68, tokenStar, tokenSlash, tokenPercent)
				n.add(r.at(69).calc(3))
			case 2:
				n = r.following(n)
				n.op = r.matchOneOf(71, tokenMinus, tokenPlus)
				n.add(r.at(72).calc(2))
			}
		}
		return n
	})
}

func (r *syntaxReader) unary() *syntaxNode {
	return r.rule(ruleUnary, func(n *syntaxNode) {
		switch r.predict(91, 8) {
		case 1:
			n.form = formMemberExpr
			n.add(r.at(78).member(0))
		case 2:
			n.form = formLogicalNot
			r.sync(80)
			for next := tokenExclam; next == tokenExclam; next = r.peek(82) {
				n.ops = appended(n.ops, r.match(79, tokenExclam))
			}
			n.add(r.at(84).member(0))
		case 3:
			n.form = formNegate
			r.sync(86)
			for more := 1; more == 1; more = r.predict(88, 7) {
				n.ops = appended(n.ops, r.match(85, tokenMinus))
			}
			n.add(r.at(90).member(0))
		}
	})
}

func (r *syntaxReader) member(precedence int) *syntaxNode {
	return r.leftRecursive(ruleMember, precedence, func(n *syntaxNode) *syntaxNode {
		n.form = formPrimaryExpr
		n.add(r.at(94).primary())
		for state := 122; r.predict(state, 14) == 1; state = 124 {
			r.TriggerExitRuleEvent()
			switch r.predict(120, 13) {
			case 1:
				n = r.following(n)
				n.form = formSelectOrCall
				n.op = r.match(97, tokenDot)
				n.name = r.match(98, tokenIdentifier)
				if r.predict(104, 10) == 1 {
					r.arguments(n, 99)
				}
			case 2:
				n = r.following(n)
				n.form = formIndex
				n.op = r.match(107, tokenLeftBracket)
				n.add(r.at(108).expr())
				r.match(109, tokenRightBracket)
			case 3:
				n = r.following(n)
				n.form = formCreateMessage
				n.op = r.match(112, tokenLeftBrace)
				if r.peek(114) == tokenIdentifier {
					n.list = r.at(113).fieldInitializerList()
				}
				if r.peek(117) == tokenComma {
					r.match(116, tokenComma)
				}
				r.match(119, tokenRightBrace)
			}
		}
		return n
	})
}

func (r *syntaxReader) primary() *syntaxNode {
	return r.rule(rulePrimary, func(n *syntaxNode) {
		switch r.peek(157) {
		case tokenDot, tokenIdentifier:
			n.form = formIdentOrGlobalCall
			if r.peek(126) == tokenDot {
				n.op = r.match(125, tokenDot)
			}
			n.name = r.match(128, tokenIdentifier)
			if r.predict(134, 17) == 1 {
				r.arguments(n, 129)
			}
		case tokenLeftParen:
			n.form = formNested
			r.match(136, tokenLeftParen)
			n.add(r.at(137).expr())
			r.match(138, tokenRightParen)
		case tokenLeftBracket:
			n.form = formCreateList
			n.op = r.match(140, tokenLeftBracket)
			if beginsExpr(r.peek(142)) {
				n.list = r.at(141).exprList()
			}
			if r.peek(145) == tokenComma {
				r.match(144, tokenComma)
			}
			r.match(147, tokenRightBracket)
		case tokenLeftBrace:
			n.form = formCreateStruct
			n.op = r.match(148, tokenLeftBrace)
			if beginsExpr(r.peek(150)) {
				n.list = r.at(149).mapInitializerList()
			}
			if r.peek(153) == tokenComma {
				r.match(152, tokenComma)
			}
			r.match(155, tokenRightBrace)
		case tokenMinus, tokenTrue, tokenFalse, tokenNull, tokenNumFloat, tokenNumInt, tokenNumUint, tokenString, tokenBytes:
			n.form = formConstantLiteral
			n.add(r.at(156).literal())
		default:
			r.noAlternative()
		}
	})
}

// arguments reads the arguments of a call. state is that of the parenthesis in front of them.
func (r *syntaxReader) arguments(n *syntaxNode, state int) {
	n.open = r.match(state, tokenLeftParen)
	if beginsExpr(r.peek(state + 2)) {
		n.list = r.at(state + 1).exprList()
	}
	r.match(state+4, tokenRightParen)
}

// beginsExpr reports whether an expression may begin with a token.
func beginsExpr(token int) bool {
	switch token {
	case tokenLeftBracket, tokenLeftBrace, tokenLeftParen, tokenDot, tokenMinus, tokenExclam, tokenTrue, tokenFalse, tokenNull,
		tokenNumFloat, tokenNumInt, tokenNumUint, tokenString, tokenBytes, tokenIdentifier:
		return true
	}
	return false
}

func (r *syntaxReader) exprList() *syntaxNode {
	return r.rule(ruleExprList, func(n *syntaxNode) {
		n.add(r.at(159).expr())
		for state := 164; r.predict(state, 23) == 1; state = 166 {
			r.match(160, tokenComma)
			n.add(r.at(161).expr())
		}
	})
}

func (r *syntaxReader) fieldInitializerList() *syntaxNode {
	return r.rule(ruleFieldInitializerList, func(n *syntaxNode) {
		field := func(state int) {
			n.names = appended(n.names, r.match(state, tokenIdentifier))
			n.ops = appended(n.ops, r.match(state+1, tokenColon))
			n.values = appended(n.values, r.at(state+2).expr())
		}
		field(167)
		for state := 176; r.predict(state, 24) == 1; state = 178 {
			r.match(170, tokenComma)
			field(171)
		}
	})
}

func (r *syntaxReader) mapInitializerList() *syntaxNode {
	return r.rule(ruleMapInitializerList, func(n *syntaxNode) {
		entry := func(state int) {
			n.add(r.at(state).expr())
			n.ops = appended(n.ops, r.match(state+1, tokenColon))
			n.values = appended(n.values, r.at(state+2).expr())
		}
		entry(179)
		for state := 189; r.predict(state, 25) == 1; state = 191 {
			r.match(182, tokenComma)
			entry(183)
		}
	})
}

func (r *syntaxReader) literal() *syntaxNode {
	return r.rule(ruleLiteral, func(n *syntaxNode) {
		switch r.predict(206, 28) {
		case 1:
			n.form = formIntLiteral
			if r.peek(193) == tokenMinus {
				n.op = r.match(192, tokenMinus)
			}
			n.name = r.match(195, tokenNumInt)
		case 2:
			n.form = formUintLiteral
			n.name = r.match(196, tokenNumUint)
		case 3:
			n.form = formDoubleLiteral
			if r.peek(198) == tokenMinus {
				n.op = r.match(197, tokenMinus)
			}
			n.name = r.match(200, tokenNumFloat)
		case 4:
			n.form = formStringLiteral
			n.name = r.match(201, tokenString)
		case 5:
			n.form = formBytesLiteral
			n.name = r.match(202, tokenBytes)
		case 6:
			n.form = formOtherLiteral
			n.name = r.match(203, tokenTrue)
		case 7:
			n.form = formOtherLiteral
			n.name = r.match(204, tokenFalse)
		case 8:
			n.form = formOtherLiteral
			n.name = r.match(205, tokenNull)
		}
	})
}
