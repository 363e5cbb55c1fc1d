package subresources

import (
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// MarkEvicted writes into the pod why it will be deleted.
func MarkEvicted(pod *corev1.Pod, now time.Time) {
	setCondition(pod, corev1.PodCondition{
		Type:    corev1.DisruptionTarget,
		Status:  corev1.ConditionTrue,
		Reason:  "EvictionByEvictionAPI",
		Message: "Eviction API: evicting",
	}, now)
}

// tooManyDisrupted is the number of pods above which a budget refuses further evictions.
const tooManyDisrupted = 2000

// SpendBudget takes one disruption off the budget that counts the pod, and returns the budget as it then is; nil if no
// budget counts the pod (PL-22).
func (r Request) SpendBudget(pod *corev1.Pod, now time.Time) (*policyv1.PodDisruptionBudget, error) {
	if Disrupted(pod) {
		return nil, nil
	}
	budgets := r.budgetsOf(pod)
	if len(budgets) == 0 {
		return nil, nil
	}
	if len(budgets) > 1 {
		return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
			Status:  metav1.StatusFailure,
			Code:    500,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		}}
	}
	budget := budgets[0]
	if !ready(pod) && sparesUnhealthy(budget) {
		return nil, nil
	}
	if err := r.allowsDisruption(budget); err != nil {
		return nil, err
	}
	return spent(budget.DeepCopy(), pod.Name, metav1.NewTime(now)), nil
}

// spent counts one more pod that is being evicted.
func spent(b *policyv1.PodDisruptionBudget, pod string, now metav1.Time) *policyv1.PodDisruptionBudget {
	b.Status.DisruptionsAllowed--
	if b.Status.DisruptionsAllowed == 0 {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
			Type:               policyv1.DisruptionAllowedCondition,
			Status:             metav1.ConditionFalse,
			Reason:             policyv1.InsufficientPodsReason,
			ObservedGeneration: b.Status.ObservedGeneration,
			LastTransitionTime: now,
		})
	}
	if b.Status.DisruptedPods == nil {
		b.Status.DisruptedPods = map[string]metav1.Time{}
	}
	b.Status.DisruptedPods[pod] = now
	return b
}

// Disrupted reports whether the pod does not count for any budget any more, or not yet.
func Disrupted(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending:
		return true
	}
	return pod.DeletionTimestamp != nil
}

func (r Request) budgetsOf(pod *corev1.Pod) (budgets []*policyv1.PodDisruptionBudget) {
	for kept := range objects.Cached(r.State, r.Release).List(schema.GroupKind{Group: policyv1.GroupName, Kind: "PodDisruptionBudget"}, pod.Namespace) {
		if budget, ok := kept.Object.(*policyv1.PodDisruptionBudget); ok && covers(budget, pod) {
			budgets = append(budgets, budget)
		}
	}
	return budgets
}

// allowsDisruption returns an error if the budget does not allow one more disruption.
func (r Request) allowsDisruption(b *policyv1.PodDisruptionBudget) error {
	forbidden := func(why, cause string) error {
		err := apierrors.NewForbidden(schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}, b.Name, errors.New(why))
		if r.Release.Has(kubeversion.RefusedEvictionsHaveCauses) {
			causedByBudget(err, fmt.Sprintf("The disruption budget %s does not allow evicting pods currently: %s", b.Name, cause))
		}
		return err
	}
	switch s := b.Status; {
	case s.ObservedGeneration < b.Generation:
		return violates(10, fmt.Sprintf("The disruption budget %s is still being processed by the server.", b.Name))
	case s.DisruptionsAllowed < 0:
		return forbidden("pdb disruptions allowed is negative", "pdb disruptions allowed is negative")
	case len(s.DisruptedPods) > tooManyDisrupted:
		return forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller", "too many pending evictions not confirmed by PDB controller")
	case s.DisruptionsAllowed == 0:
		return violates(0, whyExhausted(b, r.Release))
	}
	return nil
}

func violates(retryAfter int, cause string) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", retryAfter)
	causedByBudget(err, cause)
	return err
}

func causedByBudget(err *apierrors.StatusError, cause string) {
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Type: policyv1.DisruptionBudgetCause, Message: cause})
}

// covers reports whether the pod belongs to the budget. A budget without a selector, or with an invalid one, has no
// pods.
func covers(b *policyv1.PodDisruptionBudget, pod *corev1.Pod) bool {
	selector, err := metav1.LabelSelectorAsSelector(b.Spec.Selector)
	return err == nil && !selector.Empty() && selector.Matches(labels.Set(pod.Labels))
}

func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// sparesUnhealthy reports whether a pod that is not ready may be evicted without being counted.
func sparesUnhealthy(b *policyv1.PodDisruptionBudget) bool {
	if p := b.Spec.UnhealthyPodEvictionPolicy; p != nil && *p == policyv1.AlwaysAllow {
		return true
	}
	return b.Status.CurrentHealthy >= b.Status.DesiredHealthy && b.Status.DesiredHealthy > 0
}

// whyExhausted explains why a valid budget allows no disruption. If its controller failed, its numbers mean nothing; up
// to 1.34 the message contained only these.
func whyExhausted(b *policyv1.PodDisruptionBudget, r *kubeversion.Release) string {
	c := meta.FindStatusCondition(b.Status.Conditions, policyv1.DisruptionAllowedCondition)
	explained := c != nil && c.Status == metav1.ConditionFalse && c.Message != ""
	denied := fmt.Sprintf("The disruption budget %s does not allow evicting pods currently", b.Name)
	needs := fmt.Sprintf("The disruption budget %s needs %d healthy pods and has %d currently", b.Name, b.Status.DesiredHealthy, b.Status.CurrentHealthy)
	switch {
	case !r.Has(kubeversion.BudgetConditionsInErrors):
		return needs
	case explained && c.Reason == policyv1.SyncFailedReason:
		return denied + " because it failed sync: " + c.Message
	case b.Status.CurrentHealthy <= b.Status.DesiredHealthy:
		return needs
	case explained:
		return fmt.Sprintf("%s (%s): %s", denied, c.Reason, c.Message)
	}
	return denied
}
