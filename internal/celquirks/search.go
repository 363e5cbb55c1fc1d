package celquirks

import (
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/overloads"
)

// NoSearchFunction refuses matches(text, pattern) in the words of the checker, for servers without
// kubeversion.CELSearchFunctions. They only know text.matches(pattern).
func NoSearchFunction() cel.ASTValidator { return noSearchFunction{} }

type noSearchFunction struct{}

func (noSearchFunction) Name() string { return "admsim.no_search_function" }

func (noSearchFunction) Validate(_ *cel.Env, _ cel.ValidatorConfig, tree *ast.AST, issues *cel.Issues) {
	for _, call := range ast.MatchDescendants(ast.NavigateAST(tree), ast.FunctionMatcher(overloads.Matches)) {
		if args := call.AsCall().Args(); !call.AsCall().IsMemberFunction() {
			types := fmt.Sprintf("(%s, %s)", tree.GetType(args[0].ID()), tree.GetType(args[1].ID()))
			issues.ReportErrorAtID(call.ID(), "found no matching overload for 'matches' applied to '%s'", types)
		}
	}
}
