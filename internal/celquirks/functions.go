package celquirks

import (
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/containers"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/overloads"
	"github.com/google/cel-go/common/types"
)

// LackedFunctions returns the functions that a server without kubeversion.CELOptionalLists does not have (W-345).
func LackedFunctions() []string { return []string{"first", "last", "optional.unwrap", "unwrapOpt"} }

// renamed returns the errors of the linked checker, found, with the names that the library has.
func (f Former) renamed(env *cel.Env, parsed *cel.Ast, found *cel.Issues) (wrong []*common.Error) {
	if !f.before(listFunctions) {
		return nil
	}
	if lacking := f.lacking(env, parsed); lacking.Err() != nil {
		found = lacking
	}
	for _, err := range found.Errors() {
		wrong = append(wrong, common.NewError(err.ExprID, f.named(err.Message), err.Location))
	}
	return wrong
}

// lacks reports whether the library has no function of that name.
func (f Former) lacks(function string) bool {
	return f.before(listFunctions) && slices.Contains(LackedFunctions(), function) ||
		f.before(serverFunctions) && slices.Contains(firstServerFunctions, function)
}

// lacksOverload reports whether the library has a function, but not for these arguments.
func (f Former) lacksOverload(fn *decls.FunctionDecl, o *decls.OverloadDecl) bool {
	return f.before(optionalSyntax) && fn.Name() == overloads.Matches && !o.IsMemberFunction() ||
		f.before(serverFunctions) && (fn.Name() == "indexOf" || fn.Name() == "lastIndexOf") && o.ArgTypes()[0].Kind() == types.ListKind
}

// firstServerFunctions are those that servers added to CEL first: kubernetes/apiextensions-apiserver@v0.24.17:pkg/apiserver/schema/cel/library.
// Those of strings with the same names are CEL's own.
var firstServerFunctions = []string{
	"find", "findAll", "isSorted", "sum", "min", "max",
	"url", "isURL", "getScheme", "getHost", "getHostname", "getPort", "getEscapedPath", "getQuery",
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
	if f.before(optionalTypeRenamed) {
		message = strings.ReplaceAll(message, optionalType+"(", formerOptionalType+"(")
	}
	return message
}
