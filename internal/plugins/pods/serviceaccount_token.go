package pods

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	tokenVolumePrefix = "kube-api-access-"
	tokenMountPath    = "/var/run/secrets/kubernetes.io/serviceaccount"

	// tokenSeconds is an hour and a few seconds: a number by which the server distinguishes these
	// tokens from others (kubernetes/kubernetes:pkg/serviceaccount/claims.go).
	tokenSeconds = 3607
	// plainTokenSeconds is an hour.
	plainTokenSeconds = 3600
)

// A tokenSource says where the containers of a pod get their account's token from.
type tokenSource struct {
	provides func(corev1.Volume) bool // is it the volume with the token?
	name     string                   // of the volume
	made     func(name string) corev1.Volume
}

// boundToken returns the source for a token that is made for the pod (SA-06, SA-08).
func (p ServiceAccount) boundToken() tokenSource {
	return tokenSource{
		provides: func(v corev1.Volume) bool { return strings.HasPrefix(v.Name, tokenVolumePrefix) },
		name:     tokenVolumePrefix,
		made: func(name string) corev1.Volume {
			return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{Projected: p.token()}}
		},
	}
}

// mount mounts the token into the containers of pod that have no mount in its place, and reports whether there were
// any. pod itself is a copy, but its lists are shared. An existing volume for the token is used, whoever added it
// (SA-06 to SA-08, SA-11).
func (t tokenSource) mount(pod *corev1.Pod, suffix func() string) bool {
	if !slices.ContainsFunc(pod.Spec.InitContainers, lacksToken) && !slices.ContainsFunc(pod.Spec.Containers, lacksToken) {
		return false
	}
	var name string
	if i := slices.IndexFunc(pod.Spec.Volumes, t.provides); i >= 0 {
		name = pod.Spec.Volumes[i].Name
	} else {
		name = t.freeName(pod, suffix)
		pod.Spec.Volumes = append(slices.Clip(pod.Spec.Volumes), t.made(name))
	}
	mount := corev1.VolumeMount{Name: name, ReadOnly: true, MountPath: tokenMountPath}
	pod.Spec.InitContainers = withTokenMount(pod.Spec.InitContainers, mount)
	pod.Spec.Containers = withTokenMount(pod.Spec.Containers, mount)
	return true
}

// freeName returns a name for the token's volume. The name for a bound token is never in use, since an existing volume
// with its prefix would have been used.
func (t tokenSource) freeName(pod *corev1.Pod, suffix func() string) string {
	switch {
	case t.name == tokenVolumePrefix:
		return t.name + suffix()
	case slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == t.name }):
		return t.name + "-" + suffix()
	}
	return t.name
}

func withTokenMount(containers []corev1.Container, mount corev1.VolumeMount) []corev1.Container {
	containers = slices.Clone(containers)
	for i, c := range containers {
		if lacksToken(c) {
			containers[i].VolumeMounts = append(slices.Clip(c.VolumeMounts), mount)
		}
	}
	return containers
}

func lacksToken(c corev1.Container) bool {
	return !slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == tokenMountPath })
}

// projectedToken returns the content of the volume. It is shared by all such volumes, since the contents of objects are never
// modified.
func projectedToken(r *kubeversion.Release) *corev1.ProjectedVolumeSource {
	mode, seconds := new(corev1.ProjectedVolumeSourceDefaultMode), int64(tokenSeconds)
	if !r.Has(kubeversion.TokenVolumeModes) {
		mode = nil
	}
	if !r.Has(kubeversion.TokensOfOddLength) {
		seconds = plainTokenSeconds
	}
	return &corev1.ProjectedVolumeSource{
		DefaultMode: mode,
		Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token", ExpirationSeconds: &seconds}},
			{ConfigMap: &corev1.ConfigMapProjection{
				LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"},
				Items:                []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
			}},
			{DownwardAPI: &corev1.DownwardAPIProjection{Items: []corev1.DownwardAPIVolumeFile{{
				Path:     "namespace",
				FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
			}}}},
		},
	}
}
