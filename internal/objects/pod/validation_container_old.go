// kubernetes/kubernetes@v1.24.17:pkg/apis/core/validation/validation.go

package pod

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// initContainersBefore is initContainers without the feature ContainersCheckedApart: init containers were first checked
// like regular ones.
func (k *podCheck) initContainersBefore(all []corev1.Container, at *field.Path) field.ErrorList {
	const never = "must not be set for init containers"
	var errs rules.Errors
	errs.Add(k.likeRegular(all, at))
	names := namesOf(k.spec.Containers)
	for i := range all {
		errs.Add(hostPorts(all[i:i+1], at)) // they run one after the other
	}
	for i, c := range all {
		at := rules.Nth(at, i)
		if names[c.Name] {
			errs.Duplicate(rules.Child(at, "name"), c.Name)
		}
		if c.Name != "" {
			names[c.Name] = true
		}
		if c.Lifecycle != nil {
			errs.Invalid(rules.Child(at, "lifecycle"), rules.AsInternal(c.Lifecycle), never)
		}
		for _, p := range []struct {
			name  string
			probe *corev1.Probe
		}{{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe}} {
			if p.probe != nil {
				errs.Invalid(rules.Child(at, p.name), rules.AsInternal(p.probe), never)
			}
		}
	}
	return errs.List()
}

// ephemeralContainerBefore checks the container of an ephemeral one without the feature ContainersCheckedApart: like the
// only one of a list of regular containers, and therefore with one more index in the paths of its errors. others holds
// the names of the containers before it. checked reports whether the container is to be checked further.
func (k *podCheck) ephemeralContainerBefore(e *corev1.EphemeralContainer, others map[string]bool, at *field.Path) (errs field.ErrorList, checked bool) {
	if e.TargetContainerName != "" && !others[e.TargetContainerName] {
		errs = append(errs, field.NotFound(rules.Child(at, "targetContainerName"), e.TargetContainerName))
	}
	if e.Name == "" {
		return append(errs, field.Required(at, "ephemeralContainer requires a name")), false
	}
	c := []corev1.Container{corev1.Container(e.EphemeralContainerCommon)}
	errs = append(errs, k.likeRegular(c, at)...)
	errs = append(errs, hostPorts(c, at)...)
	return append(errs, TrimmedImage(&c[0], rules.Nth(at, 0))...), true
}
