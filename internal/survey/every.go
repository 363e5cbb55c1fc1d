package survey

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
)

// An Every describes all possible requests to some resources.
type Every struct {
	Operations                        []string // empty: all
	Resources                         []Resource
	NamespaceSelector, ObjectSelector *metav1.LabelSelector // nil: any labels
	Conditions                        []string              // as matchConditions; requests for which one fails are excluded
}

// A Resource is a resource in all its versions, or a subresource; * stands for any.
type Resource struct {
	schema.GroupResource
	Subresource string
}

// ParseResource parses a resource as [Resource.String] writes it. * is in any group.
func ParseResource(text string) (r Resource) {
	name, subresource, _ := strings.Cut(text, "/")
	r.Subresource = subresource
	r.Resource, r.Group, _ = strings.Cut(name, ".")
	if r.Resource == "*" {
		r.Group = cmp.Or(r.Group, "*")
	}
	return r
}

// pattern returns the resource in the form of rules.
func (r Resource) pattern() string {
	if r.Subresource == "" {
		return r.Resource
	}
	return r.Resource + "/" + r.Subresource
}

// String returns the resource in the form that users write.
func (r Resource) String() string {
	text := strings.TrimSuffix(r.GroupResource.String(), ".*")
	if r.Subresource != "" {
		text += "/" + r.Subresource
	}
	return text
}

// A Region holds the requests of an [Every] in a world.
type Region struct {
	world    *World
	space    *space.Space
	requests space.Requests
}

// An Example is a part of a region for which a claim does not hold.
type Example struct {
	document.SurveyRegion
	Because string // why it does not hold for the witness; empty if unknown
}

// Region returns the requests of e to the world. It returns an error if there are none, or none to one of the
// resources.
func (w *World) Region(e Every) (*Region, error) {
	is := space.Hook{Static: true, FailurePolicy: new(admissionregistrationv1.Ignore)}
	is.Criteria = []matcher.Criteria{{NamespaceSelector: orAny(e.NamespaceSelector), ObjectSelector: orAny(e.ObjectSelector)}}
	operations := []admissionregistrationv1.OperationType{admissionregistrationv1.OperationAll}
	if len(e.Operations) > 0 {
		operations = nil
		for _, o := range e.Operations {
			operations = append(operations, admissionregistrationv1.OperationType(o))
		}
	}
	for _, r := range e.Resources {
		rule := admissionregistrationv1.NamedRuleWithOperations{}
		rule.Operations = operations
		rule.APIGroups, rule.APIVersions, rule.Resources = []string{r.Group}, []string{"*"}, []string{r.pattern()}
		is.Criteria[0].Rules = append(is.Criteria[0].Rules, rule)
	}
	for i, c := range e.Conditions {
		is.Conditions = append(is.Conditions, admissionregistrationv1.MatchCondition{Name: fmt.Sprint("condition-", i), Expression: c})
	}
	hooks := []space.Hook{is}
	for i := range w.hooks {
		hooks = append(hooks, w.hooks[i].Hook)
	}
	s := space.New([]space.World{w.space}, hooks)
	for _, r := range e.Resources {
		if !s.Serves(r.GroupResource, r.Subresource) {
			return nil, w.unserved(s, r)
		}
	}
	found := &Region{world: w, space: s, requests: s.Region(0, &is).Asked}
	if found.requests.IsEmpty() {
		return nil, fmt.Errorf("there are no such requests")
	}
	return found, nil
}

func orAny(s *metav1.LabelSelector) *metav1.LabelSelector {
	if s == nil {
		return &metav1.LabelSelector{}
	}
	return s
}

// unserved returns the error about a resource that the world does not serve.
func (w *World) unserved(s *space.Space, r Resource) error {
	var known []string
	for _, one := range s.Resources() {
		if one.Resource == r.Resource {
			known = append(known, one.String())
		}
	}
	if len(known) == 0 {
		for _, one := range s.Resources() {
			known = append(known, one.String())
		}
	}
	unknown := didyoumean.Unknown(fmt.Sprintf("Kubernetes %s serves no %s", w.space.Release.Version, r), r.GroupResource.String(), known)
	if len(known) > 0 && strings.HasPrefix(known[0], r.Resource+".") {
		unknown.Else = "there is " + words.Few(known)
	}
	return unknown
}

// Unseen returns the requests of the region that no webhook or policy matching the pattern is asked about. A request
// that is refused because such a hook cannot be asked counts as seen.
func (r *Region) Unseen(pattern string) []Example {
	left := r.requests
	var named []*hook
	for _, h := range r.named(pattern) {
		named = append(named, h)
		is := r.space.Region(0, &h.Hook)
		left = r.space.Minus(r.space.Minus(left, is.Asked), is.Refused)
	}
	return r.examples(document.IsUnseen, left, named)
}

// Seen returns the requests of the region that a webhook or policy matching the pattern is asked about.
func (r *Region) Seen(pattern string) []Example {
	all := r.space.Nothing()
	var named []*hook
	for _, h := range r.named(pattern) {
		is := r.space.And(r.requests, r.space.Region(0, &h.Hook).Asked)
		if !is.IsEmpty() {
			named = append(named, h)
		}
		all = r.space.Or(all, is)
	}
	return r.examples(document.IsAsked, all, named)
}

// Places returns the sources of the webhooks and policies whose names match a pattern.
func (w *World) Places(pattern string) (all []string) {
	for i := range w.hooks {
		if h := &w.hooks[i]; h.named(pattern) {
			all = append(all, h.actor.Source)
		}
	}
	return all
}

func (r *Region) named(pattern string) (all []*hook) {
	for i := range r.world.hooks {
		if h := &r.world.hooks[i]; h.named(pattern) {
			all = append(all, h)
		}
	}
	return all
}

func (r *Region) examples(what string, requests space.Requests, of []*hook) (all []Example) {
	for _, line := range r.space.Lines(requests, space.Whole{}) {
		one := Example{SurveyRegion: region(r.space, what, line)}
		if w, ok := r.space.Witness(line.Requests); ok && len(of) > 0 {
			one.Because = r.world.because(of[0], w)
		}
		all = append(all, one)
	}
	return all
}

// because returns why a hook is asked about a witness, or why it is not.
func (w *World) because(h *hook, of space.Witness) string {
	req, err := admitted(of)
	if err != nil {
		return ""
	}
	state := w.space.State
	if of.Namespace != nil {
		state = state.With(cluster.Object{Object: of.Namespace})
	}
	in := matcher.World{State: state, Resources: w.space.Resources, RulesFirst: !h.Policy && !w.space.Release.Has(kubeversion.SelectorsFirst)}
	text := ""
	for i, c := range h.Criteria {
		m := matcher.Compile(c)
		result := m.Match(req, in)
		if reason := m.Explain(req, in, result); !result.Applies {
			return reason
		} else if i == 0 {
			text = reason
		}
	}
	if why := w.space.NotEvaluated(&h.Hook, req.Namespace); why != "" {
		return why
	}
	switch {
	case len(h.Conditions) == 0:
		return text
	case h.ReadsParams() || len(of.Open) > 0: // the result depends on unknown values
		return ""
	}
	c := h.Criteria[0]
	c.Conditions, c.FailurePolicy = expression.New(w.space.Release).Conditions(h.Conditions), h.FailurePolicy
	m := matcher.Compile(c)
	result := m.Match(req, in)
	result = m.Conditions(context.Background(), expression.Input{Request: req, Resource: req.Resource, Kind: result.Kind, Object: req.Object, OldObject: req.OldObject}, result)
	return m.Explain(req, in, result)
}

// admitted returns a witness as admission sees it.
func admitted(w space.Witness) (req admission.Request, err error) {
	r := w.Review.Request
	req = admission.Request{
		Operation: r.Operation, Resource: schema.GroupVersionResource(r.Resource), Subresource: r.SubResource, Kind: schema.GroupVersionKind(r.Kind),
		Namespace: r.Namespace, Name: r.Name, DryRun: r.DryRun != nil && *r.DryRun, User: r.UserInfo,
	}
	read := func(raw []byte) (runtime.Object, error) {
		if len(raw) == 0 {
			return nil, nil
		}
		if r.Operation == admissionv1.Connect {
			return &corev1.PodExecOptions{}, nil // options have no metadata, whatever their kind
		}
		o := &unstructured.Unstructured{}
		return o, o.UnmarshalJSON(raw)
	}
	if req.Object, err = read(r.Object.Raw); err == nil {
		req.OldObject, err = read(r.OldObject.Raw)
	}
	return req, err
}
