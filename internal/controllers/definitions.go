package controllers

import (
	"context"
	"encoding/json"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// establish accepts the names of a definition, and says that it is served:
// kubernetes/apiextensions-apiserver:pkg/controller/status/naming_controller.go and
// pkg/controller/establish. Names that two definitions want are not looked for.
func establish(c *Controllers, ctx context.Context, e *store.Event) {
	if _, ok := e.After.Object.(*apiextensionsv1.CustomResourceDefinition); !ok {
		return
	}
	crd, ok := cluster.Get[*apiextensionsv1.CustomResourceDefinition](c.store.Latest().State(), e.GroupKind, "", e.Name)
	if !ok || crd.DeletionTimestamp != nil {
		return
	}
	next, changed := served(crd, metav1.Now())
	if !changed {
		return
	}
	status, err := json.Marshal(map[string]any{"status": map[string]any{"acceptedNames": next.Status.AcceptedNames, "conditions": next.Status.Conditions}})
	if err != nil {
		c.failed(err)
		return
	}
	resource, ok := resourceOf(c.store.Latest(), e.GroupKind)
	if !ok {
		return
	}
	c.do(ctx, rest.Request{
		Verb: rest.Patch, PatchType: rest.MergePatch, Resource: resource, Subresource: "status", Name: e.Name, Body: status, User: admission.APIServer(),
	})
}

// established is the cluster in which all definitions are established that were there at first.
func established(sim *simulator.Simulator) (*cluster.State, error) {
	state := sim.State()
	for o := range state.List(apiextensionsv1.Kind("CustomResourceDefinition"), "") {
		crd, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition)
		if !ok || crd.DeletionTimestamp != nil {
			continue
		}
		since := crd.CreationTimestamp
		if since.IsZero() {
			since = metav1.Now()
		}
		if next, changed := served(crd, since); changed {
			state = state.With(o.Replaced(next))
		}
	}
	return state, nil
}

// served is a definition whose names are accepted, and that is established.
func served(crd *apiextensionsv1.CustomResourceDefinition, now metav1.Time) (next *apiextensionsv1.CustomResourceDefinition, changed bool) {
	next = crd.DeepCopy()
	next.Status.AcceptedNames = crd.Spec.Names
	changed = holds(next, apiextensionsv1.NamesAccepted, "NoConflicts", "no conflicts found", now)
	changed = holds(next, apiextensionsv1.Established, "InitialNamesAccepted", "the initial names have been accepted", now) || changed
	return next, changed
}

// holds makes a condition true, and reports whether it was not.
func holds(crd *apiextensionsv1.CustomResourceDefinition, kind apiextensionsv1.CustomResourceDefinitionConditionType, reason, message string, now metav1.Time) bool {
	at := slices.IndexFunc(crd.Status.Conditions, func(c apiextensionsv1.CustomResourceDefinitionCondition) bool { return c.Type == kind })
	condition := apiextensionsv1.CustomResourceDefinitionCondition{Type: kind, Status: apiextensionsv1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: now}
	switch {
	case at < 0:
		crd.Status.Conditions = append(crd.Status.Conditions, condition)
	case crd.Status.Conditions[at].Status == apiextensionsv1.ConditionTrue:
		return false
	default:
		crd.Status.Conditions[at] = condition
	}
	return true
}
