package subresources

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ValidateBinding returns what is wrong with a binding.
func ValidateBinding(b *corev1.Binding, r *kubeversion.Release) field.ErrorList {
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

// Bind writes the node into the pod, along with the metadata of the binding.
func Bind(pod *corev1.Pod, b *corev1.Binding, r *kubeversion.Release, now time.Time) error {
	if why := unbindable(pod); why != nil {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, why)
	}
	objects.Assign(pod, b, r)
	setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, now)
	return nil
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

// setCondition sets one condition of a pod. Its transition time only changes with its status.
func setCondition(pod *corev1.Pod, c corev1.PodCondition, now time.Time) {
	c.LastTransitionTime = metav1.NewTime(now)
	for i, old := range pod.Status.Conditions {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		pod.Status.Conditions[i] = c
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
}
