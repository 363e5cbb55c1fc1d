package controllers

import (
	"context"
	"encoding/json"
	"time"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/view"
	"github.com/admsim/admsim/pkg/admission"
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
	return view.NextSettled(c.store.Latest().State(), metav1.Now(), except)
}

func (c *Controllers) writeStatus(ctx context.Context, crd *apiextensionsv1.CustomResourceDefinition) {
	status, err := json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": crd.ResourceVersion}, "status": map[string]any{"acceptedNames": crd.Status.AcceptedNames, "conditions": crd.Status.Conditions}})
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

// instancesFor is how long the server waits for the custom resources of a deleted definition to disappear, before it says
// that it cannot tell, and begins again: kubernetes/apiextensions-apiserver:pkg/controller/finalizer/crd_finalizer.go.
const instancesFor = time.Minute

// What the server says while it deletes custom resources.
const (
	deleting = "InstanceDeletionInProgress"
	checking = "InstanceDeletionCheck"
)

// awaitInstances gives up waiting for the custom resources of a deleted definition after some time, once the server has
// begun to delete them.
func (c *Controllers) awaitInstances(ctx context.Context, e *store.Event) {
	if !c.isDeleting(e.After) || c.isDeleting(e.Before) {
		return
	}
	begun := e.After
	c.later(ctx, instancesFor, func() {
		for _, says := range []struct{ reason, message string }{
			{checking, "could not confirm zero CustomResources remaining: " + c.timedOut()},
			{deleting, "CustomResource deletion is in progress"},
		} {
			kept, ok := c.store.Latest().State().Find(e.Key)
			if !ok {
				return
			}
			crd := c.definitionOf(kept)
			if before := c.definitionOf(begun); crd == nil || before == nil || crd.UID != before.UID {
				return
			}
			said := apihelpers.FindCRDCondition(crd, apiextensionsv1.Terminating)
			if said == nil || said.Reason != deleting && said.Reason != checking {
				return // there is none left
			}
			crd = crd.DeepCopy()
			said = apihelpers.FindCRDCondition(crd, apiextensionsv1.Terminating)
			said.Reason, said.Message = says.reason, says.message
			c.writeStatus(ctx, crd)
		}
	})
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
