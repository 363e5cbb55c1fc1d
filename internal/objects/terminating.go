// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go

package objects

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// IsTerminating reports whether a definition is terminating, so that its custom resources cannot be created.
func IsTerminating(crd *apiextensionsv1.CustomResourceDefinition, r *kubeversion.Release) bool {
	if crd.DeletionTimestamp != nil && r.Has(kubeversion.DeletionTerminates) {
		return true
	}
	at := slices.IndexFunc(crd.Status.Conditions, isTerminating)
	return at >= 0 && crd.Status.Conditions[at].Status == apiextensionsv1.ConditionTrue
}

// SetTerminating sets the Terminating condition of a definition. now is when that happens; the time of the condition only
// changes with its status.
func SetTerminating(crd *apiextensionsv1.CustomResourceDefinition, status apiextensionsv1.ConditionStatus, reason, message string, now metav1.Time) {
	terminating := apiextensionsv1.CustomResourceDefinitionCondition{
		Type: apiextensionsv1.Terminating, Status: status, Reason: reason, Message: message, LastTransitionTime: now,
	}
	at := slices.IndexFunc(crd.Status.Conditions, isTerminating)
	if at < 0 {
		crd.Status.Conditions = append(crd.Status.Conditions, terminating)
		return
	}
	if old := crd.Status.Conditions[at]; old.Status == terminating.Status && !old.LastTransitionTime.IsZero() {
		terminating.LastTransitionTime = old.LastTransitionTime
	}
	crd.Status.Conditions[at] = terminating
}

func isTerminating(c apiextensionsv1.CustomResourceDefinitionCondition) bool {
	return c.Type == apiextensionsv1.Terminating
}
