package expression

import (
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// A Scope is the context that the expressions of one policy share: its variables, and whether it has params. Its
// methods return the policy's expressions by purpose, which decides what they see (W-324).
type Scope struct {
	dialect     *dialect
	params      bool
	variables   []admissionregistrationv1.Variable
	composition func() *composition
}

// Scope returns the scope of a policy. params says that the policy has a paramKind; each evaluation says whether there
// are params.
func (c *Compiler) Scope(variables []admissionregistrationv1.Variable, params bool) *Scope {
	s := &Scope{dialect: c.stored, params: params, variables: variables, composition: c.stored.bare}
	if len(variables) > 0 {
		s.composition = sync.OnceValue(func() *composition {
			return c.stored.compose(variables, declarations{HasParams: params, HasAuthorizer: true})
		})
	}
	return s
}

// A composition is an environment with variables.
type composition struct {
	compiler *composer
	programs programs
}

// compose compiles the variables, in order, since each may use the earlier ones. A variable that does not compile fails
// the expressions that use it (W-294).
func (d *dialect) compose(variables []admissionregistrationv1.Variable, declares declarations) *composition {
	compiler := d.withVariables()
	for _, v := range variables {
		compiler.add(source{text: v.Expression, want: wantAnything, name: v.Name}, declares, ofRelease)
	}
	return &composition{compiler: compiler}
}

// withVariables returns a compiler for expressions that use variables.
func (d *dialect) withVariables() *composer {
	c := newComposer(d.minor, d.base)
	c.compiler = newEnvironments(d, c.env)
	return c
}

func (s *Scope) compile(text string, w want, declares declarations) program {
	declares.HasParams = s.params
	of := source{text: text, want: w}
	if len(s.variables) == 0 {
		return s.dialect.compileBare(of, declares, ofRelease)
	}
	return s.composition().compile(of, declares, ofRelease)
}

// compileBare returns the program of an expression in a policy without variables: `variables` is declared, but empty.
// An expression that does not use it needs no environment that has it, and often was compiled before, when its policy
// was written.
func (d *dialect) compileBare(s source, declares declarations, mode mode) program {
	if p := d.compile(s, declares, mode); p.err == nil {
		return p
	}
	return d.bare().compile(s, declares, mode)
}

func (c *composition) compile(s source, declares declarations, mode mode) program {
	return c.programs.of(programKey{s, declares, mode}, func() compiler { return c.compiler })
}

// Conditions returns the policy's match conditions. Unlike those of a webhook, they see params.
func (s *Scope) Conditions(list []admissionregistrationv1.MatchCondition) *Conditions {
	return &Conditions{list: list, scope: s, dialect: s.dialect, compile: func(expression string) program {
		return s.compile(expression, wantBool, declarations{HasAuthorizer: true})
	}}
}
