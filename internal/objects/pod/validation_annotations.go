// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	seccompOfPod       = "seccomp.security.alpha.kubernetes.io/pod"
	seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/"
	seccompDocker      = "docker/default"
	seccompUnconfined  = "unconfined"
	seccompLocal       = "localhost/"
	appArmorOf         = corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix
)

const deletionCost rules.Excuse = "deletion costs that are numbers"

// Annotations checks the annotations of pods and templates that have a meaning.
func Annotations(a map[string]string, s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for key, value := range rules.Sorted(a) {
		switch {
		case key == corev1.MirrorPodAnnotationKey:
			errs.Add(rules.Unless(s.NodeName != "", at.Key(key), value, "must set spec.nodeName if mirror pod annotation is set"))
		case key == corev1.TolerationsAnnotationKey && value != "":
			errs.Add(annotatedTolerations(value, at, r))
		case key == corev1.PodDeletionCost && !r.Release.Has(kubeversion.DeletionCostsChecked):
		case key == corev1.PodDeletionCost:
			errs.Add(deletionCost.Of(rules.Unless(isDeletionCost(value), at.Key(key), value, "must be a 32bit integer")))
		case key == seccompOfPod, strings.HasPrefix(key, seccompOfContainer):
			errs.Add(SeccompAnnotation(value, at.Child(key)))
		case strings.HasPrefix(key, appArmorOf):
			container := strings.TrimPrefix(key, appArmorOf)
			errs.Add(rules.Unless(HasContainer(s, container) || hasEphemeral(s, container), at.Key(key), container, "container not found"))
			known := value == "" || appArmorProfile(value) != nil || value == corev1.DeprecatedAppArmorBetaProfileNamePrefix
			errs.Add(rules.Unless(known, at.Key(key), value, fmt.Sprintf("invalid AppArmor profile name: %q", value)))
		}
	}
	return errs.List()
}

// annotatedTolerations checks the annotation that preceded the tolerations field.
func annotatedTolerations(text string, at *field.Path, r rules.Request) field.ErrorList {
	const key = corev1.TolerationsAnnotationKey
	var list []corev1.Toleration
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return field.ErrorList{field.Invalid(at, key, strings.ReplaceAll(err.Error(), "v1.Toleration", "core.Toleration"))}
	}
	return Tolerations(list, ComparesTaints(r), r.Release, at.Child(key))
}

func hasEphemeral(s *corev1.PodSpec, name string) bool {
	for _, c := range s.EphemeralContainers {
		if c.Name == name {
			return true
		}
	}
	return false
}

// isDeletionCost reports whether a text is a number as the server writes it.
func isDeletionCost(text string) bool {
	n, err := strconv.ParseInt(text, 10, 32)
	return err == nil && (strconv.FormatInt(n, 10) == text || strings.HasPrefix(text, "-"))
}

// SeccompAnnotation checks a seccomp profile that an annotation of a pod or a PodSecurityPolicy names.
func SeccompAnnotation(profile string, at *field.Path) field.ErrorList {
	switch profile {
	case corev1.SeccompProfileRuntimeDefault, seccompDocker, seccompUnconfined:
		return nil
	}
	if local, ok := strings.CutPrefix(profile, seccompLocal); ok {
		return pathWithin(local, at)
	}
	return field.ErrorList{field.Invalid(at, profile, "must be a valid seccomp profile")}
}

// SeccompAnnotations requires fields and the annotations that preceded them to agree.
func SeccompAnnotations(m *metav1.ObjectMeta, s *corev1.PodSpec, at *field.Path) field.ErrorList {
	if len(m.Annotations) == 0 {
		return nil
	}
	var errs rules.Errors
	check := func(key string, p *corev1.SeccompProfile, at *field.Path) {
		annotation, ok := m.Annotations[key]
		if !ok || p == nil {
			return
		}
		at = at.Child("securityContext", "seccompProfile")
		local, isLocal := strings.CutPrefix(annotation, seccompLocal)
		switch {
		case p.Type == corev1.SeccompProfileTypeUnconfined && annotation != seccompUnconfined,
			p.Type == corev1.SeccompProfileTypeRuntimeDefault && annotation != corev1.SeccompProfileRuntimeDefault && annotation != seccompDocker,
			p.Type == corev1.SeccompProfileTypeLocalhost && !isLocal:
			errs.Forbidden(at.Child("type"), "seccomp type in annotation and field must match")
		case p.Type == corev1.SeccompProfileTypeLocalhost && (p.LocalhostProfile == nil || *p.LocalhostProfile != local):
			errs.Forbidden(at.Child("localhostProfile"), "seccomp profile in annotation and field must match")
		}
	}
	if s.SecurityContext != nil {
		check(seccompOfPod, s.SecurityContext.SeccompProfile, at)
	}
	for _, c := range placedContainers(s, at) {
		if c.SecurityContext != nil {
			check(seccompOfContainer+c.Name, c.SecurityContext.SeccompProfile, c.at())
		}
	}
	return errs.List()
}

// AppArmorAnnotations requires the same for AppArmor, where it exists.
func AppArmorAnnotations(m *metav1.ObjectMeta, s *corev1.PodSpec, at *field.Path) field.ErrorList {
	if len(m.Annotations) == 0 || s.OS != nil && s.OS.Name == corev1.Windows {
		return nil
	}
	var errs rules.Errors
	for _, c := range placedContainers(s, at) {
		var p *corev1.AppArmorProfile
		if s.SecurityContext != nil {
			p = s.SecurityContext.AppArmorProfile
		}
		if c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil {
			p = c.SecurityContext.AppArmorProfile
		}
		annotation, ok := m.Annotations[appArmorOf+c.Name]
		if !ok || p == nil {
			continue
		}
		at := c.at().Child("securityContext", "appArmorProfile")
		local, isLocal := strings.CutPrefix(annotation, corev1.DeprecatedAppArmorBetaProfileNamePrefix)
		switch {
		case p.Type == corev1.AppArmorProfileTypeUnconfined && annotation != corev1.DeprecatedAppArmorBetaProfileNameUnconfined,
			p.Type == corev1.AppArmorProfileTypeRuntimeDefault && annotation != corev1.DeprecatedAppArmorBetaProfileRuntimeDefault,
			p.Type == corev1.AppArmorProfileTypeLocalhost && !isLocal:
			errs.Forbidden(at.Child("type"), "apparmor type in annotation and field must match")
		case p.Type == corev1.AppArmorProfileTypeLocalhost && (p.LocalhostProfile == nil || *p.LocalhostProfile != local):
			errs.Forbidden(at.Child("localhostProfile"), "apparmor profile in annotation and field must match")
		}
	}
	return errs.List()
}

// KeepsAnnotations checks the annotations of a pod that must no longer be changed.
func KeepsAnnotations(p, old *corev1.Pod, at *field.Path) field.ErrorList {
	var errs rules.Errors
	words := func(key string) string {
		switch {
		case strings.HasPrefix(key, appArmorOf):
			return "AppArmor annotations"
		case key == corev1.MirrorPodAnnotationKey:
			return "mirror pod annotation"
		}
		return ""
	}
	for key, value := range rules.Sorted(old.Annotations) {
		if now, ok := p.Annotations[key]; (!ok || now != value) && words(key) != "" {
			errs.Forbidden(at.Key(key), "may not remove or update "+words(key))
		}
	}
	for key := range rules.Sorted(p.Annotations) {
		if !rules.Has(old.Annotations, key) && words(key) != "" {
			errs.Forbidden(at.Key(key), "may not add "+words(key))
		}
	}
	return errs.List()
}
