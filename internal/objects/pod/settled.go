// kubernetes/kubernetes:pkg/apis/core/v1/defaults.go

package pod

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// IsSettled reports whether neither the defaults of a pod nor its internal version would change it. It may return
// false for such a pod, but never true for another: it only knows typical pods, and has to be fast. Without it,
// creating a Pod takes 1.12 times as long (BenchmarkPodCreate of package simulator).
func IsSettled(p *corev1.Pod, r *kubeversion.Release) bool {
	s := &p.Spec
	switch {
	case r.Enabled("H2CContainerProbe"),
		s.DNSPolicy == "", s.RestartPolicy == "", s.SchedulerName == "",
		s.SecurityContext == nil, s.EnableServiceLinks == nil,
		s.TerminationGracePeriodSeconds == nil || *s.TerminationGracePeriodSeconds < 0,
		s.ServiceAccountName != s.DeprecatedServiceAccount,
		s.HostNetwork, s.Overhead != nil, s.Resources != nil, len(s.EphemeralContainers) > 0:
		return false
	}
	if st := &p.Status; st.PodIP != "" || len(st.PodIPs)+len(st.InitContainerStatuses)+len(st.ContainerStatuses)+len(st.EphemeralContainerStatuses) > 0 {
		return false
	}
	return !rules.HasInitContainerAnnotations(p.Annotations) &&
		all(s.Volumes, isSettledVolume) && all(s.InitContainers, isSettledContainer) && all(s.Containers, isSettledContainer)
}

func all[T any](list []T, ok func(*T) bool) bool {
	for i := range list {
		if !ok(&list[i]) {
			return false
		}
	}
	return true
}

func isSettledContainer(c *corev1.Container) bool {
	r := &c.Resources
	for name := range r.Limits {
		if !rules.Has(r.Requests, name) {
			return false
		}
	}
	return c.ImagePullPolicy != "" && c.TerminationMessagePath != "" && c.TerminationMessagePolicy != "" &&
		c.Lifecycle == nil && isWhole(r.Limits) && isWhole(r.Requests) &&
		all(c.Ports, func(p *corev1.ContainerPort) bool { return p.Protocol != "" }) &&
		all(c.Env, func(v *corev1.EnvVar) bool {
			return v.ValueFrom == nil || v.ValueFrom.FileKeyRef == nil && isSettledRef(v.ValueFrom.FieldRef)
		}) &&
		isSettledProbe(c.LivenessProbe) && isSettledProbe(c.ReadinessProbe) && isSettledProbe(c.StartupProbe)
}

// isWhole reports whether all quantities are multiples of a thousandth.
func isWhole(list corev1.ResourceList) bool {
	for _, q := range list {
		rounded := q.DeepCopy()
		if !rounded.RoundUp(resource.Milli) {
			return false
		}
	}
	return true
}

func isSettledRef(r *corev1.ObjectFieldSelector) bool { return r == nil || r.APIVersion != "" }

func isSettledProbe(p *corev1.Probe) bool {
	return p == nil || p.TimeoutSeconds != 0 && p.PeriodSeconds != 0 && p.SuccessThreshold != 0 && p.FailureThreshold != 0 &&
		p.GRPC == nil && (p.HTTPGet == nil || p.HTTPGet.Path != "" && p.HTTPGet.Scheme != "")
}

// isSettledVolume knows the sources that most volumes have.
func isSettledVolume(v *corev1.Volume) bool {
	other := v.VolumeSource
	other.EmptyDir, other.PersistentVolumeClaim, other.Secret, other.ConfigMap, other.Projected = nil, nil, nil, nil, nil
	if other != (corev1.VolumeSource{}) || v.VolumeSource == (corev1.VolumeSource{}) {
		return false
	}
	return (v.Secret == nil || v.Secret.DefaultMode != nil) &&
		(v.ConfigMap == nil || v.ConfigMap.DefaultMode != nil) &&
		(v.Projected == nil || v.Projected.DefaultMode != nil && all(v.Projected.Sources, isSettledProjection))
}

func isSettledProjection(p *corev1.VolumeProjection) bool {
	return (p.ServiceAccountToken == nil || p.ServiceAccountToken.ExpirationSeconds != nil) &&
		(p.DownwardAPI == nil || all(p.DownwardAPI.Items, func(f *corev1.DownwardAPIVolumeFile) bool { return isSettledRef(f.FieldRef) }))
}
