package space

import (
	"cmp"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space/diagram"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

type ruleWithNames = admissionregistrationv1.NamedRuleWithOperations

// A Region describes how a hook treats requests.
type Region struct {
	Asked   Requests // that it is asked about
	Refused Requests // that are refused because it cannot be asked: dry runs, missing params, selectors and conditions that fail
	Failed  Requests // those of them whose conditions fail

	// Converted are the requests whose objects the hook would receive in another version than that of the request,
	// whatever its conditions say: the conditions see the other version, too.
	Converted Requests
}

// A verdict says for which points something holds, for which it does not, and for which it fails.
type verdict struct{ yes, no, fails diagram.Set }

var (
	always = verdict{yes: diagram.All}
	never  = verdict{no: diagram.All}
	broken = verdict{fails: diagram.All}
)

// Region returns how a hook of a world treats requests to that world.
func (s *Space) Region(world int, h *Hook) Region {
	b := s.builder(world, h)
	r := Region{s.Nothing(), s.Nothing(), s.Nothing(), s.Nothing()}
	for i := range s.endpoints {
		if e := &s.endpoints[i]; e.served[world] {
			r.Asked[i], r.Refused[i], r.Failed[i], r.Converted[i] = b.endpoint(e)
		}
	}
	return r
}

// builder returns what computes the region of a hook, endpoint by endpoint.
func (s *Space) builder(world int, h *Hook) *regionBuilder {
	b := &regionBuilder{Space: s, world: world, hook: h, conditions: map[conditionsKey]verdict{}}
	b.evaluator, b.kindless = newEvaluator(s.worlds[world], h), s.worlds[world].kindless(h)
	b.matching = matcher.World{
		State:      s.worlds[world].State,
		Resources:  s.worlds[world].Resources,
		RulesFirst: !h.Policy && !s.worlds[world].Release.Has(kubeversion.SelectorsFirst),
	}
	for _, c := range h.Criteria {
		b.criteria = append(b.criteria, compile(c))
	}
	return b
}

// A regionBuilder computes one region.
type regionBuilder struct {
	*Space
	world      int
	hook       *Hook
	matching   matcher.World
	criteria   []criteria
	conditions map[conditionsKey]verdict
	evaluator  *evaluator
	kindless   bool
}

// criteria are those of one selection, compiled: the rules separately from the selectors.
type criteria struct {
	rules     *matcher.Matcher
	byName    bool // the rules look at names
	namespace selector
	object    selector
}

func compile(c matcher.Criteria) criteria {
	names := func(r ruleWithNames) bool { return len(r.ResourceNames) > 0 }
	compiled := criteria{
		byName:    slices.ContainsFunc(c.Rules, names) || slices.ContainsFunc(c.ExcludeRules, names),
		namespace: newSelector(c.NamespaceSelector),
		object:    newSelector(c.ObjectSelector),
	}
	everything := &metav1.LabelSelector{}
	c.NamespaceSelector, c.ObjectSelector, c.Conditions = everything, everything, nil
	compiled.rules = matcher.Compile(c)
	return compiled
}

// exempt reports whether the hook is never asked about an endpoint.
func (b *regionBuilder) exempt(e *Endpoint) bool {
	req := e.request("")
	var exempt matcher.Exemption
	if b.hook.Policy {
		_, exempt = matcher.ExemptFromPolicies(req)
		if b.hook.Mutating && e.Operation == admissionv1.Delete { // W-301
			return true
		}
	} else {
		_, exempt = matcher.ExemptFromWebhooks(req, b.worlds[b.world].Release)
	}
	return exempt == matcher.ExemptFromAll || exempt == matcher.ExemptFromAPI && !b.hook.Static
}

// endpoint returns for which requests to an endpoint the hook is asked, which are refused instead, which because its
// conditions fail, and for which objects are converted.
func (b *regionBuilder) endpoint(e *Endpoint) (asked, refused, failed, converted diagram.Set) {
	if b.exempt(e) {
		return diagram.None, diagram.None, diagram.None, diagram.None
	}
	d := b.diagrams
	asked = diagram.All
	var as []match // by the first criteria, those of the webhook or the policy
	for i := range b.criteria {
		c := &b.criteria[i]
		rules, matches := b.rules(e, c)
		if rules == diagram.None {
			asked = diagram.None
			break
		}
		if i == 0 {
			as = matches
		}
		selected := b.selected(e, c)
		refused = d.Or(refused, d.And(asked, rules, selected.fails))
		asked = d.And(asked, rules, selected.yes)
		if b.kindless { // whatever its binding matches
			asked, refused = diagram.None, d.Or(refused, asked)
			break
		}
	}
	if b.hook.Policy && b.ignores() { // W-275
		refused = diagram.None
	}
	for _, one := range as {
		if one.kind != e.Kind {
			converted = d.Or(converted, d.And(asked, one.set))
		}
	}
	asked, failed, lacking := b.evaluated(e, asked, as)
	if b.ignores() {
		failed, lacking = diagram.None, diagram.None
	}
	refused = d.Or(refused, d.Or(failed, lacking))
	if b.hasEffects() {
		dry := d.And(asked, d.Among(b.dryRun().variable, 1))
		asked, refused = d.Minus(asked, dry), d.Or(refused, dry)
	}
	return asked, refused, failed, converted
}

func (b *regionBuilder) ignores() bool {
	p := b.hook.FailurePolicy
	return p != nil && *p == admissionregistrationv1.Ignore
}

func (s *Space) dryRun() *dimension { return s.dimension(dimension{is: theDryRun, count: 2}) }

// hasEffects reports whether the hook is a webhook that must not be called for dry runs (W-191 to W-193).
func (b *regionBuilder) hasEffects() bool {
	if b.hook.Policy || b.hook.SideEffects == nil {
		return false
	}
	switch *b.hook.SideEffects {
	case admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.SideEffectClassNoneOnDryRun:
		return false
	}
	return true
}

// A match is the points at which rules match, and the kind as which they do.
type match struct {
	set  diagram.Set
	kind schema.GroupVersionKind
}

// rules returns where the rules of criteria match.
func (b *regionBuilder) rules(e *Endpoint, c *criteria) (diagram.Set, []match) {
	if !c.byName {
		r := c.rules.Match(e.request("any"), b.matching)
		if !r.Applies {
			return diagram.None, nil
		}
		return diagram.All, []match{{diagram.All, r.Kind}}
	}
	d := b.diagrams
	names, name := b.namesAt(e)
	byKind := map[schema.GroupVersionKind][]int{}
	for value := range names.count {
		if r := c.rules.Match(e.request(name(value)), b.matching); r.Applies {
			byKind[r.Kind] = append(byKind[r.Kind], value)
		}
	}
	var all []match
	whole := diagram.None
	for kind, values := range byKind {
		all = append(all, match{d.Among(names.variable, values...), kind})
	}
	slices.SortFunc(all, func(a, b match) int { return cmp.Compare(a.kind.String(), b.kind.String()) })
	for _, one := range all {
		whole = d.Or(whole, one.set)
	}
	return whole, all
}

// namesAt returns the dimension of the names of objects at an endpoint, and a function that returns the name for one of
// its values.
func (s *Space) namesAt(e *Endpoint) (*dimension, func(value int) string) {
	if e.isNamespace() {
		return s.namespaces, func(value int) string { return s.places[value].names[0] }
	}
	return s.name(), s.nameOf
}

// selected returns which requests to an endpoint the selectors of criteria select (W-127).
func (b *regionBuilder) selected(e *Endpoint, c *criteria) verdict {
	d := b.diagrams
	namespace := b.labelled(e, ofNamespace, &c.namespace)
	now, old := b.labelled(e, ofObject, &c.object), b.labelled(e, ofOldObject, &c.object)
	object := verdict{yes: d.Or(now.yes, old.yes), fails: now.fails}
	v := verdict{yes: d.And(namespace.yes, object.yes)}
	if b.matching.RulesFirst {
		v.fails = d.Or(namespace.fails, d.And(namespace.yes, object.fails))
		return v
	}
	// A failure of one selector does not refuse what the other selector excludes.
	v.fails = d.Or(d.And(namespace.fails, d.Or(object.yes, object.fails)), d.And(namespace.yes, object.fails))
	return v
}
