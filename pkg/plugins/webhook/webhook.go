// Package webhook has the two plugins that call admission webhooks: MutatingAdmissionWebhook, which calls them one
// after the other and applies their patches, and ValidatingAdmissionWebhook, which calls them concurrently.
//
// Start with [NewMutating] and [NewValidating], which compile the webhook configurations of a cluster. Package matcher
// decides which webhooks apply to a request, and package dispatch calls them. This package decides in which order they
// are called, what happens to their patches, and which are called again.
package webhook

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/trace"
)

// Options are the settings of the plugins. All but Static and Explain must be set.
type Options struct {
	Types       *objects.Types
	Resources   *discovery.Resources
	Expressions *expression.Compiler
	Authorizer  authorizer.UnconditionalAuthorizer
	Dispatcher  *dispatch.Dispatcher

	// Backends returns the backend of a webhook.
	Backends func(configuration, webhook string) dispatch.Backend

	// At returns the cluster that answers requests in a given state, for webhooks that use it while they are called.
	// Nil: there is none.
	At func(*cluster.State) (dispatch.Cluster, error)

	// Static has objects of manifests that the server reads from its own folder. Their webhooks are called before those
	// of the cluster, and for configurations of webhooks and policies, too (W-047).
	Static []cluster.Object

	// Explain lists skipped webhooks in a step, too, each with its reason. This takes time in proportion to the number
	// of webhooks.
	Explain bool
}

var (
	mutatingConfigurations   = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "MutatingWebhookConfiguration"}
	validatingConfigurations = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingWebhookConfiguration"}
)

// A hook is one webhook of a configuration, compiled.
type hook struct {
	dispatch.Hook
	matcher    *matcher.Matcher
	criteria   matcher.Criteria // the source of matcher
	conditions []admissionregistrationv1.MatchCondition
}

// hooks has all hooks of one of the plugins, in the order in which they are called (W-041).
type hooks struct {
	Options
	list  []hook
	index *matcher.Index

	static      int // how many in list are from static manifests
	staticIndex *matcher.Index

	configurations cluster.Revision
}

// newHooks compiles the configurations of a kind, or reuses those of before, which may be nil, if they are the same:
// compiled hooks only depend on them and on the options. State lists the configurations by name, byte by byte, which is
// the order of the server. Those of static manifests come first:
// kubernetes/apiserver:pkg/admission/plugin/webhook/generic/composite_webhook_source.go.
func newHooks(s *cluster.State, kind schema.GroupKind, phase trace.Phase, o Options, before *hooks) *hooks {
	all := &hooks{Options: o, configurations: s.Revision(kind)}
	if before != nil && before.configurations == all.configurations {
		all.list, all.index, all.static, all.staticIndex = before.list, before.index, before.static, before.staticIndex
		return all
	}
	var matchers []*matcher.Matcher
	add := func(object cluster.Object, id string) {
		for _, h := range o.compile(object, phase, id) {
			h.Index = len(all.list)
			all.list = append(all.list, h)
			matchers = append(matchers, h.matcher)
		}
	}
	for _, object := range o.Static {
		if object.GetObjectKind().GroupVersionKind().GroupKind() == kind {
			add(object, "manifest/")
		}
	}
	all.static, all.staticIndex = len(all.list), matcher.NewIndex(matchers)
	for object := range s.List(kind, "") {
		add(object, "")
	}
	all.index = matcher.NewIndex(matchers)
	return all
}

// forRequest returns the hooks that may be called for a request: all, those of static manifests, or none. Unless it is
// all, because says why.
func (a *hooks) forRequest(req admission.Request) (asked *hooks, because string) {
	because, exempt := matcher.ExemptFromWebhooks(req, a.Types.Release())
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

// answeredBy returns a with other backends.
func (a *hooks) answeredBy(backends func(configuration, webhook string) dispatch.Backend) *hooks {
	next := *a
	next.Backends, next.list = backends, slices.Clone(a.list)
	for i := range next.list {
		h := &next.list[i]
		h.Backend = backends(h.Configuration, h.Name)
	}
	return &next
}

// compile returns hooks for the webhooks of one configuration, whose IDs begin with id.
func (o Options) compile(object cluster.Object, phase trace.Phase, id string) []hook {
	var list []hook
	seen := map[string]int{}
	for i, w := range objects.Webhooks(object.Object) {
		if !o.Types.Release().Has(kubeversion.MatchConditions) {
			w.MatchConditions = nil // the server does not know the field (W-116)
		}
		if !o.Types.Release().Has(kubeversion.ObjectSelectors) {
			w.ObjectSelector = &metav1.LabelSelector{} // the same: every object is selected (W-333)
		}
		place := fmt.Sprintf("webhooks[%d]", i)
		criteria := matcher.Webhook(w.ValidatingWebhook, o.Expressions.Conditions(w.MatchConditions))
		list = append(list, hook{
			Hook: dispatch.Hook{
				Configuration:  w.Configuration,
				Name:           w.Name,
				ID:             fmt.Sprintf("%s%s/%s/%d", id, w.Configuration, w.Name, seen[w.Name]), // W-042
				Source:         object.PlaceOf(place),
				Place:          func(field string) string { return object.PlaceOf(place + "." + field) },
				Phase:          phase,
				Client:         w.ClientConfig,
				ReviewVersions: w.AdmissionReviewVersions,
				TimeoutSeconds: w.TimeoutSeconds,
				FailurePolicy:  w.FailurePolicy,
				SideEffects:    w.SideEffects,
				Reinvocable:    w.Reinvocable(),
				Backend:        o.Backends(w.Configuration, w.Name),
			},
			matcher:    matcher.Compile(criteria),
			criteria:   criteria,
			conditions: w.MatchConditions,
		})
		seen[w.Name]++
	}
	return list
}

// world returns the world in which hooks are matched.
func (a *hooks) world(s *cluster.State) matcher.World {
	r := a.Types.Release()
	return matcher.World{
		State: s, Resources: a.Resources,
		RulesFirst:       !r.Has(kubeversion.SelectorsFirst),
		NamespacesNeeded: !r.Has(kubeversion.EmptyNamespaceSelectors),
	}
}

// lookUp records the lookups of the namespace of a request by the first hooks, those that were decided about.
func (a *hooks) lookUp(step *trace.Step, req admission.Request, w matcher.World, decided int) {
	w.LookUp(step, req, func(yield func(*matcher.Matcher) bool) {
		for i := range a.list[:decided] {
			if !yield(a.list[i].matcher) {
				return
			}
		}
	})
}

// candidates returns the indices after the given one of the hooks that may apply to req: those that can match, or all
// of them if skipped hooks are to be explained.
func (a *hooks) candidates(req admission.Request, w matcher.World, after int) []int {
	if !a.Explain {
		found := a.index.Candidates(req, w)
		next, _ := slices.BinarySearch(found, after+1)
		return found[next:]
	}
	all := make([]int, 0, len(a.list))
	for i := after + 1; i < len(a.list); i++ {
		all = append(all, i)
	}
	return all
}

// applies decides whether h applies to req. current returns the objects of the request in the version that h asked for,
// which only match conditions need.
func (a *hooks) applies(ctx context.Context, h hook, req admission.Request, w matcher.World, current func(schema.GroupVersionKind) (*versioned, error)) (matcher.Result, error) {
	r := h.matcher.Match(req, w)
	if !r.Applies || !h.matcher.HasConditions() {
		return r, nil
	}
	v, err := current(r.Kind)
	if err != nil {
		return r, err
	}
	return h.matcher.Conditions(ctx, expression.Input{
		Request:    req,
		Resource:   req.Resource,
		Kind:       r.Kind,
		Object:     v.object,
		OldObject:  v.old,
		Authorizer: cluster.In(a.Authorizer, w.State, req.User.Username),
	}, r), nil
}

// skipped returns the record of a hook that does not apply, or for which this cannot be decided.
func (a *hooks) skipped(h hook, req admission.Request, w matcher.World, r matcher.Result) trace.Hook {
	record := trace.Hook{
		Configuration: h.Configuration,
		Name:          h.Name,
		ID:            h.ID,
		Source:        h.Source,
		Index:         h.Index,
		Outcome:       trace.Skipped,
		Decided:       r.Criterion(),
		Because:       h.matcher.Explain(req, w, r),
		Expressions:   r.Expressions(),
		Resource:      r.Resource,
		Kind:          r.Kind,
		Reinvocable:   h.Reinvocable,
		Start:         req.Elapsed,
	}
	if r.Denial != nil {
		record.Outcome, record.Denial = trace.Denied, r.Denial
	}
	return record
}

// applied records why h applies, in words only if reasons were requested.
func (a *hooks) applied(record *trace.Hook, h hook, req admission.Request, w matcher.World, r matcher.Result) {
	record.Decided = r.Criterion()
	if a.Explain {
		record.Matched, record.Expressions = h.matcher.Explain(req, w, r), r.Expressions()
	}
}

// exempt returns the step of a request for which no webhook is ever called.
func exempt(req admission.Request, because string) trace.Step {
	return trace.Step{Outcome: trace.Skipped, Because: because, Before: req.Object, After: req.Object}
}

// endBy ends the step with the outcome of one of its hooks.
func endBy(step *trace.Step, hook trace.Hook) {
	step.Outcome, step.Denial, step.Source = hook.Outcome, hook.Denial, hook.Source
	step.Because = fmt.Sprintf("webhook %s of %s", hook.Name, hook.Configuration)
}

// summarize sets the outcome and reason of a step whose hooks are known, if none of the hooks ended the request.
func summarize(step *trace.Step, total int) {
	called, open := 0, 0
	for _, h := range step.Hooks {
		if h.Outcome != trace.Skipped {
			called++
		}
		if h.Outcome == trace.FailedOpen {
			open++
		}
		step.Outcome = cmp.Or(step.Outcome, worth(h.Outcome))
		if h.Outcome.Ends() == step.Outcome.Ends() { // for a denial, the hint is that of the hook that denied
			step.Hint = cmp.Or(step.Hint, h.Hint)
		}
	}
	if step.Outcome == "" {
		step.Outcome = trace.Skipped
	}
	if step.Because == "" {
		step.Because = fmt.Sprintf("%d of %d webhooks called", called, total)
		if open > 0 {
			step.Because += fmt.Sprintf(", %d failed open", open)
		}
	}
}

// worth returns the outcome that a hook gives to the step as a whole, if any.
func worth(o trace.Outcome) trace.Outcome {
	if o == trace.Skipped {
		return ""
	}
	return trace.Allowed
}
