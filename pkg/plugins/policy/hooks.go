package policy

import (
	"fmt"
	"iter"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/matcher"
)

// A policy has the compiled parts that both kinds of policies have in common.
type policy struct {
	name      string
	object    cluster.Object
	ignores   bool // failurePolicy Ignore
	matcher   *matcher.Matcher
	paramKind *schema.GroupVersionKind

	// The sources of matcher.
	criteria   matcher.Criteria
	conditions []admissionregistrationv1.MatchCondition
	scope      *expression.Scope
}

// A binding says where a policy is in force and what its params are, compiled.
type binding struct {
	name, policy string
	source       string
	matcher      *matcher.Matcher // nil: wherever the policy applies (W-274)
	criteria     matcher.Criteria // the source of matcher
	params       *params.Ref      // nil: there are none
	actions      []admissionregistrationv1.ValidationAction
}

// A hook is a policy with all its bindings and its implementation, which is a validator or a mutator.
type hook[E any] struct {
	*policy
	impl     E
	bindings []*binding
}

// A kind is one of the two kinds of policies: how it is stored, and how it is compiled.
type kind[E any] struct {
	policies, bindings schema.GroupVersionKind
	compile            func(runtime.Object, *expression.Compiler) (*policy, E)
	bind               func(runtime.Object, *objects.Types) *binding
}

// hooks has all policies of one kind in the order in which they are evaluated: by name, like the bindings of each
// (W-271). Compiled policies only depend on the release and their object, so they are reused from one state of the
// cluster to the next, object by object. Those of static manifests come first, and are independent of the others:
// kubernetes/apiserver:pkg/admission/plugin/policy/generic/composite_policy_source.go.
type hooks[E any] struct {
	list  []hook[E]
	index *matcher.Index

	static      int // how many in list are from static manifests
	staticIndex *matcher.Index

	policies, bindings cluster.Revision
	compiled           map[cluster.Object]hook[E]
	bound              map[cluster.Object]*binding
}

// hooksOf compiles the policies of s, and reuses what before, which may be nil, has already compiled.
func (k kind[E]) hooksOf(s *cluster.State, o Options, before *hooks[E]) (*hooks[E], error) {
	all := &hooks[E]{
		policies: s.Revision(k.policies.GroupKind()),
		bindings: s.Revision(k.bindings.GroupKind()),
		compiled: map[cluster.Object]hook[E]{},
		bound:    map[cluster.Object]*binding{},
	}
	switch {
	case before == nil:
		before = &hooks[E]{}
	case before.policies == all.policies && before.bindings == all.bindings:
		return before, nil
	}
	if err := k.add(all, before, o, o.static); err != nil {
		return nil, err
	}
	all.static, all.staticIndex = len(all.list), all.newIndex()
	ofCluster := func(kind schema.GroupKind) iter.Seq[cluster.Object] { return s.List(kind, "") }
	if err := k.add(all, before, o, ofCluster); err != nil {
		return nil, err
	}
	all.index = all.newIndex()
	return all, nil
}

// static returns the objects of a kind in static manifests.
func (o Options) static(kind schema.GroupKind) iter.Seq[cluster.Object] {
	return func(yield func(cluster.Object) bool) {
		for _, object := range o.Static {
			if object.GetObjectKind().GroupVersionKind().GroupKind() == kind && !yield(object) {
				return
			}
		}
	}
}

func (a *hooks[E]) newIndex() *matcher.Index {
	matchers := make([]*matcher.Matcher, len(a.list))
	for i, h := range a.list {
		matchers[i] = h.matcher
	}
	return matcher.NewIndex(matchers)
}

// add adds the policies of one source to all, with the bindings from that source.
func (k kind[E]) add(all, before *hooks[E], o Options, list func(schema.GroupKind) iter.Seq[cluster.Object]) error {
	byPolicy, err := k.bindingsOf(list(k.bindings.GroupKind()), o, before, all)
	if err != nil {
		return err
	}
	for object := range list(k.policies.GroupKind()) {
		h, known := before.compiled[object]
		if !known {
			stored, err := o.Types.Convert(object.Object, k.policies)
			if err != nil {
				return fmt.Errorf("%s of the cluster: %w", k.policies.Kind, err)
			}
			h.policy, h.impl = k.compile(stored, o.Expressions)
			h.object = object
		}
		all.compiled[object] = h
		h.bindings = byPolicy[h.name]
		all.list = append(all.list, h)
	}
	return nil
}

// forRequest returns the hooks that may be evaluated for a request: all, those of static manifests, or none. Unless it
// is all, because says why.
func (a *hooks[E]) forRequest(req admission.Request) (asked *hooks[E], because string) {
	because, exempt := matcher.ExemptFromPolicies(req)
	switch {
	case exempt == matcher.NotExempt:
		return a, ""
	case exempt == matcher.ExemptFromAPI && a.static > 0:
		asked := *a
		asked.list, asked.index = a.list[:a.static], a.staticIndex
		return &asked, because
	}
	return nil, because
}

// bindingsOf returns the bindings by the name of their policy.
func (k kind[E]) bindingsOf(list iter.Seq[cluster.Object], o Options, before, all *hooks[E]) (map[string][]*binding, error) {
	byPolicy := map[string][]*binding{}
	for object := range list {
		b, known := before.bound[object]
		if !known {
			stored, err := o.Types.Convert(object.Object, k.bindings)
			if err != nil {
				return nil, fmt.Errorf("%s of the cluster: %w", k.bindings.Kind, err)
			}
			b = k.bind(stored, o.Types)
			b.source = object.Source
		}
		all.bound[object] = b
		byPolicy[b.policy] = append(byPolicy[b.policy], b)
	}
	return byPolicy, nil
}

// compileBinding compiles the fields that bindings of both kinds have.
func compileBinding(name, policy string, where *admissionregistrationv1.MatchResources, ref *admissionregistrationv1.ParamRef) *binding {
	b := &binding{name: name, policy: policy, params: params.Compile(ref)}
	if where != nil {
		b.criteria = matcher.Resources(*where)
		b.matcher = matcher.Compile(b.criteria)
	}
	return b
}

// newPolicy compiles the fields that policies of both kinds have. A policy without matchConstraints, which cannot be
// written, applies nowhere.
func newPolicy(
	name string, where *admissionregistrationv1.MatchResources, conditions []admissionregistrationv1.MatchCondition, scope *expression.Scope,
	failure *admissionregistrationv1.FailurePolicyType, kind *admissionregistrationv1.ParamKind,
) *policy {
	c := matcher.Criteria{}
	if where != nil {
		c = matcher.Resources(*where)
	}
	c.Conditions, c.FailurePolicy = scope.Conditions(conditions), failure
	return &policy{
		name: name, ignores: ignores(failure), matcher: matcher.Compile(c), paramKind: params.KindOf(kind),
		criteria: c, conditions: conditions, scope: scope,
	}
}

func ignores(failure *admissionregistrationv1.FailurePolicyType) bool {
	return failure != nil && *failure == admissionregistrationv1.Ignore
}
