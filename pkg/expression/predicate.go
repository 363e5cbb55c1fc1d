package expression

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	celcommon "github.com/google/cel-go/common"
	"github.com/google/cel-go/common/types"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
)

// A Predicate is a condition of admsim's own. It sees what a webhook's match condition sees, and `call`, the number of
// the call, counting from 1. Predicates about SubjectAccessReviews, which authorization webhooks get, are evaluated
// with [Predicate.EvalSubject].
type Predicate struct {
	text     string
	program  program
	compiler *Compiler // for its parts
	subject  func() (authorizationcel.CompilationResult, error)
}

// Predicate compiles a predicate. The error is a [*CompileError].
func (c *Compiler) Predicate(expression string) (*Predicate, error) {
	p := c.compileCallable(expression, wantBool)
	subject := sync.OnceValues(func() (authorizationcel.CompilationResult, error) { return c.CompileSubject(expression) })
	if p.err != nil {
		if _, err := subject(); err != nil {
			return nil, compileError(expression, p.err)
		}
	}
	return &Predicate{expression, p, c, subject}, nil
}

func (c *Compiler) compileCallable(text string, w want) program {
	return c.callable.compile(source{text: text, want: w}, declarations{HasAuthorizer: true}, ofRelease)
}

// Eval reports whether the predicate holds for the n-th call for in.
func (p *Predicate) Eval(ctx context.Context, in Input, n int) (bool, error) {
	out, err := p.compiler.evaluateCall(ctx, in, n, p.text, p.program)
	if err == nil {
		err = out.err
	}
	return err == nil && out.value != types.False, err
}

// evaluateCall runs the program of a text for the n-th call for in.
func (c *Compiler) evaluateCall(ctx context.Context, in Input, n int, text string, p program) (outcome, error) {
	v := view{resource: in.Request.Resource, authorizer: true, converters: c.callable.converters}
	e, err := newEvaluation(ctx, in, v, nil, celconfig.RuntimeCELCostBudgetMatchConditions)
	if err != nil {
		return outcome{}, err
	}
	e.activation.call = n
	return e.run(text, p)
}

// A CompileError says why an expression does not compile, with the position of every problem.
type CompileError struct {
	Expression string
	Problems   []Problem
}

// A Problem is one mistake in an expression. If it is about the expression as a whole, such as its type, Line is 0.
type Problem struct {
	Line, Column int // counting from 1
	Text         string
}

func compileError(expression string, err *apiservercel.Error) *CompileError {
	e := &CompileError{Expression: expression}
	var compilation *apiservercel.CompilationError
	if !errors.As(err, &compilation) {
		e.Problems = []Problem{{Text: err.Detail}}
		return e
	}
	for _, issue := range compilation.Issues.Errors() {
		// CEL counts columns from 0.
		e.Problems = append(e.Problems, Problem{issue.Location.Line(), issue.Location.Column() + 1, issue.Message})
	}
	return e
}

// Error shows each problem, and marks its position in the expression:
//
//	1:9: undeclared reference to 'colour' (in container '')
//	  | 1 + 1 == colour
//	  |          ^
func (e *CompileError) Error() string {
	var b strings.Builder
	source := celcommon.NewTextSource(e.Expression)
	for i, p := range e.Problems {
		if i > 0 {
			b.WriteByte('\n')
		}
		line, ok := source.Snippet(p.Line)
		if !ok {
			fmt.Fprintf(&b, "%s\n  | %s", p.Text, e.Expression)
			continue
		}
		mark := strings.Repeat(" ", max(p.Column-1, 0))
		fmt.Fprintf(&b, "%d:%d: %s\n  | %s\n  | %s^", p.Line, p.Column, p.Text, line, mark)
	}
	return b.String()
}
