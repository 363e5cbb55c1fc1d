package expression

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// environments compile expressions as the server's compiler does, which makes eight
// environments when it is made, one for each set of variables. A run needs one or two of
// them, and an environment costs more than an expression:
// kubernetes/apiserver:pkg/admission/plugin/cel/compile.go.
type environments struct {
	base func() *environment.EnvSet
	made sync.Map // declarations → func() (*environment.EnvSet, error)

	// whole is the server's own, for what is declared for mutations.
	whole func() plugincel.Compiler
}

var _ plugincel.Compiler = (*environments)(nil)

func newEnvironments(base func() *environment.EnvSet) *environments {
	return &environments{base: base, whole: sync.OnceValue(func() plugincel.Compiler { return plugincel.NewCompiler(base()) })}
}

// of is the environment in which these variables are declared.
func (e *environments) of(declares declarations) (*environment.EnvSet, error) {
	made, known := e.made.Load(declares)
	if !known {
		made, _ = e.made.LoadOrStore(declares, sync.OnceValues(func() (*environment.EnvSet, error) { return declare(e.base(), declares) }))
	}
	return made.(func() (*environment.EnvSet, error))()
}

func declare(base *environment.EnvSet, declares declarations) (*environment.EnvSet, error) {
	request, namespace := plugincel.BuildRequestType(), plugincel.BuildNamespaceType()
	variables := []cel.EnvOption{
		cel.Variable(plugincel.ObjectVarName, cel.DynType),
		cel.Variable(plugincel.OldObjectVarName, cel.DynType),
		cel.Variable(plugincel.NamespaceVarName, namespace.CelType()),
		cel.Variable(plugincel.RequestVarName, request.CelType()),
	}
	if declares.HasParams {
		variables = append(variables, cel.Variable(plugincel.ParamsVarName, cel.DynType))
	}
	if declares.HasAuthorizer {
		variables = append(variables,
			cel.Variable(plugincel.AuthorizerVarName, library.AuthorizerType),
			cel.Variable(plugincel.RequestResourceAuthorizerVarName, library.ResourceCheckType))
	}
	return base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0), // always there
		EnvOptions:        variables,
		DeclTypes:         []*apiservercel.DeclType{namespace, request},
	}, environment.StrictCostOpt)
}

// CompileCELExpression implements [plugincel.Compiler], in the server's words.
func (e *environments) CompileCELExpression(s plugincel.ExpressionAccessor, declares declarations, mode mode) program {
	if declares.HasPatchTypes {
		return e.whole().CompileCELExpression(s, declares, mode)
	}
	fail := func(detail string, kind apiservercel.ErrorType, cause error) program {
		return program{Error: &apiservercel.Error{Type: kind, Detail: detail, Cause: cause}, ExpressionAccessor: s}
	}
	all, err := e.of(declares)
	if err != nil {
		panic(fmt.Sprintf("CEL environment: %v", err))
	}
	env, err := all.Env(mode)
	if err != nil {
		return fail(fmt.Sprintf("unexpected error loading CEL environment: %v", err), apiservercel.ErrorTypeInternal, nil)
	}
	ast, issues := env.Compile(s.GetExpression())
	if issues != nil {
		return fail("compilation failed: "+issues.String(), apiservercel.ErrorTypeInvalid, apiservercel.NewCompilationError(issues))
	}
	if problem := wrongType(ast.OutputType(), s.ReturnTypes()); problem != "" {
		return fail(problem, apiservercel.ErrorTypeInvalid, nil)
	}
	compiled, err := env.Program(ast, cel.InterruptCheckFrequency(celconfig.CheckFrequency))
	if err != nil {
		return fail("program instantiation failed: "+err.Error(), apiservercel.ErrorTypeInternal, nil)
	}
	return program{Program: compiled, ExpressionAccessor: s, OutputType: ast.OutputType()}
}

// wrongType says what is wrong with a type that has to be one of several; nothing is where
// any will do.
func wrongType(got *cel.Type, want []*cel.Type) string {
	for _, t := range want {
		if got.IsExactType(t) || cel.AnyType.IsExactType(t) {
			return ""
		}
	}
	if len(want) == 1 {
		return fmt.Sprintf("must evaluate to %v but got %v", want[0].String(), got.String())
	}
	return fmt.Sprintf("must evaluate to one of %v but got %v", want, got.String())
}
