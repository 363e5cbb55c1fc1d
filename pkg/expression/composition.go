package expression

import (
	"context"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/lazy"
)

// A compiler compiles expressions that see certain variables.
type compiler interface {
	compile(s source, declares declarations, mode mode) program
}

// A composer is a compiler for expressions that see the variables of a policy, and for the variables themselves:
// kubernetes/apiserver:pkg/admission/plugin/cel/composition.go.
type composer struct {
	compiler
	env      func(mode) (*cel.Env, error)
	all      *apiservercel.DeclType // the variable `variables`
	compiled map[string]program
}

// newComposer returns a composer without variables. It has no compiler yet: it declares the variables in an environment
// for one.
func newComposer(minor int, base func(mode) (*cel.Env, error)) *composer {
	all := apiservercel.NewObjectType("kubernetes.variables", map[string]*apiservercel.DeclField{})
	env := inEachMode(func(m mode) (*cel.Env, error) {
		parent, err := base(m)
		if err != nil {
			return nil, err
		}
		types, err := typesFor(parent, m.keywords(minor), all)
		if err != nil {
			return nil, err
		}
		return parent.Extend(append(types, cel.Variable(variablesVariable, all.CelType()))...)
	})
	return &composer{env: env, all: all, compiled: map[string]program{}}
}

// add compiles a variable. Later expressions see it, whether it compiles or not.
func (c *composer) add(s source, declares declarations, mode mode) program {
	p := c.compile(s, declares, mode)
	c.all.Fields[s.name] = apiservercel.NewDeclField(s.name, declaredAs(p.output), true, nil, nil)
	c.compiled[s.name] = p
	return p
}

// composed holds the variables of a policy in one evaluation. Each is evaluated on first use.
type composed struct {
	ctx    context.Context // of the expression that uses a variable
	values *lazy.MapValue  // nil until it is needed
	cost   int64           // of those evaluated since the last [composed.takeCost]
}

// bind returns the value of `variables`.
func (c *composed) bind(to *composer, activation any) ref.Val {
	if c.values == nil {
		c.values = lazy.NewMapValue(to.all)
		for name, p := range to.compiled {
			c.values.Append(name, func(*lazy.MapValue) ref.Val { return c.evaluate(name, p, activation) })
		}
	}
	return c.values
}

func (c *composed) evaluate(name string, p program, activation any) ref.Val {
	if p.err != nil {
		return types.NewErr("composited variable %q fails to compile: %v", name, p.err)
	}
	v, details, err := p.ContextEval(c.ctx, activation)
	if details == nil {
		return types.NewErr("unable to get evaluation details of variable %q", name)
	}
	cost := details.ActualCost()
	if cost == nil {
		return types.NewErr("unable to calculate cost of variable %q", name)
	}
	c.cost += int64(min(*cost, math.MaxInt64))
	if err != nil {
		return types.NewErr("composited variable %q fails to evaluate: %v", name, err)
	}
	return v
}

// takeCost returns the cost of variables since the last call.
func (c *composed) takeCost() int64 {
	cost := c.cost
	c.cost = 0
	return cost
}

// declaredAs returns the type that a variable is declared with. A nil type is that of a variable that does not compile.
func declaredAs(t *cel.Type) *apiservercel.DeclType {
	for _, declared := range []*apiservercel.DeclType{
		apiservercel.AnyType, apiservercel.BoolType, apiservercel.BytesType, apiservercel.DoubleType, apiservercel.DurationType,
		apiservercel.IntType, apiservercel.NullType, apiservercel.StringType, apiservercel.TimestampType, apiservercel.UintType,
	} {
		if declared.CelType() == t {
			return declared
		}
	}
	if t == nil || !t.HasTrait(traits.ContainerType) || !t.HasTrait(traits.IndexerType) {
		return apiservercel.DynType
	}
	switch of := t.Parameters(); len(of) {
	case 1:
		return apiservercel.NewListType(declaredAs(of[0]), -1)
	case 2:
		return apiservercel.NewMapType(declaredAs(of[0]), declaredAs(of[1]), -1)
	}
	return apiservercel.DynType
}
