// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package customrules

import (
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
)

// lackedFunctions are functions that a release does not have (W-345). An environment cannot be extended by removing
// functions, so their calls are refused after the check, in its words.
type lackedFunctions []string

func (lackedFunctions) Name() string { return "admsim.lacked_functions" }

// Validate implements [celgo.ASTValidator].
func (l lackedFunctions) Validate(_ *celgo.Env, _ celgo.ValidatorConfig, tree *ast.AST, issues *celgo.Issues) {
	undeclared := func(id int64, name string) {
		issues.ReportErrorAtID(id, "undeclared reference to '%s' (in container '')", name)
	}
	for _, call := range ast.MatchDescendants(ast.NavigateAST(tree), ast.KindMatcher(ast.CallKind)) {
		name := call.AsCall().FunctionName()
		if !slices.Contains(l, name) {
			continue
		}
		// The name of a function in a namespace is taken for a method of an unknown variable.
		if namespace, method, ok := strings.Cut(name, "."); ok {
			undeclared(call.ID(), namespace)
			name = method
		}
		undeclared(call.ID(), name)
	}
}
