// Package expression compiles and evaluates CEL, in the environment that a Kubernetes
// release gives to the expressions of its admission chain, and within its cost budget.
//
// A [Compiler] belongs to a release. [Compiler.Conditions] are the match conditions of
// one webhook, [Compiler.Scope] is what the expressions of one policy share, and
// [Compiler.Predicate] is a condition of admsim's own. The Check functions answer for
// expressions that are about to be written.
//
// Nothing is compiled before it is needed, and nothing twice: ten thousand webhooks with
// the same condition share one program. An expression that does not compile is not an
// error of the compiler but of the condition, where the server reports it too.
//
// The package decides nothing: it does not know failure policies, nor what a false
// condition leads to. It is the only one that knows CEL.
package expression

import (
	"fmt"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Compiler compiles expressions as one release does. It is safe for concurrent use.
type Compiler struct {
	stored   *dialect // for expressions that are in the cluster
	written  *dialect // for expressions that a request brings
	callable *dialect // for [Predicate]
}

// New returns the compiler of release r. It does no work yet.
//
// What is stored may use all that the release knows; what is written only what the
// release before it knows too, so that going back stays possible (W-325).
func New(r *kubeversion.Release) *Compiler {
	release := version.MustParseGeneric(r.Version)
	before := version.MajorMinor(release.Major(), release.Minor()-1)
	var stored, written []environment.VersionedOptions
	if !r.AtLeast(selectorsSince) {
		stored = append(stored, withoutSelectors)
	}
	if !r.Has(kubeversion.AuthorizerSelectors) {
		written = append(written, withoutSelectors)
	}
	c := &Compiler{
		stored:   newDialect(release, stored...),
		callable: newDialect(release, append(stored, call)...),
	}
	if c.written = c.stored; before.Minor() < settledSince || len(written) > 0 {
		c.written = newDialect(before, written...)
	}
	return c
}

// settledSince is the release since which CEL is the same in each. With one dialect for what is
// stored and for what is written, an expression is compiled once.
const settledSince = 34

// call declares what only a [Predicate] sees.
var call = environment.VersionedOptions{
	IntroducedVersion: version.MajorMinor(1, 0), // always there
	EnvOptions:        []cel.EnvOption{cel.Variable(callVariable, cel.IntType)},
}

// A dialect is the CEL of one release.
type dialect struct {
	release  *version.Version
	base     func() *environment.EnvSet
	compiler func() compiler
	programs programs // of expressions that see no variables

	bare func() *composition // of policies without variables
}

// newDialect returns the dialect of a release, with what admsim adds to it.
func newDialect(release *version.Version, more ...environment.VersionedOptions) *dialect {
	d := &dialect{release: release}
	d.base = sync.OnceValue(func() *environment.EnvSet { return baseEnvironment(release, more) })
	d.compiler = sync.OnceValue(func() compiler {
		return newEnvironments(release, func(m mode) (*cel.Env, error) { return d.base().Env(m) })
	})
	d.bare = sync.OnceValue(func() *composition { return d.compose(nil, declarations{}) })
	return d
}

func baseEnvironment(release *version.Version, more []environment.VersionedOptions) *environment.EnvSet {
	base, err := environment.MustBaseEnvSet(release).Extend(more...)
	if err != nil {
		panic(fmt.Sprintf("CEL environment of %v: %v", release, err))
	}
	return base
}

// compile returns the program of an expression that sees no variables.
func (d *dialect) compile(s source, declares declarations, mode mode) program {
	return d.programs.of(programKey{s, declares, mode}, d.compiler)
}

// An environment built for a release holds two: what that release knows, and what the
// newest one knows.
const (
	ofRelease = environment.NewExpressions
	ofNewest  = environment.StoredExpressions
)

type mode = environment.Type

// A program is an expression that was compiled, or the error for which there is none.
type program struct {
	cel.Program
	err  *apiservercel.Error
	gets *cel.Type // what it evaluates to
}

// A programKey is all that a program depends on within one environment.
type programKey struct {
	source
	declares declarations
	mode     mode
}

// programs are those compiled so far, each once.
type programs struct{ byKey sync.Map } // programKey → func() program

func (p *programs) of(key programKey, compiler func() compiler) program {
	compiled, known := p.byKey.Load(key)
	if !known {
		compiled, _ = p.byKey.LoadOrStore(key, sync.OnceValue(func() program {
			return compiler().compile(key.source, key.declares, key.mode)
		}))
	}
	return compiled.(func() program)()
}
