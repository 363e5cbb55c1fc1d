// kubernetes/kubernetes@v1.19.16:pkg/apis/settings/validation/validation.go
// kubernetes/kubernetes@v1.19.16:pkg/registry/settings/podpreset/strategy.go

package pod

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// podPreset has the rules of a kind that releases up to 1.19 had. An update silently keeps the spec (PP-09).
var podPreset = rules.Of[*builtin.PodPreset]{
	Name: rules.DNSSubdomain,
	Defaults: func(p *builtin.PodPreset) {
		for i := range p.Spec.Env {
			defaultEnvSource(p.Spec.Env[i].ValueFrom)
		}
		for i := range p.Spec.Volumes {
			defaultVolume(&p.Spec.Volumes[i])
		}
	},
	PrepareForCreate: func(p *builtin.PodPreset, _ rules.Request) { p.Generation = 1 },
	PrepareForUpdate: func(p, old *builtin.PodPreset, _ rules.Request) { old.Spec.DeepCopyInto(&p.Spec) },
	Validate:         validatePreset,
	OnUpdate:         rules.CheckTwice,
}

// validatePreset checks what a preset adds to pods (PP-10). Nothing is known yet about the containers that get it, so
// their mounts may propagate like those of a privileged one.
func validatePreset(p *builtin.PodPreset, r rules.Request) field.ErrorList {
	var errs rules.Errors
	at, s := rules.SpecPath, &p.Spec
	errs.Add(rules.LabelSelector(&s.Selector, at.Child("selector")))
	if s.Env == nil && s.EnvFrom == nil && s.VolumeMounts == nil && s.Volumes == nil {
		errs.Required(at.Child("volumes", "env", "envFrom", "volumeMounts"), "must specify at least one")
	}
	k, privileged := newPodCheck(&corev1.PodSpec{Volumes: s.Volumes}, nil, r), true
	errs.Add(k.podVolumes(at.Child("volumes")))
	errs.Add(k.env(s.Env, at.Child("env")))
	errs.Add(k.envFrom(s.EnvFrom, at.Child("envFrom")))
	container := corev1.Container{VolumeMounts: s.VolumeMounts, SecurityContext: &corev1.SecurityContext{Privileged: &privileged}}
	errs.Add(k.mounts(&container, at.Child("volumeMounts")))
	return errs.List()
}
