package rest

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
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
	if errs := validateBinding(binding, x.server.release()); len(errs) > 0 {
		return nil, refuse(errs.ToAggregate()) // no status: a plain 500
	}
	if err := x.validateAs(ctx, a, binding); err != nil {
		return nil, err
	}
	return success(), x.place(binding)
}

func validateBinding(b *corev1.Binding, r *kubeversion.Release) field.ErrorList {
	var errs field.ErrorList
	target := field.NewPath("target")
	name := b.Target.Name
	if kind := b.Target.Kind; kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(target.Child("kind"), kind, []string{"Node", "<empty>"}))
	}
	switch {
	case name == "":
		errs = append(errs, field.Required(target.Child("name"), ""))
	case len(errs) == 0 && r.Has(kubeversion.TargetNodesChecked):
		for _, message := range validation.NameIsDNSSubdomain(name, false) {
			errs = append(errs, field.Invalid(target.Child("name"), name, message))
		}
	}
	return errs
}

// place writes the node into the pod, along with the metadata of the binding.
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
	if why := unbindable(pod); why != nil {
		return refuse(apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, why))
	}
	objects.Assign(pod, b, x.server.release())
	x.setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return x.keepPod(pod, kept)
}

func unbindable(pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return fmt.Errorf("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	return nil
}
