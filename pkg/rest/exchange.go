package rest

import (
	"context"
	"errors"
	"slices"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// An exchange is one request while it is being answered.
type exchange struct {
	server   *Server
	state    *cluster.State
	req      Request
	resource discovery.Resource
	kind     schema.GroupVersionKind // of the body
	path     string                  // the path after a proxy subresource

	// owners holds the managedFields as written before admission, which need no check.
	owners []metav1.ManagedFieldsEntry
	// ownerless says that what is written has no managedFields, since it is too large to be stored with them (PL-34).
	ownerless bool
	// unversioned says that the Scale of a custom resource that the client sends, or that its patch makes, names no version.
	unversioned bool

	limit       time.Duration // 0: none
	elapsed     time.Duration
	wait        wait
	items       []runtime.Object
	warnings    admission.Warnings
	dropped     []objects.DroppedField // by the last preparation
	reset       []string               // the fields of the metadata that only the server sets, as sent
	ignored     []string               // what is wrong with fields of the body that the release ignores
	annotations admission.Annotations
	admissions  []trace.Admission
	sent        []trace.Sent
	toRevert    []string // the IPAddresses that go if the current write fails
	toRelease   []string // those that go if it succeeds
	connected   bool
	read        bool // the body, as far as the audit log is concerned

	authorized   *Authorization
	deniedBy     *trace.Step
	alternatives alternatives
	patchFault   string
	course       admission.Course
}

func newExchange(s *Server, state *cluster.State, req Request) *exchange {
	x := &exchange{server: s, state: state, req: req}
	if !s.release().Has(kubeversion.DryRunParameter) {
		x.req.Query = selectors.WithDryRun(req.Query, nil)
	}
	if s.release().Has(kubeversion.RequestDeadline) {
		x.limit = req.Limit(s.release())
	}
	return x
}

func (x *exchange) response(code int, object runtime.Object) Response {
	var words text
	switch o := object.(type) {
	case *metav1.Status:
		object = written(o)
	case bareStatus:
		object = o.Status
	case text:
		object, words = nil, o
	}
	response := Response{
		Code:             code,
		Object:           x.linked(object),
		Text:             string(words),
		Items:            x.items,
		Warnings:         x.sentWarnings(&x.warnings),
		Read:             x.read,
		AuditAnnotations: x.annotations.Map(),
		Admissions:       x.admissions,
		Sent:             x.sent,
		DeniedBy:         x.deniedBy,
		PatchFault:       x.patchFault,
		State:            x.state,
		Authorization:    x.authorized,
		Connected:        x.connected,
	}
	if x.wait.left > 0 {
		response.Waits, response.Initialized, response.Failed = x.wait.left, x.initialized, x.wait.failed
	}
	response.Undetermined, response.Alternatives = x.alternatives.of(response)
	return response
}

// written returns a status as the server writes it. The original, held by a webhook or the chain, is not modified.
func written(s *metav1.Status) *metav1.Status {
	if s.Kind != "" {
		return s
	}
	status := *s
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	return &status
}

// attributes returns the request in the form that the chain gets.
func (x *exchange) attributes(op admissionv1.Operation, object, old, options runtime.Object) admission.Request {
	a := admission.Request{
		Operation:   op,
		Resource:    x.req.Resource,
		Subresource: x.req.Subresource,
		Kind:        x.kind,
		Namespace:   x.req.Namespace,
		Name:        x.req.Name,
		Object:      object,
		OldObject:   old,
		Options:     options,
		DryRun:      x.dryRun(),
		User:        x.req.User,
		Timeout:     x.limit,
	}
	if op == admissionv1.Create && bindsPod(x.req.Subresource) && !x.server.release().Has(kubeversion.NamedBindings) {
		a.Name = ""
	}
	if isNamespace(x.req.Resource) && a.Namespace == "" { // W-012, W-013
		a.Namespace = a.Name
	}
	return a
}

// bindsPod reports whether a subresource is the binding or the eviction of a pod.
func bindsPod(subresource string) bool { return subresource == "binding" || subresource == "eviction" }

func isNamespace(r schema.GroupVersionResource) bool {
	return r.Group == "" && r.Resource == "namespaces"
}

func (x *exchange) dryRun() bool { return len(x.req.Query["dryRun"]) > 0 }

// mutate starts an admission and runs its mutating phase.
func (x *exchange) mutate(ctx context.Context, a admission.Request) (admission.Request, error) {
	before := x.callsBefore()
	a.Elapsed, a.Earlier = x.elapsed, x.earlier(trace.Mutating)
	x.admissions = append(x.admissions, trace.Admission{Request: a, Object: a.Object, Steps: before})
	pass, err := x.server.Chain.Mutate(ctx, x.cached(), a)
	if len(before) > 0 {
		pass.Steps = append(before, pass.Steps...)
	}
	return pass.Request, x.recordPhase(pass, err)
}

// validate continues the admission that mutate started with its validating phase.
func (x *exchange) validate(ctx context.Context, a admission.Request) error {
	x.admission().Steps = append(x.admission().Steps, x.callsBefore()...)
	a.Elapsed, a.Earlier = x.elapsed, x.earlier(trace.Validating)
	pass, err := x.server.Chain.Validate(ctx, x.cached(), a, x.admission().Steps)
	pass.Request.Object = a.Object // undoes what validators showed to later ones
	return x.recordPhase(pass, err)
}

// cached returns the cluster as plugins have it.
func (x *exchange) cached() *cluster.State { return objects.Cached(x.state, x.server.release()) }

// earlier returns how many calls the webhooks of a phase already received, by hook.
func (x *exchange) earlier(phase trace.Phase) (calls map[string]int) {
	for _, a := range x.admissions {
		for _, step := range a.Steps {
			if step.Phase != phase {
				continue
			}
			for _, h := range step.Hooks {
				if len(h.Calls) == 0 {
					continue
				}
				if calls == nil {
					calls = map[string]int{}
				}
				calls[h.ID] += len(h.Calls)
			}
		}
	}
	return calls
}

// sentWarnings returns the warnings of an answer.
func (x *exchange) sentWarnings(w *admission.Warnings) []string {
	if !x.server.release().Has(kubeversion.Warnings) {
		return nil
	}
	return w.List()
}

// recordPhase records what a phase did.
func (x *exchange) recordPhase(pass chain.Pass, err error) error {
	if err != nil {
		return err
	}
	now := x.admission()
	first := len(now.Steps)
	var took time.Duration
	now.Steps, took = x.callsDuring(pass.Steps, first)
	pass.Request.Elapsed += took
	x.state, x.elapsed = pass.State.Live(), pass.Request.Elapsed
	var earlier []string // before the last step
	for i := range now.Steps[first:] {
		step := &now.Steps[first+i]
		did := step.Did()
		x.sent = append(x.sent, did.Sent...)
		if did.Otherwise != nil {
			earlier = x.warnings.Texts()
		}
		for _, w := range did.Warnings {
			x.warnings.Add(w)
		}
		for _, a := range did.Annotations {
			x.annotations.Add(a.Key, a.Value)
		}
	}
	now.Object = pass.Request.Object
	now.Elapsed = pass.Request.Elapsed - now.Request.Elapsed
	if pass.Denial != nil {
		refused := refuseWith(pass.Denial)
		refused.by = new(now.Steps[len(now.Steps)-1])
		refused.alternatives = x.alternativesTo(refused.by, earlier)
		return refused
	}
	return nil
}

func (x *exchange) admission() *trace.Admission { return &x.admissions[len(x.admissions)-1] }

// serverStep records what the server itself did to the object between the phases, or why it refused it.
func (x *exchange) serverStep(step trace.Step) trace.Step {
	step.Phase, step.Start = trace.Server, x.elapsed
	now := x.admission()
	now.Steps = append(now.Steps, step)
	return step
}

func (x *exchange) write() objects.Write {
	return objects.Write{
		Resource:    x.req.Resource,
		Subresource: x.req.Subresource,
		Kind:        x.resource.Kind,
		Namespace:   x.req.Namespace,
		Name:        x.req.Name,
		User:        x.req.User,
		Now:         x.server.Now(),
		NewUID:      x.server.NewUID,
		Course:      &x.course,
		Warn:        x.warnings.Add,
		Dropped:     &x.dropped,
	}
}

// key returns the key of the object with that name.
func (x *exchange) key(name string) cluster.Key {
	k := cluster.Key{GroupKind: x.resource.Storage.GroupKind(), Name: name}
	if x.resource.Namespaced {
		k.Namespace = x.req.Namespace
	}
	return k
}

// stored returns the object with that name as stored, and in the requested version.
func (x *exchange) stored(name string) (kept cluster.Object, object runtime.Object, err error) {
	kept, ok := x.state.Find(x.key(name))
	if !ok {
		return kept, nil, refuse(apierrors.NewNotFound(x.missing(), name))
	}
	object, err = x.fromStorage(kept.Object)
	if unreadable := (*unreadableError)(nil); errors.As(err, &unreadable) {
		refused := refuseWith(admission.StatusOf(apierrors.NewInternalError(unreadable.inStorage(""))))
		refused.unreadable = true
		return kept, nil, refused
	}
	if err != nil {
		return kept, nil, refuse(err)
	}
	return kept, object, nil
}

// served returns an object of the cluster in the requested version.
func (x *exchange) served(o runtime.Object) (runtime.Object, error) {
	object, err := x.fromStorage(o)
	if err != nil {
		return nil, refuse(err)
	}
	return object, nil
}

// shown returns an object as the client gets it. Only the resource itself omits something, not its status (PL-08a).
func (x *exchange) shown(o runtime.Object) runtime.Object {
	if x.req.Subresource != "" {
		return o
	}
	return x.server.Types.Shown(o)
}

// patchedByHooks reports whether a webhook or a policy has changed the object.
func (x *exchange) patchedByHooks() bool {
	return slices.ContainsFunc(x.admission().Steps, func(s trace.Step) bool {
		return slices.ContainsFunc(s.Hooks, func(h trace.Hook) bool { return h.Outcome == trace.Changed })
	})
}

// keep writes object into the cluster, unless this is a dry run, and returns it as the client sees it. kept is the
// object that it replaces, if any.
func (x *exchange) keep(object runtime.Object, kept cluster.Object) (runtime.Object, error) {
	object, written, err := x.server.Types.Stored(object)
	if err != nil {
		return nil, refuse(err)
	}
	deletes := x.req.Verb == Delete || x.req.Verb == DeleteCollection
	retained := objects.Retained{Spec: deletes || x.req.Subresource == "status", Status: deletes || x.req.Subresource == ""}
	if x.req.Verb == Update && x.kind.Version == "v1" && !x.patchedByHooks() {
		retained.SentInV1 = x.req.Body
	}
	retained.Retain(object, kept.Object)
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if !x.dryRun() {
		if err := x.fits(cluster.Object{Object: object, Written: written}.Stored(), kept.Object); err != nil {
			return nil, err
		}
		m.SetSelfLink("") // removed by the storage, so the answer to a dry run has the client's own
		m.SetResourceVersion(x.state.NextVersion(m.GetResourceVersion()))
		next := kept.Replaced(object)
		next.Written, next.Tracked = written, true
		x.state = change.Replace(x.state, kept.Object, next)
	}
	return x.served(object)
}
