// Package space represents all requests that admission could be asked about in some worlds, and sorts them by which
// webhooks and policies are asked. Matching is finite, so an answer can hold for every request instead of for a corpus.
//
// Start with [New], which takes the worlds and the hooks in them, and [Space.Region], which returns the requests that a
// hook is asked about. [Requests] can be compared and combined; [Space.Lines] describes them for people, and
// [Space.Witness] picks one of them.
//
// The space is finite because only the distinctions that hooks make count. A request is an [Endpoint], and a value of
// each dimension that a hook mentions: the namespace, which is an existing one or any other; for a mentioned label, one
// of the mentioned values, none, or any other; the name; the user; whether it is a dry run. A condition that no such
// dimension decides is a dimension of its own, by its text. Params of policies are those that a world has, which depend
// on the namespace. Requests are as hooks see them: with the objects as they are when they reach the hook.
//
// Package matcher applies the rules of hooks, so that they are implemented once. The package calls nothing, and does
// not know where worlds come from or how an answer is shown.
package space

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/internal/space/syntax"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

// A World is what matching depends on besides the request.
type World struct {
	Release   *kubeversion.Release
	State     *cluster.State
	Resources *discovery.Resources
}

// A Hook is a webhook, or a policy with one of its bindings.
type Hook struct {
	Policy   bool
	Mutating bool
	Static   bool // from a manifest on the server's disk

	// Criteria must all match: those of a policy and of its binding. Their conditions are left out.
	Criteria []matcher.Criteria

	Conditions []admissionregistrationv1.MatchCondition

	ParamKind *admissionregistrationv1.ParamKind // of a policy
	ParamRef  *admissionregistrationv1.ParamRef  // of its binding

	FailurePolicy *admissionregistrationv1.FailurePolicyType
	SideEffects   *admissionregistrationv1.SideEffectClass // of a webhook
}

// A Space is the set of all requests to some worlds.
type Space struct {
	worlds    []World
	endpoints []Endpoint
	diagrams  *diagram.Diagrams

	dimensions []*dimension // by variable
	byKey      map[string]*dimension

	expressions map[string]*syntax.Expr                    // by text
	zeros       map[schema.GroupVersionKind]map[string]any // objects without values, computed on demand

	values     map[string][]string // the mentioned values of labels, by key
	names      []string            // mentioned names, of namespaces and objects
	users      []string
	namespaces *dimension
	places     []place // the values of namespaces
	apart      bool    // every existing namespace is distinguished from all others, since a condition looks into names
	named      []bool  // by world: each namespace has its name as a label

	evaluators [][]*evaluator // by world, of the policies whose params depend on the namespace of a request
	inhabited  []string       // namespaces that have such params
}

// Requests is a set of requests: a set of points for each endpoint.
type Requests []diagram.Set

// New returns the space of worlds with the hooks of each world.
func New(worlds []World, hooks ...[]Hook) *Space {
	s := &Space{
		worlds: worlds, endpoints: endpointsOf(worlds),
		expressions: map[string]*syntax.Expr{}, zeros: map[schema.GroupVersionKind]map[string]any{},
	}
	for _, w := range worlds {
		s.named = append(s.named, namesNamespaces(w.State))
	}
	return s.With(hooks...)
}

// With returns the space of the same worlds with other hooks. It is much cheaper than [New], since the two share what
// does not depend on hooks; so they must not be used by several goroutines at once.
func (s *Space) With(hooks ...[]Hook) *Space {
	s = &Space{
		worlds: s.worlds, endpoints: s.endpoints, expressions: s.expressions, zeros: s.zeros, named: s.named,
		diagrams: diagram.New(), byKey: map[string]*dimension{}, values: map[string][]string{}, evaluators: make([][]*evaluator, len(s.worlds)),
	}
	m := &mentions{Space: s}
	for world, list := range hooks {
		for i := range list {
			m.hook(world, &list[i])
		}
	}
	m.sort()
	s.addNamespaces()
	return s
}

// Nothing returns the empty set of requests.
func (s *Space) Nothing() Requests { return make(Requests, len(s.endpoints)) }

// Everything returns the set of all requests.
func (s *Space) Everything() Requests {
	all := s.Nothing()
	for i := range all {
		all[i] = diagram.All
	}
	return all
}

// IsEmpty reports whether there is no request in r.
func (r Requests) IsEmpty() bool {
	return !slices.ContainsFunc(r, func(s diagram.Set) bool { return s != diagram.None })
}

// Minus returns the requests of a that are not in b.
func (s *Space) Minus(a, b Requests) Requests { return s.each(a, b, s.diagrams.Minus) }

// And returns the requests that are in both.
func (s *Space) And(a, b Requests) Requests {
	return s.each(a, b, func(a, b diagram.Set) diagram.Set { return s.diagrams.And(a, b) })
}

// Or returns the requests that are in either.
func (s *Space) Or(a, b Requests) Requests {
	return s.each(a, b, func(a, b diagram.Set) diagram.Set { return s.diagrams.Or(a, b) })
}

func (s *Space) each(a, b Requests, of func(a, b diagram.Set) diagram.Set) Requests {
	all := make(Requests, len(a))
	for i := range a {
		all[i] = of(a[i], b[i])
	}
	return all
}

// maxNodes limits the size of a union.
const maxNodes = 1_000_000

// Union returns the requests that are in at least one of a list. ok is false if the union is too large, which no single
// region ever is.
func (s *Space) Union(list ...Requests) (all Requests, ok bool) {
	err := s.diagrams.Within(maxNodes, func() {
		all = s.Nothing()
		for _, one := range list {
			all = s.Or(all, one)
		}
	})
	return all, err == nil
}

// Without returns the requests of r that are in none of a list. ok is false if the result is too large.
func (s *Space) Without(r Requests, list ...Requests) (left Requests, ok bool) {
	err := s.diagrams.Within(maxNodes, func() {
		left = r
		for _, one := range list {
			left = s.Minus(left, one)
		}
	})
	return left, err == nil
}

// Where returns the requests of r whose endpoint is wanted.
func (s *Space) Where(r Requests, wanted func(*Endpoint) bool) Requests {
	all := s.Nothing()
	for i := range r {
		if wanted(&s.endpoints[i]) {
			all[i] = r[i]
		}
	}
	return all
}

// Size returns the size of the space: how many endpoints, dimensions and nodes of diagrams it has.
func (s *Space) Size() (endpoints, dimensions, nodes int) {
	return len(s.endpoints), len(s.dimensions), s.diagrams.Size()
}
