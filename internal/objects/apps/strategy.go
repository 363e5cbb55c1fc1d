// kubernetes/kubernetes:pkg/registry/apps/deployment/strategy.go
// kubernetes/kubernetes:pkg/registry/apps/replicaset/strategy.go
// kubernetes/kubernetes:pkg/registry/apps/statefulset/strategy.go
// kubernetes/kubernetes:pkg/registry/apps/daemonset/strategy.go
// kubernetes/kubernetes:pkg/registry/apps/controllerrevision/strategy.go
// kubernetes/kubernetes:pkg/apis/apps/v1/defaults.go

package apps

import (
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var deployment = rules.Of[*appsv1.Deployment]{
	OnUpdate: rules.CheckKind,
	Name:     rules.DNSSubdomain,
	Spec:     func(d *appsv1.Deployment) any { return &d.Spec },
	Status:   func(d *appsv1.Deployment) any { return &d.Status },
	Defaults: func(d *appsv1.Deployment) {
		rules.SetDefault(&d.Spec.Replicas, 1)
		rules.SetZero(&d.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
		if d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
			rules.SetDefault(&d.Spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
			rules.SetDefault(&d.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
			rules.SetDefault(&d.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
		}
		rules.SetDefault(&d.Spec.RevisionHistoryLimit, 10)
		rules.SetDefault(&d.Spec.ProgressDeadlineSeconds, 600)
		pod.DefaultTemplate(&d.Spec.Template)
	},
	Normalise: func(d *appsv1.Deployment, r *kubeversion.Release) {
		if u := d.Spec.Strategy.RollingUpdate; u != nil { // not pointers in the internal version
			rules.SetDefault(&u.MaxUnavailable, intstr.IntOrString{})
			rules.SetDefault(&u.MaxSurge, intstr.IntOrString{})
		}
		pod.NormaliseTemplate(&d.Spec.Template, r)
	},
	PrepareForUpdate: func(d, old *appsv1.Deployment, r rules.Request) {
		if r.Subresource == "status" {
			d.Labels = maps.Clone(old.Labels)
			return
		}
		// Rollbacks rely on annotations, so these count as a change.
		if !semantic.DeepEqual(d.Annotations, old.Annotations) {
			d.Generation = old.Generation + 1
		}
	},
	Validate: validateDeployment,
	ValidateUpdate: func(d, old *appsv1.Deployment, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return deploymentStatus(d, old)
		}
		return keepsSelector(d.Spec.Selector, old.Spec.Selector, r)
	},
	Warnings: func(d, old *appsv1.Deployment, r rules.Request) []string {
		return workloadWarnings(d, old, &d.Spec.Template, r)
	},

	DropGated: pod.DropGatedTemplate,
}

var replicaSet = rules.Of[*appsv1.ReplicaSet]{
	CheckedOnce: kubeversion.PodControllersCheckedOnce,
	OnUpdate:    rules.CheckKind,
	Name:        rules.DNSSubdomain,
	Spec:        func(s *appsv1.ReplicaSet) any { return &s.Spec },
	Status:      func(s *appsv1.ReplicaSet) any { return &s.Status },
	Defaults: func(s *appsv1.ReplicaSet) {
		rules.SetDefault(&s.Spec.Replicas, 1)
		pod.DefaultTemplate(&s.Spec.Template)
	},
	Normalise: func(s *appsv1.ReplicaSet, r *kubeversion.Release) { pod.NormaliseTemplate(&s.Spec.Template, r) },
	Validate:  validateReplicaSet,
	ValidateUpdate: func(s, old *appsv1.ReplicaSet, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return replicaSetStatus(&s.Status)
		}
		return keepsSelector(s.Spec.Selector, old.Spec.Selector, r)
	},
	Warnings: func(s, old *appsv1.ReplicaSet, r rules.Request) []string {
		return workloadWarnings(s, old, &s.Spec.Template, r)
	},

	DropGated: pod.DropGatedTemplate,
}

var statefulSet = rules.Of[*appsv1.StatefulSet]{
	OnUpdate: rules.CheckKind,
	NameIn: func(r *kubeversion.Release) validation.ValidateNameFunc {
		if r.Has(kubeversion.StatefulSetNamesLabels) {
			return rules.DNSLabel
		}
		return rules.DNSSubdomain
	},
	Spec:   func(s *appsv1.StatefulSet) any { return &s.Spec },
	Status: func(s *appsv1.StatefulSet) any { return &s.Status },
	DefaultsIn: func(s *appsv1.StatefulSet, o rules.Options) {
		rules.SetZero(&s.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
		if s.Spec.UpdateStrategy.Type == "" {
			s.Spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
			if !o.Release.Has(kubeversion.PartitionsWithoutType) {
				s.Spec.UpdateStrategy.RollingUpdate = nil
			}
			rules.SetDefault(&s.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
		}
		if u := s.Spec.UpdateStrategy; u.Type == appsv1.RollingUpdateStatefulSetStrategyType && u.RollingUpdate != nil {
			rules.SetDefault(&u.RollingUpdate.Partition, 0)
			rules.SetDefault(&u.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		}
		rules.SetDefault(&s.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
		rules.SetZero(&s.Spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
		rules.SetZero(&s.Spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
		rules.SetDefault(&s.Spec.Replicas, 1)
		rules.SetDefault(&s.Spec.RevisionHistoryLimit, 10)
		for i := range s.Spec.VolumeClaimTemplates {
			rules.DefaultClaim(&s.Spec.VolumeClaimTemplates[i])
		}
		pod.DefaultTemplate(&s.Spec.Template)
	},
	Normalise: func(s *appsv1.StatefulSet, r *kubeversion.Release) {
		for i := range s.Spec.VolumeClaimTemplates {
			s.Spec.VolumeClaimTemplates[i].TypeMeta = metav1.TypeMeta{}
			if r.Has(kubeversion.ClaimTemplatesTyped) {
				s.Spec.VolumeClaimTemplates[i].SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
			}
		}
		pod.NormaliseTemplate(&s.Spec.Template, r)
	},
	Validate:       validateStatefulSet,
	ValidateUpdate: validateStatefulSetUpdate,
	Warnings:       statefulSetWarnings,

	DropGated: func(obj, old runtime.Object, r rules.Request) {
		pod.DropGatedTemplate(obj, old, r)
		before, ok := old.(*appsv1.StatefulSet)
		if ok && before.Spec.MinReadySeconds < 0 && r.Subresource != "status" && !r.Release.Has(kubeversion.StatefulSetMinReadySeconds) {
			obj.(*appsv1.StatefulSet).Spec.MinReadySeconds = 0
		}
	},
}

// An annotation in apps/v1 is a field in the internal version, where it is always set (RT-03).
const templateGeneration = appsv1.DeprecatedTemplateGeneration

var daemonSet = rules.Of[*appsv1.DaemonSet]{
	CheckedOnce: kubeversion.PodControllersCheckedOnce,
	OnUpdate:    rules.CheckKind,
	Name:        rules.DNSSubdomain,
	Spec:        func(d *appsv1.DaemonSet) any { return &d.Spec },
	Status:      func(d *appsv1.DaemonSet) any { return &d.Status },
	Defaults: func(d *appsv1.DaemonSet) {
		rules.SetZero(&d.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
		if d.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			rules.SetDefault(&d.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
			rules.SetDefault(&d.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
			rules.SetDefault(&d.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
		}
		rules.SetDefault(&d.Spec.RevisionHistoryLimit, 10)
		pod.DefaultTemplate(&d.Spec.Template)
	},
	Normalise: func(d *appsv1.DaemonSet, r *kubeversion.Release) {
		if u := d.Spec.UpdateStrategy.RollingUpdate; u != nil { // not pointers in the internal version
			rules.SetDefault(&u.MaxUnavailable, intstr.IntOrString{})
			rules.SetDefault(&u.MaxSurge, intstr.IntOrString{})
		}
		setTemplateGeneration(d, templateGenerationOf(d))
		pod.NormaliseTemplate(&d.Spec.Template, r)
	},
	PrepareForCreate: func(d *appsv1.DaemonSet, _ rules.Request) {
		setTemplateGeneration(d, max(templateGenerationOf(d), 1))
	},
	PrepareForUpdate: func(d, old *appsv1.DaemonSet, r rules.Request) {
		if r.Subresource == "status" {
			setTemplateGeneration(d, templateGenerationOf(old))
			return
		}
		generation := templateGenerationOf(old)
		if !semantic.DeepEqual(d.Spec.Template, old.Spec.Template) {
			generation++
		}
		setTemplateGeneration(d, generation)
	},
	Validate: validateDaemonSet,
	ValidateUpdate: func(d, old *appsv1.DaemonSet, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return daemonSetStatus(d, old)
		}
		return keepsSelector(d.Spec.Selector, old.Spec.Selector, r)
	},
	Warnings: func(d, old *appsv1.DaemonSet, r rules.Request) []string {
		if old != nil && templateGenerationOf(d) == templateGenerationOf(old) {
			return nil
		}
		return pod.TemplateWarnings(&d.Spec.Template, rules.SpecPath.Child("template"), r)
	},

	DropGated: pod.DropGatedTemplate,
}

// workloadWarnings returns warnings about the template of a new or changed workload, and about the name of a new one.
func workloadWarnings[T interface {
	comparable
	metav1.Object
}](w, old T, t *corev1.PodTemplateSpec, r rules.Request) []string {
	var warnings []string
	var none T
	switch {
	case old == none:
		warnings = pod.HostnameWarnings(w.GetName(), pod.Names, r)
	case w.GetGeneration() == old.GetGeneration():
		return nil
	}
	return append(warnings, pod.TemplateWarnings(t, rules.SpecPath.Child("template"), r)...)
}

func statefulSetWarnings(s, old *appsv1.StatefulSet, r rules.Request) []string {
	if r.Subresource == "status" {
		return nil
	}
	w := &pod.Warner{}
	if old == nil || s.Generation != old.Generation {
		w.Template(&s.Spec.Template, rules.SpecPath.Child("template"), r)
	}
	for i := range s.Spec.VolumeClaimTemplates {
		if !r.Release.Has(kubeversion.ClaimWarnings) {
			break
		}
		at := rules.SpecPath.Child("volumeClaimTemplates").Index(i)
		if old != nil {
			at = at.Child("Spec") // the server's path is wrong, for a new set, too
		}
		w.Claim(&s.Spec.VolumeClaimTemplates[i].Spec, at)
	}
	if n := s.Spec.RevisionHistoryLimit; r.Release.Has(kubeversion.HistoryLimitWarnings) && n != nil && *n < 0 {
		w.At(rules.SpecPath.Child("revisionHistoryLimit"), "a negative value retains all historical revisions; a value >= 0 is recommended")
	}
	return w.Texts
}

func templateGenerationOf(d *appsv1.DaemonSet) int64 {
	n, _ := strconv.ParseInt(d.Annotations[templateGeneration], 10, 64)
	return n
}

func setTemplateGeneration(d *appsv1.DaemonSet, n int64) {
	d.Annotations = rules.With(d.Annotations, templateGeneration, strconv.FormatInt(n, 10))
}

var controllerRevision = rules.Of[*appsv1.ControllerRevision]{
	Name:           rules.DNSSubdomain,
	Validate:       validateRevision,
	ValidateUpdate: validateRevisionUpdate,
}
