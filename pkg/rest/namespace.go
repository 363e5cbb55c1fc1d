package rest

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// removeNamespace deletes a namespace, which first terminates. The chain is called when termination starts, and when a
// namespace without finalizers is finally deleted (W-027).
func (r *removal) removeNamespace(ctx context.Context) (answer runtime.Object, gone bool, err error) {
	ns, ok := r.object.(*corev1.Namespace)
	if !ok {
		return nil, false, fmt.Errorf("namespace %s is a %T", r.name, r.object)
	}
	if err := r.requireThisObject(ns, "Precondition failed"); err != nil {
		return nil, false, err
	}
	switch {
	case ns.DeletionTimestamp == nil:
		answer, err := r.terminate(ctx, ns)
		return answer, false, err
	case len(ns.Spec.Finalizers) != 0 && !r.server.release().Has(kubeversion.NamespacesDeletedAgain):
		return nil, false, refuse(apierrors.NewConflict(r.req.Resource.GroupResource(), r.name, errors.New("The system is ensuring all content "+
			"is removed from this namespace.  Upon completion, this namespace will automatically be purged by the system.")))
	case len(ns.Spec.Finalizers) != 0:
		return ns, false, nil
	}
	return r.remove(ctx)
}

// requireThisObject makes sure that the options identify the object by its uid, which webhooks see (W-018). failed is
// the beginning of the server's error if they identify another object.
func (r *removal) requireThisObject(m metav1.Object, failed string) error {
	if r.options.Preconditions == nil {
		r.options.Preconditions = &metav1.Preconditions{}
	}
	conflict := func(what string, want, have any) error {
		return refuse(apierrors.NewConflict(r.req.Resource.GroupResource(), r.name,
			fmt.Errorf("%s: %s in precondition: %v, %s in object meta: %v", failed, what, want, what, have)))
	}
	p, uid, version := r.options.Preconditions, m.GetUID(), m.GetResourceVersion()
	if p.UID == nil {
		p.UID = &uid
	} else if *p.UID != uid {
		return conflict("UID", *p.UID, uid)
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != version {
		return conflict("ResourceVersion", *p.ResourceVersion, version)
	}
	return nil
}

func (r *removal) terminate(ctx context.Context, ns *corev1.Namespace) (runtime.Object, error) {
	if err := r.admit(ctx); err != nil {
		return nil, err
	}
	ns = ns.DeepCopy()
	now := metav1.NewTime(r.server.Now())
	ns.DeletionTimestamp = &now
	if ns.Generation > 0 {
		ns.Generation++
	}
	ns.Status.Phase = corev1.NamespaceTerminating
	ns.Finalizers = change.NamespaceFinalizers(ns.Finalizers, r.options)
	return r.keep(ns, r.kept)
}

// namespaceHeld reports whether object is a namespace that still has content.
func namespaceHeld(object runtime.Object) bool {
	ns, ok := object.(*corev1.Namespace)
	return ok && len(ns.Spec.Finalizers) > 0
}
