package rest

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/subresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// bind assigns a pod to a node (PL-22). The update of the pod is not admitted (W-039):
// kubernetes/kubernetes:pkg/registry/core/pod/storage/storage.go, BindingREST.
func bind(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	binding, err := bodyOf[*corev1.Binding](x, a)
	if err != nil {
		return nil, err
	}
	if x.req.Subresource != "" && binding.Name != x.req.Name && x.server.release().Has(kubeversion.NamedBindings) {
		return nil, badRequest("name in URL does not match name in Binding object")
	}
	if errs := subresources.ValidateBinding(binding, x.server.release()); len(errs) > 0 {
		return nil, refuse(errs.ToAggregate()) // no status: a plain 500
	}
	if err := x.validateAs(ctx, a, binding); err != nil {
		return nil, err
	}
	return success(), x.place(binding)
}

// place writes the pod with the node that the binding names.
func (x *exchange) place(b *corev1.Binding) error {
	if err := objects.CheckKey(b.Name); err != nil {
		return refuse(err)
	}
	kept, pod, err := x.podToWrite(b.Name)
	if err != nil {
		return err
	}
	if err := x.matchPreconditions(pod, metav1.Preconditions{UID: &b.UID, ResourceVersion: &b.ResourceVersion}); err != nil {
		return err
	}
	if err := subresources.Bind(pod, b, x.server.release(), x.server.Now()); err != nil {
		return refuse(err)
	}
	err = x.keepPod(pod, kept)
	if words, ok := tooLarge(err); ok {
		return refuse(apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, b.Name, words))
	}
	return err
}
