// kubernetes/apiextensions-apiserver:pkg/controller/status/naming_controller.go

package crd

import (
	"fmt"
	"iter"
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/admsim/admsim/internal/semantic"
)

// Settled returns a definition as the server's controllers leave it: names that no other definition of its group has
// are accepted, the definition is established, and it says whether the Kubernetes project approved it. all are the
// definitions of the cluster. Settled returns crd itself if these controllers have nothing to do.
func Settled(crd *apiextensionsv1.CustomResourceDefinition, all iter.Seq[*apiextensionsv1.CustomResourceDefinition], now metav1.Time) *apiextensionsv1.CustomResourceDefinition {
	next := crd.DeepCopy()
	changed := acceptNames(next, all, now)
	changed = establish(next, now) || changed
	if approval, protected := approvalOf(crd); protected {
		changed = set(next, approval, now) || changed
	}
	if !changed {
		return crd
	}
	return next
}

// acceptNames accepts the names of a definition that are free, and sets the condition that says whether all of them
// are. It reports whether that changed anything.
func acceptNames(crd *apiextensionsv1.CustomResourceDefinition, all iter.Seq[*apiextensionsv1.CustomResourceDefinition], now metav1.Time) bool {
	if semantic.DeepEqual(crd.Spec.Names, crd.Status.AcceptedNames) {
		return false
	}
	resources, kinds := namesInGroup(crd.Spec.Group, all)
	accepted, condition := decideNames(crd, resources, kinds)
	old := apihelpers.FindCRDCondition(crd, apiextensionsv1.NamesAccepted)
	if reflect.DeepEqual(crd.Status.AcceptedNames, accepted) && apihelpers.IsCRDConditionEquivalent(&condition, old) {
		return false
	}
	crd.Status.AcceptedNames = accepted
	set(crd, condition, now)
	if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
		set(crd, notYetEstablished(crd, condition.Status), now)
	}
	return true
}

// namesInGroup returns the names of resources and kinds of the definitions of a group.
func namesInGroup(group string, all iter.Seq[*apiextensionsv1.CustomResourceDefinition]) (resources, kinds sets.Set[string]) {
	resources, kinds = sets.New[string](), sets.New[string]()
	for other := range all {
		if other.Spec.Group == group {
			names := other.Status.AcceptedNames
			resources.Insert(names.Plural, names.Singular).Insert(names.ShortNames...)
			kinds.Insert(names.Kind, names.ListKind)
		}
	}
	return resources, kinds
}

// decideNames returns the names that a definition has from now on, and the condition that says whether these are all
// the names that it wants. If there are several conflicts, the last one is reported.
func decideNames(crd *apiextensionsv1.CustomResourceDefinition, resources, kinds sets.Set[string]) (apiextensionsv1.CustomResourceDefinitionNames, apiextensionsv1.CustomResourceDefinitionCondition) {
	wanted, has := crd.Spec.Names, crd.Status.AcceptedNames
	accepted := has
	condition := apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue, Reason: "NoConflicts", Message: "no conflicts found",
	}
	refuse := func(reason, message string) {
		condition.Status, condition.Reason, condition.Message = apiextensionsv1.ConditionFalse, reason, message
	}
	take := func(name *string, wanted string, used sets.Set[string], reason string) {
		if wanted != *name && used.Has(wanted) {
			refuse(reason, inUse(wanted).Error())
			return
		}
		*name = wanted
	}
	take(&accepted.Plural, wanted.Plural, resources, "PluralConflict")
	take(&accepted.Singular, wanted.Singular, resources, "SingularConflict")
	if errs := shortNamesInUse(wanted.ShortNames, has.ShortNames, resources); errs != nil {
		refuse("ShortNamesConflict", errs.Error())
	} else {
		accepted.ShortNames = wanted.ShortNames
	}
	take(&accepted.Kind, wanted.Kind, kinds, "KindConflict")
	take(&accepted.ListKind, wanted.ListKind, kinds, "ListKindConflict")
	accepted.Categories = wanted.Categories
	return accepted, condition
}

func shortNamesInUse(wanted, has []string, used sets.Set[string]) utilerrors.Aggregate {
	var errs []error
	for _, name := range wanted {
		if !slices.Contains(has, name) && used.Has(name) {
			errs = append(errs, inUse(name))
		}
	}
	return utilerrors.NewAggregate(errs)
}

func inUse(name string) error { return fmt.Errorf("%q is already in use", name) }

// notYetEstablished returns the condition of a definition before [establish] has looked at it.
func notYetEstablished(crd *apiextensionsv1.CustomResourceDefinition, accepted apiextensionsv1.ConditionStatus) apiextensionsv1.CustomResourceDefinitionCondition {
	condition := apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionFalse, Reason: "NotAccepted", Message: "not all names are accepted",
	}
	if accepted == apiextensionsv1.ConditionTrue {
		condition.Reason, condition.Message = "Installing", "the initial names have been accepted"
	} else if old := apihelpers.FindCRDCondition(crd, apiextensionsv1.Established); old != nil {
		condition = *old
	}
	return condition
}

// establish marks a definition as served once its names are accepted:
// kubernetes/apiextensions-apiserver:pkg/controller/establish/establishing_controller.go.
func establish(crd *apiextensionsv1.CustomResourceDefinition, now metav1.Time) bool {
	if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.NamesAccepted) || apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
		return false
	}
	condition := apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted",
	}
	if c := crd.Spec.Conversion; c != nil && c.Webhook != nil && c.Webhook.ClientConfig != nil && len(readableBundle(c.Webhook.ClientConfig.CABundle, nil)) > 0 {
		condition.Status, condition.Reason, condition.Message = apiextensionsv1.ConditionFalse, "InvalidCABundle", "The conversion webhook CABundle is invalid"
	}
	return set(crd, condition, now)
}

// approvalOf returns the condition of definitions in groups of the Kubernetes project:
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

// set sets a condition of a definition, and reports whether this changed it. The time is that of the last change of the
// status.
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
