package lint

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Subject is what rules check: the webhooks of a cluster, each with the manifest it was written in, and what is
// around them.
type Subject struct {
	Manifests []scenario.Manifest
	Simulator *simulator.Simulator // of the cluster that they define
	Now       time.Time            // the time at which certificates have to be valid

	State  *cluster.State // with every namespace that is named
	Graph  *dependency.Graph
	Cycles []dependency.Cycle
	Hooks  []*Hook

	Policies []*Policy
	Lost     []LostBinding

	// LeftOut lists the kinds of objects that were left out because something is wrong with them; AnyKind if it is not
	// known which.
	LeftOut []string

	ctx       context.Context
	probes    []probe
	requests  *space.Space // without any hooks; nil until it is needed
	conflicts map[*Binding]Conflict
}

// A Hook is one webhook and the manifest it was written in.
type Hook struct {
	*dependency.Webhook
	Manifest scenario.Manifest
}

// Field returns the place of a field of the webhook; the empty path is the webhook itself.
func (h *Hook) Field(path string) Field {
	at := fmt.Sprintf("webhooks[%d]", h.Index)
	if path != "" {
		at += "." + path
	}
	return Field{h.Manifest, h.Name, at}
}

// Selective reports whether a webhook requires anything beyond its rules.
func (h *Hook) Selective() bool {
	return Asks(h.NamespaceSelector) || Asks(h.ObjectSelector) || len(h.MatchConditions) > 0
}

// OrdinaryNamespace is a namespace that nothing is known about but its name. Every subject has it.
const OrdinaryNamespace = "ordinary-namespace"

// NewSubject finds the webhooks and policies of a cluster in its manifests, and in static ones, which its server reads
// from its own folders.
func NewSubject(ctx context.Context, manifests, static []scenario.Manifest, sim *simulator.Simulator, release *kubeversion.Release, now time.Time) (*Subject, error) {
	s := &Subject{Manifests: manifests, Simulator: sim, Now: now, ctx: ctx, State: withNamespaces(sim.State()), conflicts: map[*Binding]Conflict{}}
	s.Graph = dependency.New(dependency.Cluster{
		State:      s.State,
		Static:     sim.Static(),
		Resources:  sim.Resources(),
		Types:      sim.View().Types(),
		Release:    release,
		Authorizer: sim.Authorizer(),
	})
	written := map[string]scenario.Manifest{}
	for _, m := range slices.Concat(manifests, static) {
		written[m.Kind+"/"+m.Name] = m
	}
	for _, w := range s.Graph.Webhooks() {
		m, ok := written[w.Kind()+"/"+w.Configuration]
		if !ok {
			return nil, fmt.Errorf("%s %q comes from no manifest", w.Kind(), w.Configuration)
		}
		s.Hooks = append(s.Hooks, &Hook{w, m})
	}
	s.readPolicies(written)
	s.probes = probes()
	s.Cycles = s.Graph.Cycles(ctx)
	return s, nil
}

// withNamespaces adds the namespaces that the manifests name but do not contain, with no label but their name, and
// OrdinaryNamespace.
func withNamespaces(s *cluster.State) *cluster.State {
	names := []string{OrdinaryNamespace}
	for o := range s.All() {
		if m, ok := o.Object.(metav1.Object); ok && m.GetNamespace() != "" {
			names = append(names, m.GetNamespace())
		}
		names = append(names, servicesOf(o)...)
	}
	for _, name := range names {
		if _, exists := s.Find(cluster.Key{GroupKind: NamespaceKind, Name: name}); !exists {
			s = s.With(cluster.Object{Object: &corev1.Namespace{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}},
			}})
		}
	}
	return s
}

// servicesOf returns the namespaces of the Services that a configuration names.
func servicesOf(o cluster.Object) []string {
	var names []string
	for _, w := range objects.Webhooks(o.Object) {
		if service := w.ClientConfig.Service; service != nil {
			names = append(names, service.Namespace)
		}
	}
	return names
}

// NamespaceKind is the kind of namespaces.
var NamespaceKind = schema.GroupKind{Kind: "Namespace"}

// Configurations returns the number of configurations that the webhooks come from.
func (s *Subject) Configurations() int {
	seen := map[string]bool{}
	for _, h := range s.Hooks {
		seen[NameOf(h.Manifest)] = true
	}
	return len(seen)
}

// Holds reports whether the manifests contain an object of one of these kinds. If they contain none, they are not the
// whole cluster, and what is missing is unknown.
func (s *Subject) Holds(kinds ...string) bool {
	return slices.ContainsFunc(s.Manifests, func(m scenario.Manifest) bool { return slices.Contains(kinds, m.Kind) })
}

// AnyKind stands for the kind of something that could not be read.
const AnyKind = "*"

// MayLack reports whether objects of these kinds may have been left out. Then nothing can be concluded from the absence
// of one.
func (s *Subject) MayLack(kinds ...string) bool {
	return slices.ContainsFunc(s.LeftOut, func(kind string) bool { return kind == AnyKind || slices.Contains(kinds, kind) })
}

// Called returns the webhooks that are called for a request.
func (s *Subject) Called(req admission.Request) []*Hook {
	var called []*Hook
	for _, h := range s.Hooks {
		if s.Calls(h, req) {
			called = append(called, h)
		}
	}
	return called
}

// Calls reports whether a webhook is called for a request.
func (s *Subject) Calls(h *Hook, req admission.Request) bool { return h.Intercepts(s.ctx, req) }

// Sees returns the probes about a topic that a webhook would be called for, in words.
func (s *Subject) Sees(h *Hook, about Topic) []string {
	var found []string
	for _, p := range s.probes {
		if p.about == about && !slices.Contains(found, p.what) && s.Calls(h, p.request) {
			found = append(found, p.what)
		}
	}
	return found
}
