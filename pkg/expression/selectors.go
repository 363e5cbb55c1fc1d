package expression

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

// selectorsSince is the release whose CEL has the authorizer's fieldSelector and
// labelSelector, behind the gate AuthorizeWithSelectors in what is written, and without one in
// what is stored.
const selectorsSince = 31

// withoutSelectors takes them out of the CEL of a release that does not know them. Other than
// every other word of CEL, the server's library has them from a gate, whatever the release:
// kubernetes/apiserver:pkg/cel/environment/base.go. A declaration cannot be taken back, so
// that what uses them is refused after the types are checked, as what is not declared.
var withoutSelectors = environment.VersionedOptions{
	IntroducedVersion: version.MajorMinor(1, 0), // always
	RemovedVersion:    version.MajorMinor(2, 0), // never, which leaves [ofNewest] as it is
	EnvOptions:        []cel.EnvOption{cel.ASTValidators(undeclaredSelectors{})},
}

type undeclaredSelectors struct{}

// Name implements [cel.ASTValidator].
func (undeclaredSelectors) Name() string { return "admsim.validator.selectors" }

// Validate implements [cel.ASTValidator].
func (undeclaredSelectors) Validate(env *cel.Env, _ cel.ValidatorConfig, checked *ast.AST, issues *cel.Issues) {
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind {
			return
		}
		if name := e.AsCall().FunctionName(); name == "fieldSelector" || name == "labelSelector" {
			issues.ReportErrorAtID(e.ID(), "undeclared reference to '%s' (in container '%s')", name, env.Container.Name())
		}
	}))
}
