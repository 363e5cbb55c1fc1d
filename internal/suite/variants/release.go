package variants

import (
	"cmp"
	"errors"
	"sync"
	"sync/atomic"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Release holds what depends only on the release that cases run in.
type Release struct {
	Kubernetes *kubeversion.Release             // nil: the release does not exist
	Conditions map[string]*expression.Predicate // expected of objects, by their text

	once        sync.Once
	expressions *expression.Compiler
	backends    *backends.Backends
	state       atomic.Pointer[cluster.State] // of the first world
	err         error
}

// Compilers hold one compiler for each release, shared by all suites.
type Compilers struct {
	mu sync.Mutex
	by map[string]*expression.Compiler
}

// NewCompilers returns compilers for suites that run together.
func NewCompilers() *Compilers { return &Compilers{by: map[string]*expression.Compiler{}} }

func (c *Compilers) of(r *kubeversion.Release) *expression.Compiler {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by[r.Version] == nil {
		c.by[r.Version] = expression.New(r)
	}
	return c.by[r.Version]
}

// released returns what depends on a release; empty is the default release.
func (s *Suite) released(version string) (*Release, error) {
	s.mu.Lock()
	r := s.releases[version]
	if r == nil {
		r = &Release{}
		s.releases[version] = r
	}
	s.mu.Unlock()
	r.once.Do(func() {
		of := kubeversion.Default()
		if version != "" {
			if of, r.err = kubeversion.Parse(version); r.err != nil {
				return
			}
		}
		r.Kubernetes, r.expressions, r.Conditions = of, s.compilers.of(of), map[string]*expression.Predicate{}
		r.backends, r.err = backends.New(s.ctx, s.suite.Backends, s.backendOptions(r, r.state.Load))
	})
	return r, r.err
}

func (s *Suite) backendOptions(r *Release, state func() *cluster.State) backends.Options {
	o := s.options.Backends
	o.Expressions, o.Objects, o.State = r.expressions, s.suite.World.Objects, state
	return o
}

// Check checks the backends that a case declares.
func (r *Release) Check(declared scenario.Backends) error {
	return backends.Check(declared, r.expressions)
}

// CheckCondition checks a match condition.
func (r *Release) CheckCondition(one scenario.Condition) error {
	wrong := r.expressions.CheckConditions([]admissionregistrationv1.MatchCondition{{Name: "condition", Expression: one.Expression}}, nil, nil)
	if len(wrong) == 0 {
		return nil
	}
	return one.Wrong(cmp.Or(wrong[0].Detail, "no expression"))
}

// Compile compiles a condition and stores it in Conditions.
func (r *Release) Compile(one scenario.Condition) error {
	if r.Conditions[one.Expression] != nil {
		return nil
	}
	predicate, err := r.expressions.Predicate(one.Expression)
	if wrong := (*expression.CompileError)(nil); errors.As(err, &wrong) {
		return one.Uncompiled(wrong)
	}
	r.Conditions[one.Expression] = predicate
	return nil
}
