package expression

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"

	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// environments compiles expressions like the server's compiler. That one creates eight environments from the start, one
// for each set of variables, and each of them twice. A run needs one or two of them, and an environment costs more than
// an expression: kubernetes/apiserver:pkg/admission/plugin/cel/compile.go.
type environments struct {
	dialect *dialect
	base    func(mode) (*cel.Env, error)
	made    memo.Map // variant → func() (*cel.Env, error)
}

// A variant is what distinguishes one environment from another.
type variant struct {
	declares declarations
	mode     mode
}

// newEnvironments returns the environments of a dialect, which extend a base.
func newEnvironments(d *dialect, base func(mode) (*cel.Env, error)) *environments {
	return &environments{dialect: d, base: base}
}

// of returns the environment in which these variables are declared.
func (e *environments) of(v variant) (*cel.Env, error) {
	made, known := e.made.Load(v)
	if !known {
		made, _ = e.made.LoadOrStore(v, sync.OnceValues(func() (*cel.Env, error) { return e.declare(v) }))
	}
	return made.(func() (*cel.Env, error))()
}

func (e *environments) declare(v variant) (*cel.Env, error) {
	base, err := e.base(v.mode)
	if err != nil {
		return nil, err
	}
	request, namespace := requestType(), namespaceType()
	options := []cel.EnvOption{
		cel.Variable(objectVariable, cel.DynType),
		cel.Variable(oldObjectVariable, cel.DynType),
		cel.Variable(requestVariable, request.CelType()),
	}
	if e.dialect.library.has(kubeversion.CELNamespaces) { // W-352
		options = append(options, cel.Variable(namespaceVariable, namespace.CelType()))
	}
	if v.declares.HasParams {
		options = append(options, cel.Variable(paramsVariable, cel.DynType))
	}
	if v.declares.HasAuthorizer && e.dialect.library.has(kubeversion.CELAuthorizer) {
		options = append(options,
			cel.Variable(authorizerVariable, library.AuthorizerType),
			cel.Variable(requestResourceVariable, library.ResourceCheckType))
	}
	types, err := typesFor(base, v.mode.keywords(e.dialect.minor), namespace, request)
	if err != nil {
		return nil, err
	}
	options = append(options, types...)
	if v.declares.HasPatchTypes {
		options = append(options, common.ResolverEnvOption(&mutation.DynamicTypeResolver{}), library.JSONPatch())
	}
	return base.Extend(options...)
}

// keywords reports whether fields may have the names of CEL keywords.
func (m mode) keywords(minor int) bool {
	return m == ofNewest || kubeversion.KeywordsAsFields.In(minor)
}

// compile compiles as the server does, with the same error messages.
func (e *environments) compile(s source, declares declarations, mode mode) program {
	fail := func(detail string, kind apiservercel.ErrorType, cause error) program {
		return program{err: &apiservercel.Error{Type: kind, Detail: detail, Cause: cause}}
	}
	env, err := e.of(variant{declares, mode})
	if err != nil {
		panic(fmt.Sprintf("CEL environment: %v", err))
	}
	ast, issues := compileIn(env, s.text, e.dialect.library.former)
	if issues != nil {
		return fail("compilation failed: "+issues.String(), apiservercel.ErrorTypeInvalid, apiservercel.NewCompilationError(issues))
	}
	if problem := wrongType(ast.OutputType(), s.want.types()); problem != "" {
		if !e.dialect.library.has(kubeversion.CELResultsNamed) {
			problem = "cel expression must evaluate to a bool"
		}
		return fail(problem, apiservercel.ErrorTypeInvalid, nil)
	}
	options := []cel.ProgramOption{cel.InterruptCheckFrequency(celconfig.CheckFrequency)}
	if !e.dialect.charged {
		options = append(options, cel.CostTracking(nil))
	}
	compiled, err := env.Program(ast, options...)
	if err != nil {
		kind := apiservercel.ErrorTypeInternal
		if !e.dialect.library.has(kubeversion.CELProgramsInternal) {
			kind = apiservercel.ErrorTypeInvalid
		}
		return fail("program instantiation failed: "+err.Error(), kind, nil)
	}
	return program{Program: compiled, output: ast.OutputType()}
}

// wrongType returns what is wrong with a type that has to be one of several; it is empty if the type is right.
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
