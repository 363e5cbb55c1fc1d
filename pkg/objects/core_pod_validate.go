package objects

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePod checks a pod, which on create may not have what is only for running ones.
func validatePod(p *corev1.Pod, r request) field.ErrorList {
	at := field.NewPath("spec")
	errs := validatePodSpec(&p.Spec, at, true)
	if p.ResourceVersion != "" { // it is there already
		return errs
	}
	if len(p.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(at.Child("ephemeralContainers"), "cannot be set on create"))
	}
	if p.Spec.NodeName != "" && len(p.Spec.SchedulingGates) > 0 {
		errs = append(errs, field.Forbidden(at.Child("nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	return errs
}
