// kubernetes/kubernetes:pkg/registry/core/pod/strategy.go

package pod

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// SyncAppArmor synchronizes the profiles of containers and the annotations that preceded them:
// kubernetes/kubernetes:pkg/registry/core/pod/strategy.go.
func SyncAppArmor(p *corev1.Pod, r rules.Request) {
	if p.Spec.OS != nil && p.Spec.OS.Name == corev1.Windows {
		return
	}
	var ofPod *corev1.AppArmorProfile
	if p.Spec.SecurityContext != nil {
		ofPod = p.Spec.SecurityContext.AppArmorProfile
	}
	for _, c := range Containers(&p.Spec) {
		key := corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix + c.Name
		var own *corev1.AppArmorProfile
		if c.SecurityContext != nil {
			own = c.SecurityContext.AppArmorProfile
		}
		switch annotation, ok := p.Annotations[key]; {
		case !ok && own != nil && !r.Release.Has(kubeversion.AppArmorAnnotationsGone):
			annotateAppArmor(p, key, own)
		case !ok && ofPod != nil && !r.Release.Has(kubeversion.AppArmorAnnotationsGone):
			annotateAppArmor(p, key, ofPod)
		case ok && own == nil:
			profile := appArmorProfile(annotation)
			if len(validateAppArmor(profile, nil)) > 0 {
				profile = nil
			}
			if profile != nil && semantic.DeepEqual(profile, ofPod) {
				continue
			}
			if r.Warn != nil { // before the field is set, which would hide that it was missing
				r.Warn(replacedBy(key, "deprecated since v1.30", "appArmorProfile"))
			}
			if profile == nil {
				continue
			}
			rules.SetDefault(&c.SecurityContext, corev1.SecurityContext{})
			c.SecurityContext.AppArmorProfile = profile
		}
	}
}

func annotateAppArmor(p *corev1.Pod, key string, profile *corev1.AppArmorProfile) {
	value := ""
	switch profile.Type {
	case corev1.AppArmorProfileTypeUnconfined:
		value = corev1.DeprecatedAppArmorBetaProfileNameUnconfined
	case corev1.AppArmorProfileTypeRuntimeDefault:
		value = corev1.DeprecatedAppArmorBetaProfileRuntimeDefault
	case corev1.AppArmorProfileTypeLocalhost:
		if profile.LocalhostProfile != nil {
			value = corev1.DeprecatedAppArmorBetaProfileNamePrefix + *profile.LocalhostProfile
		}
	}
	if value != "" {
		p.Annotations = rules.With(p.Annotations, key, value)
	}
}

// appArmorProfile returns the profile that an annotation stands for, or nil if there is none.
func appArmorProfile(annotation string) *corev1.AppArmorProfile {
	const local = corev1.DeprecatedAppArmorBetaProfileNamePrefix
	switch {
	case annotation == corev1.DeprecatedAppArmorBetaProfileNameUnconfined:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined}
	case annotation == corev1.DeprecatedAppArmorBetaProfileRuntimeDefault:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}
	case len(annotation) > len(local) && annotation[:len(local)] == local:
		name := annotation[len(local):]
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: &name}
	}
	return nil
}

// HasSeccompTwice reports whether a new pod has its seccomp profiles in fields and in the annotations that preceded
// them (PC-10).
func HasSeccompTwice(r *kubeversion.Release) bool {
	return !r.Has(kubeversion.SeccompAnnotationsIgnored) && r.Has(kubeversion.SeccompFields)
}

// SyncSeccomp sets the field of each profile that only an annotation has, and up to 1.24 also vice versa.
func SyncSeccomp(p *corev1.Pod, r rules.Request) {
	sync := func(key string, field *corev1.SeccompProfile, set func(*corev1.SeccompProfile)) {
		annotation, ok := p.Annotations[key]
		switch {
		case ok && field == nil:
			if profile := seccompProfile(annotation); profile != nil {
				set(profile)
			}
		case !ok && field != nil && !r.Release.Has(kubeversion.SeccompAnnotationsOneWay):
			if value := seccompAnnotation(field); value != "" {
				p.Annotations = rules.With(p.Annotations, key, value)
			}
		}
	}
	var ofPod *corev1.SeccompProfile
	if s := p.Spec.SecurityContext; s != nil {
		ofPod = s.SeccompProfile
	}
	sync(seccompOfPod, ofPod, func(profile *corev1.SeccompProfile) {
		rules.SetDefault(&p.Spec.SecurityContext, corev1.PodSecurityContext{})
		p.Spec.SecurityContext.SeccompProfile = profile
	})
	for _, c := range Containers(&p.Spec) {
		var own *corev1.SeccompProfile
		if c.SecurityContext != nil {
			own = c.SecurityContext.SeccompProfile
		}
		sync(seccompOfContainer+c.Name, own, func(profile *corev1.SeccompProfile) {
			rules.SetDefault(&c.SecurityContext, corev1.SecurityContext{})
			c.SecurityContext.SeccompProfile = profile
		})
	}
}

// seccompProfile returns the profile that an annotation stands for, or nil if there is none.
func seccompProfile(annotation string) *corev1.SeccompProfile {
	switch annotation {
	case seccompUnconfined:
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeUnconfined}
	case corev1.SeccompProfileRuntimeDefault, seccompDocker:
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}
	}
	if local, ok := strings.CutPrefix(annotation, seccompLocal); ok && local != "" {
		return &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeLocalhost, LocalhostProfile: &local}
	}
	return nil
}

// seccompAnnotation returns the annotation that stands for a profile, or nothing if it is invalid.
func seccompAnnotation(profile *corev1.SeccompProfile) string {
	switch profile.Type {
	case corev1.SeccompProfileTypeUnconfined:
		return seccompUnconfined
	case corev1.SeccompProfileTypeRuntimeDefault:
		return corev1.SeccompProfileRuntimeDefault
	case corev1.SeccompProfileTypeLocalhost:
		if profile.LocalhostProfile != nil {
			return seccompLocal + *profile.LocalhostProfile
		}
	}
	return ""
}
