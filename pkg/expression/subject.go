package expression

import (
	"context"

	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/util/version"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// CompileSubject compiles an expression about the spec of a SubjectAccessReview, which it sees as `request`, with the
// server's own compiler. The error is a [*apiservercel.Error].
func (c *Compiler) CompileSubject(expression string) (authorizationcel.CompilationResult, error) {
	return c.subjects().CompileCELExpression(&authorizationcel.SubjectAccessReviewMatchCondition{Expression: expression})
}

// Subjects returns the compiler of [Compiler.CompileSubject].
func (c *Compiler) Subjects() authorizationcel.Compiler { return c.subjects() }

func subjectCompiler(minor int) authorizationcel.Compiler {
	return authorizationcel.NewCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, uint(minor))))
}

// EvalSubject reports whether the predicate holds for a SubjectAccessReview.
func (p *Predicate) EvalSubject(ctx context.Context, r *authorizationv1.SubjectAccessReview) (bool, error) {
	compiled, err := p.subject()
	if err != nil {
		return false, err
	}
	matcher := authorizationcel.CELMatcher{
		CompilationResults: []authorizationcel.CompilationResult{compiled},
		UsesFieldSelector:  compiled.UsesFieldSelector,
		UsesLabelSelector:  compiled.UsesLabelSelector,
	}
	return matcher.Eval(ctx, r)
}
