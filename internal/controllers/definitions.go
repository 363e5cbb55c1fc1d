package controllers

import (
	"context"
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// establish writes the status of the definition that was written, and of those that want the names which it gave up.
func establish(c *Controllers, ctx context.Context, e *store.Event) {
	if e.GroupKind != definition {
		return
	}
	var written []string // each of these is an event of its own
	for next := c.nextSettled(nil); next != nil; next = c.nextSettled(written) {
		written = append(written, next.Name)
		c.writeStatus(ctx, next)
	}
}

func (c *Controllers) nextSettled(except []string) *apiextensionsv1.CustomResourceDefinition {
	return view.NextSettled(c.store.Latest().State(), metav1.Now(), except)
}

func (c *Controllers) writeStatus(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) {
	status, err := json.Marshal(map[string]any{"status": map[string]any{"acceptedNames": crd.Status.AcceptedNames, "conditions": crd.Status.Conditions}})
	if err != nil {
		c.failed(err)
		return
	}
	resource, ok := resourceOf(c.store.Latest(), definition)
	if !ok {
		return
	}
	c.do(ctx, rest.Request{
		Verb: rest.Patch, PatchType: rest.MergePatch, Resource: resource, Subresource: "status", Name: crd.Name, Body: status, User: admission.APIServer(), UserAgent: "kube-apiserver",
	})
}

// established returns the cluster with all initial definitions established.
func established(sim *simulator.Simulator) (*cluster.State, error) {
	state, now := sim.State(), metav1.Now()
	for next := view.NextSettled(state, now, nil); next != nil; next = view.NextSettled(state, now, nil) {
		for i := range next.Status.Conditions {
			if c := &next.Status.Conditions[i]; c.LastTransitionTime.Equal(&now) && !next.CreationTimestamp.IsZero() {
				c.LastTransitionTime = next.CreationTimestamp
			}
		}
		o, _ := state.Find(cluster.Key{GroupKind: definition, Name: next.Name})
		state = state.With(o.Replaced(next))
	}
	return state, nil
}

var definition = apiextensionsv1.Kind("CustomResourceDefinition")
