package expression

import (
	"context"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// CompileSubject compiles an expression about the spec of a SubjectAccessReview, which it sees as `request`. The error
// is a [*apiservercel.Error].
func (c *Compiler) CompileSubject(expression string) (authorizationcel.CompilationResult, error) {
	return c.subjects.CompileCELExpression(&authorizationcel.SubjectAccessReviewMatchCondition{Expression: expression})
}

// Subjects returns the compiler of [Compiler.CompileSubject].
func (c *Compiler) Subjects() authorizationcel.Compiler { return c.subjects }

// A subjectCompiler compiles the conditions of authorization webhooks: kubernetes/apiserver:pkg/authorization/cel/compile.go.
// They may use everything that the release knows, even if it has only just learned it (AU-62a). The server's own compiler
// knows everything that its library knows, which is that of the newest release.
type subjectCompiler struct {
	env func(mode) (*cel.Env, error)
}

func newSubjectCompiler(r *kubeversion.Release, base func(mode) (*cel.Env, error)) subjectCompiler {
	return subjectCompiler{inEachMode(func(m mode) (*cel.Env, error) {
		env, err := base(m)
		if err != nil {
			return nil, err
		}
		request := subjectType(r.Has(kubeversion.AuthorizerSelectors))
		types, err := typesFor(env, m.keywords(r.Minor), request)
		if err != nil {
			return nil, err
		}
		return env.Extend(append(types, cel.Variable(requestVariable, request.CelType()))...)
	})}
}

// CompileCELExpression implements [authorizationcel.Compiler].
func (c subjectCompiler) CompileCELExpression(e authorizationcel.ExpressionAccessor) (authorizationcel.CompilationResult, error) {
	compiled := authorizationcel.CompilationResult{ExpressionAccessor: e}
	wrong := func(kind apiservercel.ErrorType, format string, args ...any) (authorizationcel.CompilationResult, error) {
		return compiled, &apiservercel.Error{Type: kind, Detail: fmt.Sprintf(format, args...)}
	}
	env, err := c.env(ofRelease)
	if err != nil {
		return wrong(apiservercel.ErrorTypeInternal, "unexpected error loading CEL environment: %v", err)
	}
	checked, issues := env.Compile(e.GetExpression())
	if issues != nil {
		return wrong(apiservercel.ErrorTypeInvalid, "compilation failed: %s", issues.String())
	}
	if checked.OutputType() != cel.BoolType {
		return wrong(apiservercel.ErrorTypeInvalid, "must evaluate to %v but got %v", cel.BoolType, checked.OutputType())
	}
	compiled.UsesFieldSelector, compiled.UsesLabelSelector = selectorsIn(checked.NativeRep())
	if compiled.Program, err = env.Program(checked); err != nil {
		return wrong(apiservercel.ErrorTypeInternal, "program instantiation failed: %v", err)
	}
	return compiled, nil
}

const (
	fieldSelector = "fieldSelector"
	labelSelector = "labelSelector"
)

// selectorsIn reports whether an expression reads a selector. Those that it does not read are not given to it.
func selectorsIn(checked *ast.AST) (fields, labels bool) {
	ast.PreOrderVisit(ast.NavigateAST(checked), ast.NewExprVisitor(func(e ast.Expr) {
		name := ""
		switch e.Kind() {
		case ast.SelectKind:
			name = e.AsSelect().FieldName()
		case ast.CallKind:
			if args := e.AsCall().Args(); e.AsCall().FunctionName() == operators.OptSelect && len(args) == 2 && args[1].Kind() == ast.LiteralKind {
				name, _ = args[1].AsLiteral().Value().(string)
			}
		}
		fields = fields || name == fieldSelector
		labels = labels || name == labelSelector
	}))
	return fields, labels
}

// subjectType returns the type of the spec of a SubjectAccessReview.
func subjectType(selectors bool) *apiservercel.DeclType {
	list := func(of *apiservercel.DeclType) *apiservercel.DeclType { return apiservercel.NewListType(of, -1) }
	object := func(name string, texts []string, more ...*apiservercel.DeclField) *apiservercel.DeclType {
		fields := map[string]*apiservercel.DeclField{}
		for _, text := range texts {
			fields[text] = apiservercel.NewDeclField(text, apiservercel.StringType, false, nil, nil)
		}
		for _, f := range more {
			fields[f.Name] = f
		}
		return apiservercel.NewObjectType("kubernetes."+name, fields)
	}
	field := func(name string, of *apiservercel.DeclType) *apiservercel.DeclField {
		return apiservercel.NewDeclField(name, of, false, nil, nil)
	}
	var chosen []*apiservercel.DeclField
	if selectors {
		requirements := field("requirements", list(object("SelectorRequirement", []string{"key", "operator"}, field("values", list(apiservercel.StringType)))))
		chosen = []*apiservercel.DeclField{
			field(fieldSelector, object("FieldSelectorAttributes", []string{"rawSelector"}, requirements)),
			field(labelSelector, object("LabelSelectorAttributes", []string{"rawSelector"}, requirements)),
		}
	}
	return object("SubjectAccessReviewSpec", []string{"user", "uid"},
		field("resourceAttributes", object("ResourceAttributes", []string{"namespace", "verb", "group", "version", "resource", "subresource", "name"}, chosen...)),
		field("nonResourceAttributes", object("NonResourceAttributes", []string{"path", "verb"})),
		field("groups", list(apiservercel.StringType)),
		field("extra", apiservercel.NewMapType(apiservercel.StringType, list(apiservercel.StringType), -1)),
	)
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
