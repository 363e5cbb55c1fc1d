package change

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A Grace describes how much time an object has until it is deleted.
type Grace struct {
	Graceful    bool
	Pending     bool // it is being deleted already, and this request does not speed that up
	Terminating bool
	Period      int64 // in seconds
}

// GraceOf follows kubernetes/apiserver:pkg/registry/rest/delete.go, BeforeDelete. It sets the period in the options,
// which admission sees (W-018).
func GraceOf(o runtime.Object, options *metav1.DeleteOptions) Grace {
	pod, ok := o.(*corev1.Pod)
	if !ok {
		return Grace{}
	}
	if pod.DeletionTimestamp != nil {
		left := pod.DeletionGracePeriodSeconds
		switch {
		case left == nil || *left == 0:
			return Grace{}
		case options.GracePeriodSeconds == nil:
			options.GracePeriodSeconds = left
			return Grace{Pending: true}
		case *options.GracePeriodSeconds >= *left:
			return Grace{Pending: true}
		}
		return Grace{Graceful: true, Terminating: true, Period: *options.GracePeriodSeconds}
	}
	var period int64
	switch {
	case pod.Spec.NodeName == "", pod.Status.Phase == corev1.PodFailed, pod.Status.Phase == corev1.PodSucceeded:
	case options.GracePeriodSeconds != nil:
		period = *options.GracePeriodSeconds
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		period = 1
	}
	options.GracePeriodSeconds = &period
	return Grace{Graceful: true, Period: period}
}
