package controllers

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// establish writes the status of the definition that was written, and of those that want the names which it gave up.
func establish(c *Controllers, ctx context.Context, e *store.Event) {
	if e.GroupKind != definition {
		return
	}
	c.awaitInstances(ctx, e)
	var written []string // each of these is an event of its own
	for next := c.nextSettled(nil); next != nil; next = c.nextSettled(written) {
		written = append(written, next.Name)
		c.writeStatus(ctx, next)
	}
}

func (c *Controllers) nextSettled(except []string) *apiextensionsv1.CustomResourceDefinition {
	sim := c.store.Latest()
	return view.NextSettled(sim.State(), sim.Release(), metav1.Now(), except)
}

// writeStatus writes the status and the finalizers of a definition.
func (c *Controllers) writeStatus(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) (done bool) {
	status, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": crd.ResourceVersion, "finalizers": crd.Finalizers},
		"status":   map[string]any{"acceptedNames": crd.Status.AcceptedNames, "conditions": crd.Status.Conditions},
	})
	if err != nil {
		c.failed(err)
		return false
	}
	resource, ok := resourceOf(c.store.Latest(), definition)
	return ok && c.do(ctx, rest.Request{
		Verb: rest.Patch, PatchType: rest.MergePatch, Resource: resource, Subresource: "status", Name: crd.Name, Body: status,
	}.ByServer())
}

// established returns the cluster with all initial definitions established.
func established(sim *simulator.Simulator) (*cluster.State, error) {
	state, now := sim.State(), metav1.Now()
	for next := view.NextSettled(state, sim.Release(), now, nil); next != nil; next = view.NextSettled(state, sim.Release(), now, nil) {
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

// How often the server looks whether a deleted definition has custom resources left, and how long it does so before it says
// that it cannot tell, and begins again: kubernetes/apiextensions-apiserver:pkg/controller/finalizer/crd_finalizer.go.
const (
	instancesEvery = 5 * time.Second
	instancesFor   = time.Minute
)

// What the server says while it deletes custom resources.
const (
	deleting = "InstanceDeletionInProgress"
	checking = "InstanceDeletionCheck"
)

// awaitInstances removes a deleted definition some time after its last custom resource, or gives up, once the server has
// begun to delete them.
func (c *Controllers) awaitInstances(ctx context.Context, e *store.Event) {
	if c.isDeleting(e.After) && !c.isDeleting(e.Before) {
		c.checkAgain(ctx, c.definitionOf(e.After), instancesEvery)
	}
}

// checkAgain checks once more, some time later, whether a definition has custom resources left. waited is how long the
// server will have waited by then.
func (c *Controllers) checkAgain(ctx context.Context, begun *apiextensionsv1.CustomResourceDefinition, waited time.Duration) {
	c.later(ctx, instancesEvery, func() {
		crd := c.terminating(begun)
		switch {
		case crd == nil:
		case !c.hasInstances(crd) && c.finish(ctx, crd):
		case waited < instancesFor:
			c.checkAgain(ctx, begun, waited+instancesEvery)
		default:
			c.giveUp(ctx, begun)
		}
	})
}

// terminating returns the current state of a definition whose custom resources the server deletes. It returns nil
// if the server no longer deletes them.
func (c *Controllers) terminating(begun *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	kept, _ := c.cached().Find(cluster.Key{GroupKind: definition, Name: begun.Name})
	crd := c.definitionOf(kept)
	if crd == nil || crd.UID != begun.UID {
		return nil
	}
	said := apihelpers.FindCRDCondition(crd, apiextensionsv1.Terminating)
	if said == nil || said.Reason != deleting && said.Reason != checking {
		return nil
	}
	return crd.DeepCopy()
}

func (c *Controllers) hasInstances(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for range c.cached().List(schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}, "") {
		return true
	}
	return false
}

// finish takes the finalizer away, which removes the definition unless it has others.
func (c *Controllers) finish(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) (done bool) {
	objects.SetTerminating(crd, apiextensionsv1.ConditionFalse, "InstanceDeletionCompleted", "removed all instances", metav1.Now())
	apihelpers.CRDRemoveFinalizer(crd, apiextensionsv1.CustomResourceCleanupFinalizer)
	return c.writeStatus(ctx, crd)
}

// giveUp says that custom resources are left, and begins again.
func (c *Controllers) giveUp(ctx context.Context, begun *apiextensionsv1.CustomResourceDefinition) {
	for _, says := range []struct{ reason, message string }{
		{checking, "could not confirm zero CustomResources remaining: " + c.timedOut()},
		{deleting, "CustomResource deletion is in progress"},
	} {
		crd := c.terminating(begun)
		if crd == nil {
			return
		}
		said := apihelpers.FindCRDCondition(crd, apiextensionsv1.Terminating)
		said.Reason, said.Message = says.reason, says.message
		c.writeStatus(ctx, crd)
	}
}

// timedOut returns the server's error about a condition that was not met in time.
func (c *Controllers) timedOut() string {
	if c.store.Latest().Release().Has(kubeversion.DefinitionsCheckedInContext) {
		return context.DeadlineExceeded.Error()
	}
	return "timed out waiting for the condition"
}

func (c *Controllers) isDeleting(o cluster.Object) bool {
	crd := c.definitionOf(o)
	if crd == nil {
		return false
	}
	said := apihelpers.FindCRDCondition(crd, apiextensionsv1.Terminating)
	return said != nil && said.Reason == deleting
}

// definitionOf returns a stored definition, nil if it is none.
func (c *Controllers) definitionOf(o cluster.Object) *apiextensionsv1.CustomResourceDefinition {
	if o.Object == nil {
		return nil
	}
	crd, _ := c.store.Latest().View().Types().InV1(o.Object, definition).(*apiextensionsv1.CustomResourceDefinition)
	return crd
}

var definition = apiextensionsv1.Kind("CustomResourceDefinition")
