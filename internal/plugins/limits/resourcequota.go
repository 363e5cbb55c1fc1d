package limits

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

var quotaKind = schema.GroupKind{Kind: "ResourceQuota"}

// ResourceQuota charges the resources that a request uses to the quotas of its namespace, and refuses requests that
// exceed them (RQ-01 to RQ-45). Current usage is read from the quotas' status. The controller that recalculates it does
// not run, so nothing is ever given back.
type ResourceQuota struct {
	limited []limitedResource
	count   counting
	send    plugin.Send
	byScope bool // since 1.33: charge in full when an update brings an object into the scope of a quota
	lookUp  bool // up to 1.30: ask whether a namespace really has no quota
	newToo  bool // up to 1.35: new namespaces, too
}

func (p ResourceQuota) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case req.Namespace == "":
		return plugin.Skip(step, "the object is cluster-scoped"), nil // RQ-01
	case !p.newToo && req.Operation == admissionv1.Create && req.Kind.GroupKind() == plugin.NamespaceKind:
		return plugin.Skip(step, "the object is a namespace"), nil
	case isUncounted(req.Resource.GroupResource()):
		return plugin.Skip(step, "quotas do not count these"), nil // RQ-02
	}
	quotas := quotasIn(s, req.Namespace)
	without := len(quotas) == 0 && len(p.limited) == 0
	if without && !p.lookUp {
		return withoutQuota(step, req), nil
	}
	c, err := p.count.of(req)
	if err != nil {
		return step, err
	}
	if !c.handles() {
		return plugin.Skip(step, "does not change what a quota counts"), nil // RQ-04
	}
	if len(quotas) == 0 && p.lookUp {
		plugin.LookUpAll(&step, req, schema.GroupVersionResource{Version: "v1", Resource: "resourcequotas"})
	}
	if without {
		return withoutQuota(step, req), nil
	}
	return p.check(ctx, step, req, c, s, quotas)
}

func withoutQuota(step trace.Step, req admission.Request) trace.Step {
	return plugin.Skip(step, fmt.Sprintf("namespace %q has no ResourceQuota", req.Namespace)) // RQ-05
}

// A quota is a ResourceQuota with the usage that the request is charged.
type quota struct {
	*corev1.ResourceQuota
	source string
	counts map[corev1.ResourceName]bool // the names in status.hard that concern the object
	charge corev1.ResourceList
}

func quotasIn(s *cluster.State, namespace string) []*quota {
	var all []*quota
	for o := range s.List(quotaKind, namespace) {
		if q, ok := o.Object.(*corev1.ResourceQuota); ok {
			all = append(all, &quota{ResourceQuota: q, source: o.Source})
		}
	}
	return all
}

// check follows the server's order: kubernetes/apiserver:pkg/admission/plugin/resourcequota/controller.go,
// CheckRequest.
func (p ResourceQuota) check(ctx context.Context, step trace.Step, req admission.Request, c counted, s *cluster.State, quotas []*quota) (trace.Step, error) {
	used := c.usage(req.Object, s)
	limitedNames := p.limitedNames(req.Resource.GroupResource(), used)
	matching, covered, denial := match(step, req, c, quotas)
	if denial != nil {
		return *denial, nil
	}

	if negative := negativeNames(used); len(negative) > 0 { // RQ-16
		return plugin.Forbid(step, req, "quota usage is negative for resource(s): "+names(negative)), nil
	}
	more, err := increaseOf(req, c, s, used)
	if err != nil {
		return step, err
	}
	charged := false
	for _, q := range matching {
		q.charge = withoutZeros(used)
		if req.Operation == admissionv1.Update && (!p.byScope || matches(q, c, req.OldObject)) {
			q.charge = more // RQ-17
		}
		charged = charged || len(q.charge) > 0
	}
	if len(matching) == 0 {
		charged = len(more) > 0
	}
	if !charged {
		return plugin.Allow(step, "uses nothing more than before"), nil // RQ-18
	}
	if denial := p.uncovered(step, req, c, limitedNames, covered, quotas); denial != nil {
		return *denial, nil
	}
	if len(matching) == 0 {
		return withoutStatus(plugin.Allow(step, "no quota is about this object"), quotas), nil // RQ-21
	}
	return p.charge(ctx, step, req, s, matching)
}

// match finds the quotas that apply to the object, and what they count of it. denial is set if one of them refuses the
// object itself (RQ-13 to RQ-15).
func match(step trace.Step, req admission.Request, c counted, quotas []*quota) (matching []*quota, covered map[corev1.ResourceName]bool, denial *trace.Step) {
	covered = map[corev1.ResourceName]bool{}
	var denials []trace.Step
	for _, q := range quotas {
		q.counts = map[corev1.ResourceName]bool{}
		var all []corev1.ResourceName
		unknown := false
		for name := range q.Status.Hard {
			if c.counts(name) {
				_, known := q.Status.Used[name]
				q.counts[name] = true
				all = append(all, name)
				unknown = unknown || !known
			}
		}
		if !matches(q, c, req.Object) {
			continue
		}
		step.Source = q.source
		if missing := c.missing(q.counts, req.Object); missing != "" {
			denials = append(denials, plugin.Forbid(step, req, fmt.Sprintf("failed quota: %s: must specify %s", q.Name, missing)))
			continue
		}
		if unknown {
			denied := plugin.Forbid(step, req, fmt.Sprintf("status unknown for quota: %s, resources: %s", q.Name, names(all)))
			denied.Hint = fmt.Sprintf("the quota controller has not counted yet: give ResourceQuota %q a status.used", q.Name)
			denials = append(denials, denied)
			continue
		}
		matching = append(matching, q)
		for name := range q.counts {
			covered[name] = true
		}
	}
	return matching, covered, firstOf(denials, "quotas")
}

// firstOf returns the first of several denials, or nil if there are none. Each comes from another object of the
// namespace. The server goes through these in map order, so it may report any of the denials.
func firstOf(denials []trace.Step, objects string) *trace.Step {
	if len(denials) == 0 {
		return nil
	}
	first := denials[0]
	for _, d := range denials[1:] {
		first.MayRefuse("several "+objects+" refuse, and the server goes through them in the order of a map", trace.Hook{Source: d.Source, Denial: d.Denial})
	}
	return &first
}

// matches reports whether a quota applies to object (RQ-13).
func matches(q *quota, c counted, object runtime.Object) bool {
	if len(q.counts) == 0 {
		return false
	}
	for _, scope := range scopesOf(q) {
		if !c.inScope(scope, object) {
			return false
		}
	}
	return true
}

func scopesOf(q *quota) []corev1.ScopedResourceSelectorRequirement {
	var all []corev1.ScopedResourceSelectorRequirement
	for _, scope := range q.Spec.Scopes {
		all = append(all, corev1.ScopedResourceSelectorRequirement{ScopeName: scope, Operator: corev1.ScopeSelectorOpExists})
	}
	if q.Spec.ScopeSelector != nil {
		all = append(all, q.Spec.ScopeSelector.MatchExpressions...)
	}
	return all
}

// increaseOf returns how much more the object uses than the object it replaces. Without an old object that is
// everything (RQ-17).
func increaseOf(req admission.Request, c counted, s *cluster.State, used corev1.ResourceList) (corev1.ResourceList, error) {
	if req.Operation != admissionv1.Update {
		return withoutZeros(used), nil
	}
	if _, err := meta.Accessor(req.OldObject); err != nil {
		return nil, err
	}
	return increase(used, c.usage(req.OldObject, s)), nil
}

func negativeNames(list corev1.ResourceList) []corev1.ResourceName {
	var all []corev1.ResourceName
	for name, q := range list {
		if q.Sign() < 0 {
			all = append(all, name)
		}
	}
	return all
}
