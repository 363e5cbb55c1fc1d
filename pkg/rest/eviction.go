package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// evict deletes a pod if its disruption budget allows it (PL-22). Only the eviction is admitted, not the deletion
// (W-328, W-039): kubernetes/kubernetes:pkg/registry/core/pod/storage/eviction.go.
func evict(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	eviction, err := bodyOf[*policyv1.Eviction](x, a)
	if err != nil {
		return nil, err
	}
	if eviction.Name != x.req.Name && x.server.release().Has(kubeversion.NamedBindings) {
		return nil, badRequest("name in URL does not match name in Eviction object")
	}
	if o := eviction.DeleteOptions; o != nil && o.IgnoreStoreReadErrorWithClusterBreakingPotential != nil && *o.IgnoreStoreReadErrorWithClusterBreakingPotential {
		return nil, x.refuseInvalid(policyv1.SchemeGroupVersion.WithKind("Eviction").GroupKind(), eviction.Name, field.ErrorList{
			field.Invalid(field.NewPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential"), true, "can not be set for pod eviction, try after removing the option")})
	}
	options, err := x.evictionOptions(eviction)
	if err != nil {
		return nil, err
	}
	if !x.server.release().Has(kubeversion.EvictionsAdmittedFirst) {
		if err := objects.CheckKey(eviction.Name); err != nil {
			return nil, refuse(err)
		}
		if _, _, err := x.podToWrite(eviction.Name); err != nil {
			return nil, err
		}
	}
	if err := x.validateAs(ctx, a, eviction); err != nil {
		return nil, err
	}
	if len(options.DryRun) > 0 {
		x.req.Query = withDryRun(x.req.Query, options.DryRun)
	}
	_, pod, err := x.podToWrite(eviction.Name)
	if err != nil {
		return nil, err
	}
	if !disrupted(pod) {
		if err := x.spendBudget(ctx, pod); err != nil {
			return nil, err
		}
	}
	return success(), x.evictPod(ctx, pod.Name, options)
}

// evictionOptions returns the options for deleting the pod. A dry run can be requested in the query and in the body,
// which must not contradict each other.
func (x *exchange) evictionOptions(e *policyv1.Eviction) (*metav1.DeleteOptions, error) {
	asked := x.req.Query["dryRun"]
	if e.DeleteOptions == nil {
		return &metav1.DeleteOptions{DryRun: asked}, nil
	}
	options := e.DeleteOptions.DeepCopy()
	switch {
	case len(options.DryRun) == 0:
		options.DryRun = asked
		e.DeleteOptions.DryRun = asked
	case len(asked) > 0 && !slices.Equal(asked, options.DryRun):
		return nil, plain("Non-matching dry-run options in request and content: %v and %v", asked, options.DryRun)
	}
	return options, nil
}

// disrupted reports whether the pod does not count for any budget any more, or not yet.
func disrupted(pod *corev1.Pod) bool {
	switch pod.Status.Phase {
	case corev1.PodSucceeded, corev1.PodFailed, corev1.PodPending:
		return true
	}
	return pod.DeletionTimestamp != nil
}

// evictPod writes into the pod why it is deleted, and deletes it.
func (x *exchange) evictPod(ctx context.Context, name string, options *metav1.DeleteOptions) error {
	if !x.dryRun() && x.server.release().Has(kubeversion.DisruptionConditions) {
		kept, pod, err := x.podToWrite(name)
		if err != nil {
			return err
		}
		if err := x.matchForEviction(pod, options.Preconditions); err != nil {
			return err
		}
		x.setCondition(pod, corev1.PodCondition{
			Type:    corev1.DisruptionTarget,
			Status:  corev1.ConditionTrue,
			Reason:  "EvictionByEvictionAPI",
			Message: "Eviction API: evicting",
		})
		if err := x.keepPod(pod, kept); err != nil {
			return err
		}
		if p := options.Preconditions; p != nil && p.ResourceVersion != nil {
			p.ResourceVersion = &pod.ResourceVersion // it was just changed above
		}
	}
	// An eviction checks last what a deletion checks first; the condition is already written by then.
	if err := x.valid("DeleteOptions", metav1validation.ValidateDeleteOptions(options)); err != nil {
		return err
	}
	kept, pod, err := x.podToWrite(name)
	if err != nil {
		return err
	}
	r := &removal{exchange: x, options: options, kept: kept, object: pod, name: name, admitted: true}
	_, _, err = r.remove(ctx)
	return err
}

func (x *exchange) matchForEviction(pod *corev1.Pod, p *metav1.Preconditions) error {
	return (&removal{exchange: x, object: pod, name: pod.Name, options: &metav1.DeleteOptions{Preconditions: p}}).checkPreconditions()
}

// tooManyDisrupted is the number of pods above which a budget refuses further evictions.
const tooManyDisrupted = 2000

// spendBudget takes one disruption off the budget of the pod, if a budget counts the pod.
func (x *exchange) spendBudget(ctx context.Context, pod *corev1.Pod) error {
	budgets := x.budgetsOf(pod)
	if len(budgets) == 0 {
		return nil
	}
	if len(budgets) > 1 {
		return refuseWith(&metav1.Status{
			Status:  metav1.StatusFailure,
			Code:    500,
			Message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
		})
	}
	budget := budgets[0]
	if !ready(pod) && sparesUnhealthy(budget) {
		return nil
	}
	if refused := x.allowsDisruption(budget); refused != nil {
		return refuse(refused)
	}
	return x.writeBudget(ctx, budget.DeepCopy(), pod.Name)
}

func (x *exchange) budgetsOf(pod *corev1.Pod) (budgets []*policyv1.PodDisruptionBudget) {
	for kept := range x.state.List(schema.GroupKind{Group: policyv1.GroupName, Kind: "PodDisruptionBudget"}, pod.Namespace) {
		if budget, ok := kept.Object.(*policyv1.PodDisruptionBudget); ok && covers(budget, pod) {
			budgets = append(budgets, budget)
		}
	}
	return budgets
}

// allowsDisruption returns an error if the budget does not allow one more disruption.
func (x *exchange) allowsDisruption(b *policyv1.PodDisruptionBudget) error {
	forbidden := func(why, cause string) error {
		err := apierrors.NewForbidden(schema.GroupResource{Group: policyv1.GroupName, Resource: "poddisruptionbudget"}, b.Name, errors.New(why))
		if x.server.release().Has(kubeversion.RefusedEvictionsHaveCauses) {
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
		return violates(0, whyExhausted(b, x.server.release()))
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
