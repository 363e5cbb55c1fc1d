package celquirks

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/antlr4-go/antlr/v4"
	"github.com/google/cel-go/common"
)

// The grammar and its tokens, as ANTLR wrote them: google/cel-go@v0.12.7:parser/gen. It is the same from 0.9 to 0.12.
//
//go:embed CEL.interp
var parserTables string

//go:embed CELLexer.interp
var lexerTables string

// grammarTables are what ANTLR made of a grammar.
type grammarTables struct {
	literals, symbols []string // names of tokens
	atn               *antlr.ATN
	decisions         []*antlr.DFA
	contexts          *antlr.PredictionContextCache
}

var (
	grammarOfParser = sync.OnceValue(func() grammarTables { return readGrammar(parserTables) })
	grammarOfLexer  = sync.OnceValue(func() grammarTables { return readGrammar(lexerTables) })
)

// readGrammar reads a file that consists of lists with a heading, a line for each entry, and, at the end, a list of numbers
// in brackets.
func readGrammar(text string) (t grammarTables) {
	lists := map[string][]string{}
	for list := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		heading, entries, _ := strings.Cut(strings.TrimSpace(list), "\n")
		lists[heading] = strings.Split(strings.ReplaceAll("\n"+entries, "\nnull", "\n"), "\n")[1:]
	}
	t.literals, t.symbols = lists["token literal names:"], lists["token symbolic names:"]
	var numbers []int32
	if err := json.Unmarshal([]byte(strings.Join(lists["atn:"], "")), &numbers); err != nil {
		panic(fmt.Sprintf("celquirks: %v", err)) // it does not depend on any input
	}
	t.atn = antlr.NewATNDeserializer(nil).Deserialize(numbers)
	for i, state := range t.atn.DecisionToState {
		t.decisions = append(t.decisions, antlr.NewDFA(state, i))
	}
	t.contexts = antlr.NewPredictionContextCache()
	return t
}

// A syntaxReader reads an expression. After an error in a rule of the grammar, the rest of that rule is skipped: methods
// that read something do nothing then. The rules around it go on, after the library skipped what it could not read.
type syntaxReader struct {
	*antlr.BaseParser
	tokens  *antlr.CommonTokenStream
	limits  syntaxLimits
	depths  map[int]int // of rules that are in use
	stopped bool
	errs    []*common.Error
}

// open prepares for reading an expression.
func (r *syntaxReader) open(text string) {
	lexer, alphabet := antlr.NewBaseLexer(antlr.NewInputStream(text)), grammarOfLexer()
	lexer.Interpreter = antlr.NewLexerATNSimulator(lexer, alphabet.atn, alphabet.decisions, alphabet.contexts)
	r.tokens = antlr.NewCommonTokenStream(lexer, antlr.TokenDefaultChannel)
	r.BaseParser = antlr.NewBaseParser(r.tokens)
	grammar := grammarOfParser()
	r.Interpreter = antlr.NewParserATNSimulator(r.BaseParser, grammar.atn, grammar.decisions, grammar.contexts)
	r.LiteralNames, r.SymbolicNames = grammar.literals, grammar.symbols
	r.BuildParseTrees = false // nodes know their parts

	l := &syntaxListener{reader: r}
	lexer.RemoveErrorListeners()
	lexer.AddErrorListener(l)
	r.RemoveErrorListeners()
	r.AddErrorListener(l)
	r.AddParseListener(l)
	r.SetErrorHandler(&syntaxRecovery{DefaultErrorStrategy: antlr.NewDefaultErrorStrategy(), reader: r})
}

// A syntaxListener gets the errors of the lexer and the parser, and knows which rules are in use.
type syntaxListener struct {
	*antlr.DefaultErrorListener
	antlr.BaseParseTreeListener
	reader *syntaxReader
}

// SyntaxError is called with each mistake. What the library reports is a format, although it has arbitrary text in it: a
// percent sign is shown as %!'(MISSING).
func (l *syntaxListener) SyntaxError(_ antlr.Recognizer, _ any, line, column int, message string, _ antlr.RecognitionException) {
	var none []any
	l.reader.fail(common.NewLocation(line, column), "Syntax error: "+message, none...)
}

// EnterEveryRule counts how often a rule is in use.
func (l *syntaxListener) EnterEveryRule(ctx antlr.ParserRuleContext) {
	r, rule := l.reader, ctx.GetRuleIndex()
	if r.depths[rule]++; r.depths[rule] >= r.limits.rules {
		r.stop("expression recursion limit exceeded: %d", r.limits.rules)
	}
}

// ExitEveryRule ends what EnterEveryRule began.
func (l *syntaxListener) ExitEveryRule(ctx antlr.ParserRuleContext) {
	r, rule := l.reader, ctx.GetRuleIndex()
	r.depths[rule] = max(r.depths[rule]-1, 0)
}

// A syntaxRecovery goes on after mistakes as ANTLR does, but not after too many.
type syntaxRecovery struct {
	*antlr.DefaultErrorStrategy
	reader *syntaxReader
	count  int
}

// ReportError reports an error. To show where no alternative was found, the library reads the tokens to the end, so what is
// wrong with these is reported before.
func (s *syntaxRecovery) ReportError(p antlr.Parser, err antlr.RecognitionException) {
	if _, ok := err.(*antlr.NoViableAltException); ok && !s.InErrorRecoveryMode(p) {
		s.reader.tokens.Fill()
	}
	s.DefaultErrorStrategy.ReportError(p, err)
}

// Recover skips tokens until the rules that are in use can go on.
func (s *syntaxRecovery) Recover(p antlr.Parser, err antlr.RecognitionException) {
	if s.begin(p) {
		s.DefaultErrorStrategy.Recover(&skippingParser{Parser: p, reader: s.reader}, err)
	}
}

// RecoverInline adds the token that is missing, or leaves out one that is too many.
func (s *syntaxRecovery) RecoverInline(p antlr.Parser) antlr.Token {
	if !s.begin(p) {
		p.SetError(antlr.NewInputMisMatchException(p))
		return nil
	}
	return s.DefaultErrorStrategy.RecoverInline(&skippingParser{Parser: p, reader: s.reader})
}

func (s *syntaxRecovery) begin(p antlr.Parser) bool {
	if s.count == maxRecoveries {
		p.NotifyErrorListeners(fmt.Sprintf("error recovery attempt limit exceeded: %d", maxRecoveries), nil, nil)
		s.reader.stopped = true
	}
	s.count++
	return !s.reader.stopped
}

// A skippingParser counts the tokens that a recovery skips.
type skippingParser struct {
	antlr.Parser
	reader *syntaxReader
	count  int
}

// Consume skips a token.
func (s *skippingParser) Consume() antlr.Token {
	if s.count == maxSkipped {
		s.reader.stop("error recovery token lookahead limit exceeded: %d", maxSkipped)
	}
	s.count++
	return s.Parser.Consume()
}

// failed reports whether the rest of a rule is skipped.
func (r *syntaxReader) failed() bool { return r.stopped || r.HasError() }

// rule reads an expression, or a part of one, as a rule of the grammar says.
func (r *syntaxReader) rule(rule int, read func(n *syntaxNode)) *syntaxNode {
	if r.failed() {
		return nil
	}
	n := newSyntaxNode(r.GetParserRuleContext(), r.GetState(), rule)
	r.EnterRule(n, 2*rule, rule)
	read(n)
	r.recover(n)
	r.ExitRule()
	return n
}

// leftRecursive reads what a rule says that begins with itself, such as that of sums: first what is no sum, then sums that
// begin with what was read before. read returns the last of these.
func (r *syntaxReader) leftRecursive(rule, precedence int, read func(n *syntaxNode) *syntaxNode) *syntaxNode {
	if r.failed() {
		return nil
	}
	parent := r.GetParserRuleContext()
	n := newSyntaxNode(parent, r.GetState(), rule)
	r.EnterRecursionRule(n, 2*rule, rule, precedence)
	n = read(n)
	r.recover(n)
	r.UnrollRecursionContexts(parent)
	return n
}

// following returns a node that begins with n and belongs to the same rule.
func (r *syntaxReader) following(n *syntaxNode) *syntaxNode {
	if r.failed() {
		return n
	}
	outer := newSyntaxNode(n.GetParent().(antlr.ParserRuleContext), n.GetInvokingState(), n.RuleIndex)
	outer.add(n)
	r.PushNewRecursionContext(outer, 2*n.RuleIndex, n.RuleIndex)
	return outer
}

// at sets the state in which the next rule begins.
func (r *syntaxReader) at(state int) *syntaxReader {
	if !r.failed() {
		r.SetState(state)
	}
	return r
}

// noAlternative reports that no alternative of a rule begins with the next token.
func (r *syntaxReader) noAlternative() {
	if !r.failed() {
		r.SetError(antlr.NewNoViableAltException(r, nil, nil, nil, nil, nil))
	}
}

// recover ends a rule. If there was an error in it, that is reported, and the rules around it go on.
func (r *syntaxReader) recover(n *syntaxNode) {
	err := r.GetError()
	if r.stopped || err == nil {
		return
	}
	n.SetException(err)
	r.GetErrorHandler().ReportError(r, err)
	r.GetErrorHandler().Recover(r, err)
	r.SetError(nil)
}

// match reads a token.
func (r *syntaxReader) match(state, token int) antlr.Token {
	if r.failed() {
		return nil
	}
	r.SetState(state)
	return r.Match(token)
}

// matchOneOf reads one of several tokens.
func (r *syntaxReader) matchOneOf(state int, tokens ...int) antlr.Token {
	if r.failed() {
		return nil
	}
	r.SetState(state)
	next := r.tokens.LT(1)
	if !slices.Contains(tokens, next.GetTokenType()) {
		return r.GetErrorHandler().RecoverInline(r)
	}
	r.GetErrorHandler().ReportMatch(r)
	r.Consume()
	return next
}

// peek returns the type of the next token, where this decides how to go on.
func (r *syntaxReader) peek(state int) int {
	if !r.sync(state) {
		return antlr.TokenInvalidType
	}
	return r.tokens.LA(1)
}

// predict returns the alternative to go on with, where more than one token may decide.
func (r *syntaxReader) predict(state, decision int) int {
	if !r.sync(state) {
		return antlr.ATNInvalidAltNumber
	}
	return r.Interpreter.AdaptivePredict(r.BaseParser, r.tokens, decision, r.GetParserRuleContext())
}

// sync leaves out a token that is too many, and reports whether there is one that is expected.
func (r *syntaxReader) sync(state int) bool {
	if r.failed() {
		return false
	}
	r.SetState(state)
	r.GetErrorHandler().Sync(r)
	return !r.failed()
}
