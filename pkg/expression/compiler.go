// Package expression compiles and evaluates CEL in the environment that a Kubernetes release provides for the
// expressions of its admission chain, and within its cost budget.
//
// Start with [New]. A [Compiler] belongs to a release. [Compiler.Conditions] returns the match conditions of one
// webhook, [Compiler.Scope] the context of the expressions of one policy, and [Compiler.Predicate] a condition of
// admsim's own. The Check methods validate expressions that are being written.
//
// Nothing is compiled before it is needed, and nothing twice: ten thousand webhooks with the same condition share one
// program. As in the server, an expression that does not compile is an error of the condition, not of the compiler.
//
// The package decides nothing: it does not know failure policies, or the consequences of a false condition. No other
// package uses CEL.
package expression

import (
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/internal/memo"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Compiler compiles expressions as one release does. It is safe for concurrent use.
type Compiler struct {
	stored   *dialect // for policies in the cluster
	hooks    *dialect // for webhooks in the cluster; usually the same as stored
	written  *dialect // for expressions in a request
	callable *dialect // for [Predicate]

	devices   *devices
	instances func(mode) (*cel.Env, error) // of selectors of instances
	subjects  subjectCompiler
}

// New returns the compiler of release r. It does no work yet.
//
// Stored expressions may use everything that the release knows. New expressions may only use what the previous release
// also knows, so that a downgrade stays possible (W-325). Before [kubeversion.CELStored], there is no such difference.
func New(r *kubeversion.Release) *Compiler {
	selectors := kubeversion.AuthorizerSelectors.In(r.Minor)
	known := &converters{
		moved: func(kind schema.GroupKind) moved.Fields { return moved.New(r.Moved(kind)...) },
		unset: unset.New(r.Unset()...),
	}
	library := linkedWith(r, r.Minor)
	c := &Compiler{
		stored:   newDialect(r.Minor, selectors, known, library).charging(r.Has(kubeversion.PolicyLibraryCosts)),
		callable: newDialect(r.Minor, selectors, known, library, cel.Variable(callVariable, cel.IntType)),
	}
	c.written, c.hooks = c.stored, c.stored
	if charged := r.Has(kubeversion.WebhookLibraryCosts); charged != c.stored.charged {
		c.hooks = newDialect(r.Minor, selectors, known, library).charging(charged)
	}
	before, selectorsInNew := r.Minor-1, r.Has(kubeversion.AuthorizerSelectors)
	if r.Has(kubeversion.CELStored) && (language(before) != language(r.Minor) || !selectorsInNew) {
		c.written = newDialect(before, selectorsInNew, known, linkedWith(r, before))
	}
	c.devices = newDevices(r, c.written.base)
	c.instances = instanceEnvironments(c.written.base)
	c.subjects = newSubjectCompiler(r, c.stored.base)
	return c
}

// A linkage says how the CEL library that a server is linked with, and its use of it, differ from those of the newest
// release.
type linkage struct {
	server  *kubeversion.Release // nil for the newest
	former  celquirks.Former
	options []cel.EnvOption // functions that it lacks (W-345), and arithmetic on quantities (W-348)
}

// linkedWith returns the linkage of a release, for the CEL of 1.minor, which its server may offer.
func linkedWith(r *kubeversion.Release, minor int) linkage {
	return linkage{r, celquirks.FormerOf(r.CELLibrary()), linkedOptions(r, minor)}
}

func (l linkage) has(f kubeversion.Feature) bool { return l.server == nil || l.server.Has(f) }

func linkedOptions(r *kubeversion.Release, minor int) (options []cel.EnvOption) {
	if !kubeversion.CELQuantities.In(minor) {
		return options
	}
	if !r.Has(kubeversion.CELOptionalLists) {
		for _, name := range celquirks.LackedFunctions() {
			none := cel.Overload("lacked_"+name, nil, cel.DynType) // a declaration needs an overload, even to be disabled
			options = append(options, cel.Function(name, none, cel.DisableDeclaration(true)))
		}
	}
	if !r.Has(kubeversion.CELQuantitiesCopied) {
		options = append(options, celquirks.SharedQuantities()...)
	}
	return options
}

// A dialect is the CEL of one release.
type dialect struct {
	minor      int
	library    linkage
	charged    bool // calls of Kubernetes' own functions cost what these say; otherwise 1
	base       func(mode) (*cel.Env, error)
	compiler   func() compiler
	programs   programs // of expressions that see no variables
	converters *converters

	bare func() *composition // of policies without variables
}

// newDialect returns the dialect of release 1.minor on a server with that CEL library, with admsim's additions.
func newDialect(minor int, selectors bool, known *converters, library linkage, more ...cel.EnvOption) *dialect {
	d := &dialect{minor: minor, library: library, charged: true, converters: known}
	d.base = inEachMode(func(m mode) (*cel.Env, error) {
		base := newest
		if m == ofRelease && (!settled(minor) || !selectors) {
			base = func() (*cel.Env, error) { return baseOf(minor, selectors, library) }
		} else if len(library.options) > 0 || len(library.former.Options()) > 0 {
			base = func() (*cel.Env, error) { return baseOf(math.MaxInt, true, library) }
		}
		env, err := base()
		if err != nil || len(more) == 0 {
			return env, err
		}
		return env.Extend(more...)
	})
	d.compiler = sync.OnceValue(func() compiler { return newEnvironments(d, d.base) })
	d.bare = sync.OnceValue(func() *composition { return d.compose(nil, declarations{}) })
	return d
}

// charging sets charged before the first use of d.
func (d *dialect) charging(libraries bool) *dialect {
	d.charged = libraries
	return d
}

// compile returns the program of an expression that sees no variables.
func (d *dialect) compile(s source, declares declarations, mode mode) program {
	return d.programs.of(programKey{s, declares, mode}, d.compiler)
}

// A mode says what an expression may use: what its release knows, or what the newest release knows.
type mode int

const (
	ofRelease mode = iota
	ofNewest
)

// A program is a compiled expression, or the error from compiling it.
type program struct {
	cel.Program
	err    *apiservercel.Error
	output *cel.Type // the type of its result
}

// A programKey is everything that a program depends on within one environment.
type programKey struct {
	source
	declares declarations
	mode     mode
}

// programs holds the programs compiled so far.
type programs struct{ byKey memo.Map } // programKey → func() program

func (p *programs) of(key programKey, compiler func() compiler) program {
	compiled, known := p.byKey.Load(key)
	if !known {
		compiled, _ = p.byKey.LoadOrStore(key, sync.OnceValue(func() program {
			return compiler().compile(key.source, key.declares, key.mode)
		}))
	}
	return compiled.(func() program)()
}
