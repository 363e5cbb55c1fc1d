package rest

import (
	"context"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

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

// writeBudget counts one more pod that is being evicted. The server does this with a request to itself, which is
// admitted like any other, in the API version that it uses for evictions.
func (x *exchange) writeBudget(ctx context.Context, b *policyv1.PodDisruptionBudget, pod string) error {
	b.Status.DisruptionsAllowed--
	if b.Status.DisruptionsAllowed == 0 {
		meta.SetStatusCondition(&b.Status.Conditions, metav1.Condition{
			Type:               policyv1.DisruptionAllowedCondition,
			Status:             metav1.ConditionFalse,
			Reason:             policyv1.InsufficientPodsReason,
			ObservedGeneration: b.Status.ObservedGeneration,
			LastTransitionTime: metav1.NewTime(x.server.Now()),
		})
	}
	if x.dryRun() {
		return nil
	}
	if b.Status.DisruptedPods == nil {
		b.Status.DisruptedPods = map[string]metav1.Time{}
	}
	b.Status.DisruptedPods[pod] = metav1.NewTime(x.server.Now())
	version := x.kind.GroupVersion()
	written, err := x.server.Types.Convert(b, version.WithKind("PodDisruptionBudget"))
	if err != nil {
		return err
	}
	body, err := x.server.Types.Encode(written)
	if err != nil {
		return err
	}
	return x.asServer(ctx, Request{
		Verb:        Update,
		Resource:    version.WithResource("poddisruptionbudgets"),
		Subresource: "status",
		Namespace:   b.Namespace,
		Name:        b.Name,
		Body:        body,
	})
}

// asServer sends a request that the server itself makes to serve this one. Its admissions are part of the record; its
// warnings and annotations are not for the client.
func (x *exchange) asServer(ctx context.Context, req Request) error {
	req.User = admission.APIServer()
	response, err := x.server.Do(ctx, x.state, req)
	if err != nil {
		return err
	}
	x.admissions = append(x.admissions, response.Admissions...)
	x.state = response.State
	if response.Code >= http.StatusBadRequest {
		return &refusal{code: response.Code, body: response.Object}
	}
	return nil
}
