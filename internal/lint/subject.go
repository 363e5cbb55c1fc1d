package lint

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// A subject is what rules look at: the webhooks of a cluster, each with the manifest it was
// written in, and what is around them.
type subject struct {
	Input
	ctx    context.Context
	sim    *simulator.Simulator
	bugs   bug.Counter
	state  *cluster.State // with every namespace that is named
	graph  *dependency.Graph
	cycles []dependency.Cycle
	hooks  []*hook

	policies []*policy
	lost     []lostBinding

	probes []probe
	corpus corpus
}

// A hook is one webhook and where it was written.
type hook struct {
	*dependency.Webhook
	manifest scenario.Manifest
}

// field is the place of a field of the webhook; the empty path is the webhook itself.
func (h *hook) field(path string) fieldRef {
	at := fmt.Sprintf("webhooks[%d]", h.Index)
	if path != "" {
		at += "." + path
	}
	return fieldRef{h.manifest, h.Name, at}
}

// ordinary is a namespace that nothing is known of but its name.
const ordinary = "ordinary-namespace"

func newSubject(ctx context.Context, in Input) (*subject, error) {
	s := &subject{Input: in, ctx: ctx, sim: in.World.Simulator()}
	s.state = withNamespaces(s.sim.State())
	s.graph = dependency.New(dependency.Cluster{
		State:      s.state,
		Resources:  s.sim.Resources(),
		Types:      s.sim.View().Types(),
		Release:    in.Release,
		Authorizer: s.sim.Authorizer(),
	})
	written := map[string]scenario.Manifest{}
	for _, m := range in.Manifests {
		written[m.Kind+"/"+m.Name] = m
	}
	for _, w := range s.graph.Webhooks() {
		m, ok := written[w.Kind()+"/"+w.Configuration]
		if !ok {
			return nil, fmt.Errorf("%s %q comes from no manifest", w.Kind(), w.Configuration)
		}
		s.hooks = append(s.hooks, &hook{w, m})
	}
	s.readPolicies(written)
	s.probes = probes()
	s.cycles = s.graph.Cycles(ctx)
	return s, nil
}

// withNamespaces adds the namespaces that the manifests name but do not hold, with no label
// but their name, and one that nothing is known of.
func withNamespaces(s *cluster.State) *cluster.State {
	names := []string{ordinary}
	for o := range s.All() {
		if m, ok := o.Object.(metav1.Object); ok && m.GetNamespace() != "" {
			names = append(names, m.GetNamespace())
		}
		names = append(names, servicesOf(o)...)
	}
	for _, name := range names {
		if _, exists := s.Find(cluster.Key{GroupKind: namespaceKind, Name: name}); !exists {
			s = s.With(cluster.Object{Object: &corev1.Namespace{
				TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
				ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}},
			}})
		}
	}
	return s
}

// servicesOf are the namespaces of the Services that a configuration names.
func servicesOf(o cluster.Object) []string {
	var names []string
	for _, w := range objects.Webhooks(o.Object) {
		if service := w.ClientConfig.Service; service != nil {
			names = append(names, service.Namespace)
		}
	}
	return names
}

var namespaceKind = schema.GroupKind{Kind: "Namespace"}

// configurations are how many the webhooks come from.
func (s *subject) configurations() int {
	seen := map[string]bool{}
	for _, h := range s.hooks {
		seen[nameOf(h.manifest)] = true
	}
	return len(seen)
}

// holds reports whether the manifests hold any object of one of these kinds: where they hold
// none, they are not all of a cluster, and what is missing is not known.
func (s *subject) holds(kinds ...string) bool {
	for _, m := range s.Manifests {
		for _, k := range kinds {
			if m.Kind == k {
				return true
			}
		}
	}
	return false
}

// selective reports whether a webhook asks for anything beyond its rules.
func (h *hook) selective() bool {
	return asks(h.NamespaceSelector) || asks(h.ObjectSelector) || len(h.MatchConditions) > 0
}

func asks(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}
