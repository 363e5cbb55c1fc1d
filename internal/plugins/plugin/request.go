package plugin

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// Concerns reports whether the request is for the resource itself, not for a subresource.
func Concerns(req admission.Request, group, resource string) bool {
	return req.Subresource == "" && req.Resource.Resource == resource && req.Resource.Group == group
}

// ObjectOf returns the object of the request as its Go type. The server has messages for objects of another type than
// the request names. That cannot happen in the server nor here: it would be a bug in how the request was built.
func ObjectOf[T runtime.Object](req admission.Request) (T, error) {
	return typed[T](req, req.Object)
}

// OldObjectOf is [ObjectOf] for the old object.
func OldObjectOf[T runtime.Object](req admission.Request) (T, error) {
	return typed[T](req, req.OldObject)
}

func typed[T runtime.Object](req admission.Request, object runtime.Object) (T, error) {
	t, ok := object.(T)
	if !ok {
		return t, fmt.Errorf("a request for %s has an object of type %T", req.Resource.Resource, object)
	}
	return t, nil
}

// ConcernsSub is [Concerns] for a subresource.
func ConcernsSub(req admission.Request, group, resource, subresource string) bool {
	return req.Subresource == subresource && req.Resource.Resource == resource && req.Resource.Group == group
}

// OwnForbidden returns the refusal of the few plugins that use the pod's own name, which is still empty if it is to be
// generated (ER-03).
func OwnForbidden(req admission.Request, pod *corev1.Pod, text string) *metav1.Status {
	return admission.StatusOf(apierrors.NewForbidden(req.Resource.GroupResource(), pod.Name, errors.New(text)))
}
