package security

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Policies have their rules for profiles in annotations, as pods had their profiles.
const (
	seccompPodAnnotation        = "seccomp.security.alpha.kubernetes.io/pod"
	seccompContainerAnnotations = "container.seccomp.security.alpha.kubernetes.io/"
	seccompDefaultAnnotation    = "seccomp.security.alpha.kubernetes.io/defaultProfileName"
	seccompAllowedAnnotation    = "seccomp.security.alpha.kubernetes.io/allowedProfileNames"

	appArmorContainerAnnotations = "container.apparmor.security.beta.kubernetes.io/"
	appArmorDefaultAnnotation    = "apparmor.security.beta.kubernetes.io/defaultProfileName"
	appArmorAllowedAnnotation    = "apparmor.security.beta.kubernetes.io/allowedProfileNames"

	localProfile = "localhost/"
)

// fillInSeccomp gives the pod the default profile of the policy. Since 1.19 it also sets the field (PSP-23).
func fillInSeccomp(policy *builtin.PodSecurityPolicy, pod *corev1.Pod, release *kubeversion.Release) {
	profile := podSeccomp(pod, release)
	if profile == "" {
		profile = policy.Annotations[seccompDefaultAnnotation]
	}
	if profile == "" {
		return
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[seccompPodAnnotation] = profile
	if release.Has(kubeversion.SeccompFields) && pod.Spec.SecurityContext.SeccompProfile == nil {
		pod.Spec.SecurityContext.SeccompProfile = seccompField(profile)
	}
}

func podSeccomp(pod *corev1.Pod, release *kubeversion.Release) string {
	if profile := pod.Annotations[seccompPodAnnotation]; profile != "" {
		return profile
	}
	if release.Has(kubeversion.SeccompFields) && pod.Spec.SecurityContext != nil {
		return seccompName(pod.Spec.SecurityContext.SeccompProfile)
	}
	return ""
}

// containerSeccomp returns the profile of a container, or else that of its pod.
func containerSeccomp(pod *corev1.Pod, c *corev1.Container, release *kubeversion.Release) string {
	if profile, ok := pod.Annotations[seccompContainerAnnotations+c.Name]; ok {
		return profile
	}
	if release.Has(kubeversion.SeccompFields) && c.SecurityContext != nil && c.SecurityContext.SeccompProfile != nil {
		return seccompName(c.SecurityContext.SeccompProfile)
	}
	return podSeccomp(pod, release)
}

// seccompName returns the annotation value for a field.
func seccompName(p *corev1.SeccompProfile) string {
	switch {
	case p == nil:
		return ""
	case p.Type == corev1.SeccompProfileTypeUnconfined:
		return "unconfined"
	case p.Type == corev1.SeccompProfileTypeRuntimeDefault:
		return "runtime/default"
	case p.Type == corev1.SeccompProfileTypeLocalhost && p.LocalhostProfile != nil:
		return localProfile + *p.LocalhostProfile
	}
	return ""
}

func seccompField(name string) *corev1.SeccompProfile {
	switch file, isLocal := strings.CutPrefix(name, localProfile); {
	case name == "unconfined":
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined}
	case name == "runtime/default", name == "docker/default":
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	case isLocal && file != "":
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &file}
	}
	return nil
}

// seccompAt checks the profile of a pod or of a container against the policy (PSP-52).
func (v *violations) seccompAt(key, profile string) {
	list, restricted := v.policy.Annotations[seccompAllowedAnnotation]
	allowed := strings.Split(list, ",")
	if !restricted {
		allowed = nil
	}
	named := slices.DeleteFunc(slices.Clone(allowed), func(p string) bool { return p == "*" })
	at := "pod.metadata.annotations[" + key + "]"
	switch {
	case len(named) < len(allowed), slices.Contains(named, profile), len(named) == 0 && profile == "":
	case len(named) == 0:
		v.forbidden(at, "seccomp may not be set")
	default:
		v.forbidden(at, fmt.Sprintf("%s is not an allowed seccomp profile. Valid values are %s", profile, list))
	}
}

// fillInAppArmor gives a container the default profile of the policy (PSP-33).
func fillInAppArmor(policy *builtin.PodSecurityPolicy, pod *corev1.Pod, c *corev1.Container) {
	key := appArmorContainerAnnotations + c.Name
	profile := policy.Annotations[appArmorDefaultAnnotation]
	if pod.Annotations[key] != "" || profile == "" {
		return
	}
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[key] = profile
}

func (v *violations) appArmor(pod *corev1.Pod, c *corev1.Container) {
	list, restricted := v.policy.Annotations[appArmorAllowedAnnotation]
	if !restricted {
		return
	}
	profile := pod.Annotations[appArmorContainerAnnotations+c.Name]
	at := "pod.metadata.annotations[" + appArmorContainerAnnotations + c.Name + "]"
	switch {
	case profile == "":
		v.forbidden(at, "AppArmor profile must be set")
	case !slices.Contains(strings.Split(list, ","), profile):
		v.forbidden(at, fmt.Sprintf("%s is not an allowed profile. Allowed values: %q", profile, list))
	}
}
