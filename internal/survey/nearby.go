package survey

import (
	"context"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Nearby finds what would have to change about one request, or its namespace, so that webhooks and policies would be
// asked about it.
type Nearby struct {
	world       World
	space       *space.Space
	request     admission.Request
	labels      map[string]string // of its namespace
	expressions *expression.Compiler
}

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind()

// NewNearby returns a Nearby for a request to the cluster of a simulator.
func NewNearby(sim *simulator.Simulator, req admission.Request) *Nearby {
	plugins := []string{pluginOf(true, "Policy"), pluginOf(true, "Webhook"), pluginOf(false, "Policy"), pluginOf(false, "Webhook")}
	n := &Nearby{world: NewWorld("", sim, plugins), request: req, expressions: expression.New(sim.Release())}
	if ns, ok := cluster.Get[*corev1.Namespace](sim.State(), namespaceKind, "", req.Namespace); ok {
		n.labels = ns.Labels
	}
	// In this world the namespace does not exist, so that it may have any labels.
	n.world.space.State = sim.State().Without(cluster.Key{GroupKind: namespaceKind, Name: req.Namespace})
	n.space = spaceOf(&n.world)
	return n
}

// Change returns what would have to change so that a webhook or policy of a plugin is asked about the request, whose
// object is object at that point: the smallest change, in words. It is empty if that is unknown, or if it would be a
// different resource.
func (n *Nearby) Change(plugin, configuration, name string, object runtime.Object) []string {
	i := slices.IndexFunc(n.world.hooks, func(h hook) bool {
		return h.actor.Plugin == plugin && h.actor.Configuration == configuration && h.actor.Name == name
	})
	if i < 0 {
		return nil
	}
	h, of := &n.world.hooks[i], space.Instance{Request: n.request, Namespace: n.labels}
	of.Request.Object = object
	if !h.Policy { // conditions of policies see more than the request
		of.Evaluate = func(text string, as schema.GroupVersionKind) (bool, error) {
			one := n.expressions.Conditions([]admissionregistrationv1.MatchCondition{{Name: "condition", Expression: text}})
			is := one.Evaluate(context.Background(), expression.Input{Request: of.Request, Resource: of.Request.Resource, Kind: as, Object: object, OldObject: of.Request.OldObject})
			return is.Failure() == nil && is.Results[0].Value, is.Failure()
		}
	}
	change, _ := n.space.Change(n.space.Region(0, &h.Hook).Asked, of)
	return change
}
