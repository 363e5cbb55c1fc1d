package objects

import (
	"maps"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var deployment = rules[*appsv1.Deployment]{
	onUpdate: checkKind,
	name:     dnsSubdomain,
	spec:     func(d *appsv1.Deployment) any { return &d.Spec },
	status:   func(d *appsv1.Deployment) any { return &d.Status },
	defaults: func(d *appsv1.Deployment) {
		setDefault(&d.Spec.Replicas, 1)
		setZero(&d.Spec.Strategy.Type, appsv1.RollingUpdateDeploymentStrategyType)
		if d.Spec.Strategy.Type == appsv1.RollingUpdateDeploymentStrategyType {
			setDefault(&d.Spec.Strategy.RollingUpdate, appsv1.RollingUpdateDeployment{})
			setDefault(&d.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromString("25%"))
			setDefault(&d.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromString("25%"))
		}
		setDefault(&d.Spec.RevisionHistoryLimit, 10)
		setDefault(&d.Spec.ProgressDeadlineSeconds, 600)
		defaultTemplate(&d.Spec.Template)
	},
	normalise: func(d *appsv1.Deployment) { normaliseTemplate(&d.Spec.Template) },
	prepareForUpdate: func(d, old *appsv1.Deployment, r request) {
		if r.Subresource == "status" {
			d.Labels = maps.Clone(old.Labels)
			return
		}
		// Annotations are what a rollback goes by, so that they count as a change.
		if !semantic.DeepEqual(d.Annotations, old.Annotations) {
			d.Generation = old.Generation + 1
		}
	},
	validate: validateDeployment,
	validateUpdate: func(d, old *appsv1.Deployment, r request) field.ErrorList {
		if r.Subresource == "status" {
			return deploymentStatus(d, old)
		}
		return keepsSelector(d.Spec.Selector, old.Spec.Selector)
	},
	warnings: func(d, old *appsv1.Deployment, r request) []string {
		return workloadWarnings(d, old, &d.Spec.Template, r)
	},

	dropGated: dropGatedTemplate,
}

var replicaSet = rules[*appsv1.ReplicaSet]{
	checkedOnce: kubeversion.PodControllersCheckedOnce,
	onUpdate:    checkKind,
	name:        dnsSubdomain,
	spec:        func(s *appsv1.ReplicaSet) any { return &s.Spec },
	status:      func(s *appsv1.ReplicaSet) any { return &s.Status },
	defaults: func(s *appsv1.ReplicaSet) {
		setDefault(&s.Spec.Replicas, 1)
		defaultTemplate(&s.Spec.Template)
	},
	normalise: func(s *appsv1.ReplicaSet) { normaliseTemplate(&s.Spec.Template) },
	validate:  validateReplicaSet,
	validateUpdate: func(s, old *appsv1.ReplicaSet, r request) field.ErrorList {
		if r.Subresource == "status" {
			return replicaSetStatus(&s.Status)
		}
		return keepsSelector(s.Spec.Selector, old.Spec.Selector)
	},
	warnings: func(s, old *appsv1.ReplicaSet, r request) []string {
		return workloadWarnings(s, old, &s.Spec.Template, r)
	},

	dropGated: dropGatedTemplate,
}

var statefulSet = rules[*appsv1.StatefulSet]{
	onUpdate: checkKind,
	name:     dnsLabel,
	spec:     func(s *appsv1.StatefulSet) any { return &s.Spec },
	status:   func(s *appsv1.StatefulSet) any { return &s.Status },
	defaults: func(s *appsv1.StatefulSet) {
		setZero(&s.Spec.PodManagementPolicy, appsv1.OrderedReadyPodManagement)
		if s.Spec.UpdateStrategy.Type == "" {
			s.Spec.UpdateStrategy.Type = appsv1.RollingUpdateStatefulSetStrategyType
			setDefault(&s.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateStatefulSetStrategy{})
		}
		if u := s.Spec.UpdateStrategy; u.Type == appsv1.RollingUpdateStatefulSetStrategyType && u.RollingUpdate != nil {
			setDefault(&u.RollingUpdate.Partition, 0)
			setDefault(&u.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		}
		setDefault(&s.Spec.PersistentVolumeClaimRetentionPolicy, appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{})
		setZero(&s.Spec.PersistentVolumeClaimRetentionPolicy.WhenDeleted, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
		setZero(&s.Spec.PersistentVolumeClaimRetentionPolicy.WhenScaled, appsv1.RetainPersistentVolumeClaimRetentionPolicyType)
		setDefault(&s.Spec.Replicas, 1)
		setDefault(&s.Spec.RevisionHistoryLimit, 10)
		for i := range s.Spec.VolumeClaimTemplates {
			defaultClaim(&s.Spec.VolumeClaimTemplates[i])
		}
		defaultTemplate(&s.Spec.Template)
	},
	normalise: func(s *appsv1.StatefulSet) {
		for i := range s.Spec.VolumeClaimTemplates {
			s.Spec.VolumeClaimTemplates[i].SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"))
		}
		normaliseTemplate(&s.Spec.Template)
	},
	validate:       validateStatefulSet,
	validateUpdate: validateStatefulSetUpdate,
	warnings:       statefulSetWarnings,

	dropGated: dropGatedTemplate,
}

// What apps/v1 keeps in an annotation is a field of the internal version, and always there
// (RT-03).
const templateGeneration = appsv1.DeprecatedTemplateGeneration

var daemonSet = rules[*appsv1.DaemonSet]{
	checkedOnce: kubeversion.PodControllersCheckedOnce,
	onUpdate:    checkKind,
	name:        dnsSubdomain,
	spec:        func(d *appsv1.DaemonSet) any { return &d.Spec },
	status:      func(d *appsv1.DaemonSet) any { return &d.Status },
	defaults: func(d *appsv1.DaemonSet) {
		setZero(&d.Spec.UpdateStrategy.Type, appsv1.RollingUpdateDaemonSetStrategyType)
		if d.Spec.UpdateStrategy.Type == appsv1.RollingUpdateDaemonSetStrategyType {
			setDefault(&d.Spec.UpdateStrategy.RollingUpdate, appsv1.RollingUpdateDaemonSet{})
			setDefault(&d.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
			setDefault(&d.Spec.UpdateStrategy.RollingUpdate.MaxSurge, intstr.FromInt32(0))
		}
		setDefault(&d.Spec.RevisionHistoryLimit, 10)
		defaultTemplate(&d.Spec.Template)
	},
	normalise: func(d *appsv1.DaemonSet) {
		setTemplateGeneration(d, templateGenerationOf(d))
		normaliseTemplate(&d.Spec.Template)
	},
	prepareForCreate: func(d *appsv1.DaemonSet, _ request) {
		setTemplateGeneration(d, max(templateGenerationOf(d), 1))
	},
	prepareForUpdate: func(d, old *appsv1.DaemonSet, r request) {
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
	validate: validateDaemonSet,
	validateUpdate: func(d, old *appsv1.DaemonSet, r request) field.ErrorList {
		if r.Subresource == "status" {
			return daemonSetStatus(d, old)
		}
		return keepsSelector(d.Spec.Selector, old.Spec.Selector)
	},
	warnings: func(d, old *appsv1.DaemonSet, r request) []string {
		if old != nil && templateGenerationOf(d) == templateGenerationOf(old) {
			return nil
		}
		return templateWarnings(&d.Spec.Template, specPath.Child("template"), r)
	},

	dropGated: dropGatedTemplate,
}

// workloadWarnings are about the template of a new workload, or of one that changes, and
// about the name of a new one.
func workloadWarnings[T interface {
	comparable
	metav1.Object
}](w, old T, t *corev1.PodTemplateSpec, r request) []string {
	var warnings []string
	var none T
	switch {
	case old == none:
		warnings = hostnameWarnings(w.GetName(), podNames, r)
	case w.GetGeneration() == old.GetGeneration():
		return nil
	}
	return append(warnings, templateWarnings(t, specPath.Child("template"), r)...)
}

func statefulSetWarnings(s, old *appsv1.StatefulSet, r request) []string {
	if r.Subresource == "status" {
		return nil
	}
	w := &warner{}
	if old == nil || s.Generation != old.Generation {
		w.template(&s.Spec.Template, specPath.Child("template"), r)
	}
	for i := range s.Spec.VolumeClaimTemplates {
		at := specPath.Child("volumeClaimTemplates").Index(i)
		if old != nil {
			at = at.Child("Spec") // what the server says, of a new set too, is not where it is
		}
		w.claim(&s.Spec.VolumeClaimTemplates[i].Spec, at)
	}
	if n := s.Spec.RevisionHistoryLimit; r.Release.Has(kubeversion.HistoryLimitWarnings) && n != nil && *n < 0 {
		w.at(specPath.Child("revisionHistoryLimit"), "a negative value retains all historical revisions; a value >= 0 is recommended")
	}
	return w.texts
}

func templateGenerationOf(d *appsv1.DaemonSet) int64 {
	n, _ := strconv.ParseInt(d.Annotations[templateGeneration], 10, 64)
	return n
}

func setTemplateGeneration(d *appsv1.DaemonSet, n int64) {
	d.Annotations = with(d.Annotations, templateGeneration, strconv.FormatInt(n, 10))
}

var controllerRevision = rules[*appsv1.ControllerRevision]{
	name:           dnsSubdomain,
	validate:       validateRevision,
	validateUpdate: validateRevisionUpdate,
}
