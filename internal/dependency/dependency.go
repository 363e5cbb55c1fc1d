// Package dependency knows what webhooks need in order to be reached, and what they can block: from a webhook to its
// Service, with the Service's selector to the pods behind it, and from there to the webhooks that must admit the
// requests that bring back such a pod after it was lost. If that leads back to the start, nothing comes up again once
// all of it is down: a deadlock.
//
// Start with [New], which reads the webhooks of a cluster. [Webhook.Intercepts] reports whether a webhook is called for
// a request, [Graph.Cycles] finds the deadlocks.
//
// The package calls no webhook. It goes by the configuration: a webhook that applies to a request, and whose
// failurePolicy is Fail, has to answer for it.
package dependency

import (
	"context"
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
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
)

// A Cluster is what the graph is read from. All fields but Static must be set.
type Cluster struct {
	State      *cluster.State
	Static     []cluster.Object // webhooks and policies in manifests of the server
	Resources  *discovery.Resources
	Types      *objects.Types
	Release    *kubeversion.Release
	Authorizer authorizer.UnconditionalAuthorizer
}

// A Graph holds the webhooks of one cluster and their backends.
type Graph struct {
	cluster   Cluster
	compiler  *expression.Compiler
	webhooks  []*Webhook
	converts  []*Webhook
	workloads []*Workload
	backends  map[serviceKey]*Backend
}

// New reads the webhooks of c, mutating ones first, and each kind in the server's order.
func New(c Cluster) *Graph {
	g := &Graph{cluster: c, compiler: expression.New(c.Release), backends: map[serviceKey]*Backend{}}
	for _, object := range c.Static {
		g.add(object, true)
	}
	for object := range objects.WebhookConfigurations(c.State) {
		g.add(object, false)
	}
	slices.SortStableFunc(g.webhooks, func(a, b *Webhook) int {
		switch {
		case a.Mutating == b.Mutating:
			return 0
		case a.Mutating:
			return -1
		}
		return 1
	})
	g.workloads = workloadsOf(c.State)
	for _, w := range g.webhooks {
		if b := g.readBackend(w); b != nil {
			b.Webhooks = append(b.Webhooks, w)
		}
	}
	for o := range c.State.List(apiextensionsv1.Kind("CustomResourceDefinition"), "") {
		if w := conversionOf(o); w != nil {
			g.converts = append(g.converts, w)
			g.readBackend(w)
		}
	}
	return g
}

// Webhooks returns all webhooks that are called for requests.
func (g *Graph) Webhooks() []*Webhook { return g.webhooks }

// Workloads returns all workloads of the cluster.
func (g *Graph) Workloads() []*Workload { return g.workloads }

// Conversions returns the webhooks that convert custom resources.
func (g *Graph) Conversions() []*Webhook { return g.converts }

// A Webhook is one webhook of a configuration.
type Webhook struct {
	admissionregistrationv1.ValidatingWebhook // the fields that both kinds share

	Mutating      bool
	Reinvocable   bool
	Static        bool // in a manifest of the server: not an object of the cluster
	Converts      bool // converts custom resources; their definition is its configuration
	Configuration string
	Index         int    // in the configuration
	Source        string // file and line, of the webhook itself if they are known

	cluster *Cluster
	matcher *matcher.Matcher
}

// Kind returns the kind of the webhook's configuration.
func (w *Webhook) Kind() string {
	switch {
	case w.Converts:
		return "CustomResourceDefinition"
	case w.Mutating:
		return "MutatingWebhookConfiguration"
	}
	return "ValidatingWebhookConfiguration"
}

// String returns the name of the webhook with that of its configuration.
func (w *Webhook) String() string { return w.Configuration + "/" + w.Name }

// FailsClosed reports whether a request is refused if the webhook cannot be called.
func (w *Webhook) FailsClosed() bool {
	return w.FailurePolicy == nil || *w.FailurePolicy == admissionregistrationv1.Fail // W-187
}

// Timeout returns how many seconds a call may take.
func (w *Webhook) Timeout() int32 {
	return int32(dispatch.Hook{TimeoutSeconds: w.TimeoutSeconds}.Limit().Seconds())
}

func (g *Graph) add(object cluster.Object, static bool) {
	for i, w := range objects.Webhooks(object.Object) {
		g.webhooks = append(g.webhooks, &Webhook{
			ValidatingWebhook: w.ValidatingWebhook,
			Mutating:          w.Mutating != nil,
			Reinvocable:       w.Reinvocable(),
			Static:            static,
			Configuration:     w.Configuration,
			Index:             i,
			Source:            object.PlaceOf(fmt.Sprintf("webhooks[%d]", i)),
			cluster:           &g.cluster,
			matcher:           matcher.Compile(matcher.Webhook(w.ValidatingWebhook, g.compiler.Conditions(w.MatchConditions))),
		})
	}
}

// Intercepts reports whether req depends on the webhook: whether it would be called, or refuse req without a call because a
// match condition fails.
func (w *Webhook) Intercepts(ctx context.Context, req admission.Request) bool {
	switch _, exempt := matcher.ExemptFromWebhooks(req, w.cluster.Types.Release()); exempt {
	case matcher.ExemptFromAPI:
		if !w.Static {
			return false
		}
	case matcher.ExemptFromAll:
		return false
	}
	r := w.matcher.Match(req, matcher.World{State: w.cluster.State, Resources: w.cluster.Resources})
	if !r.Applies || !w.matcher.HasConditions() {
		return r.Applies
	}
	object, err := w.cluster.inVersion(req.Object, r.Kind)
	if err != nil {
		return false
	}
	old, err := w.cluster.inVersion(req.OldObject, r.Kind)
	if err != nil {
		return false
	}
	met := w.matcher.Conditions(ctx, expression.Input{
		Request:    req,
		Resource:   req.Resource,
		Kind:       r.Kind,
		Object:     object,
		OldObject:  old,
		Authorizer: w.cluster.Authorizer,
	}, r)
	return met.Applies || met.Denial != nil
}

func (c *Cluster) inVersion(o runtime.Object, kind schema.GroupVersionKind) (runtime.Object, error) {
	if o == nil || o.GetObjectKind().GroupVersionKind() == kind {
		return o, nil
	}
	converted, err := c.Types.Convert(o, kind)
	if err != nil {
		return nil, fmt.Errorf("converting to %s: %w", kind, err)
	}
	return converted, nil
}
