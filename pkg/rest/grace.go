package rest

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A grace describes how much time an object has until it is deleted.
type grace struct {
	graceful    bool
	pending     bool // it is being deleted already, and this request does not speed that up
	terminating bool
	period      int64
}

// graceOf follows kubernetes/apiserver:pkg/registry/rest/delete.go, BeforeDelete. It sets the period in the options,
// which admission sees (W-018).
func (r *removal) graceOf(m metav1.Object) grace {
	pod, ok := r.object.(*corev1.Pod)
	if !ok {
		return grace{}
	}
	if m.GetDeletionTimestamp() != nil {
		left := m.GetDeletionGracePeriodSeconds()
		switch {
		case left == nil || *left == 0:
			return grace{}
		case r.options.GracePeriodSeconds == nil:
			r.options.GracePeriodSeconds = left
			return grace{pending: true}
		case *r.options.GracePeriodSeconds >= *left:
			return grace{pending: true}
		}
		return grace{graceful: true, terminating: true, period: *r.options.GracePeriodSeconds}
	}
	var period int64
	switch {
	case pod.Spec.NodeName == "", pod.Status.Phase == corev1.PodFailed, pod.Status.Phase == corev1.PodSucceeded:
	case r.options.GracePeriodSeconds != nil:
		period = *r.options.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		period = 1
	}
	r.options.GracePeriodSeconds = &period
	return grace{graceful: true, period: period}
}
