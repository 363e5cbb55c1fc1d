package controllers

import (
	"context"
	"encoding/json"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/semantic"
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
		Verb: rest.Patch, PatchType: rest.MergePatch, Resource: resource, Subresource: "status", Name: e.Name, Body: status, User: admission.APIServer(), UserAgent: "kube-apiserver",
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

// served is a definition whose names are accepted, also those that an update brought, that is
// established, and that says whether the Kubernetes project approved it.
func served(crd *apiextensionsv1.CustomResourceDefinition, now metav1.Time) (next *apiextensionsv1.CustomResourceDefinition, changed bool) {
	next = crd.DeepCopy()
	changed = !semantic.DeepEqual(crd.Status.AcceptedNames, crd.Spec.Names)
	next.Status.AcceptedNames = crd.Spec.Names
	changed = holds(next, apiextensionsv1.NamesAccepted, "NoConflicts", "no conflicts found", now) || changed
	changed = holds(next, apiextensionsv1.Established, "InitialNamesAccepted", "the initial names have been accepted", now) || changed
	if approval, protected := approvalOf(crd); protected {
		changed = set(next, approval, now) || changed
	}
	return next, changed
}

// approvalOf is the condition of definitions in groups of the Kubernetes project:
// kubernetes/apiextensions-apiserver:pkg/controller/apiapproval/apiapproval_controller.go.
func approvalOf(crd *apiextensionsv1.CustomResourceDefinition) (approval apiextensionsv1.CustomResourceDefinitionCondition, protected bool) {
	if !apihelpers.IsProtectedCommunityGroup(crd.Spec.Group) {
		return apiextensionsv1.CustomResourceDefinitionCondition{}, false
	}
	state, message := apihelpers.GetAPIApprovalState(crd.Annotations)
	approval = apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.KubernetesAPIApprovalPolicyConformant, Status: apiextensionsv1.ConditionFalse, Message: message,
	}
	switch state {
	case apihelpers.APIApproved:
		approval.Status, approval.Reason = apiextensionsv1.ConditionTrue, "ApprovedAnnotation"
	case apihelpers.APIApprovalBypassed:
		approval.Reason = "UnapprovedAnnotation"
	case apihelpers.APIApprovalMissing:
		approval.Reason = "MissingAnnotation"
	default:
		approval.Reason = "InvalidAnnotation"
	}
	return approval, true
}

// holds makes a condition true, and reports whether it was not.
func holds(crd *apiextensionsv1.CustomResourceDefinition, kind apiextensionsv1.CustomResourceDefinitionConditionType, reason, message string, now metav1.Time) bool {
	if apihelpers.IsCRDConditionTrue(crd, kind) {
		return false
	}
	return set(crd, apiextensionsv1.CustomResourceDefinitionCondition{Type: kind, Status: apiextensionsv1.ConditionTrue, Reason: reason, Message: message}, now)
}

// set gives a condition to a definition, and reports whether it was another one. The time is that of the
// last change of status.
func set(crd *apiextensionsv1.CustomResourceDefinition, condition apiextensionsv1.CustomResourceDefinitionCondition, now metav1.Time) bool {
	condition.LastTransitionTime = now
	old := apihelpers.FindCRDCondition(crd, condition.Type)
	if old == nil {
		crd.Status.Conditions = append(crd.Status.Conditions, condition)
		return true
	}
	if apihelpers.IsCRDConditionEquivalent(old, &condition) {
		return false
	}
	if old.Status == condition.Status {
		condition.LastTransitionTime = old.LastTransitionTime
	}
	*old = condition
	return true
}
