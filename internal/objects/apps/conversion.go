// kubernetes/kubernetes@v1.17.0:pkg/apis/apps/v1beta1/conversion.go
// kubernetes/kubernetes@v1.17.0:pkg/apis/extensions/v1beta1/conversion.go

package apps

import (
	"errors"
	"maps"
	"math"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	appsv1beta2 "k8s.io/api/apps/v1beta2"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// workloadVersions returns the versions of workloads that were served up to 1.15. Their fields are those of apps/v1,
// except for one field of Deployment and one of DaemonSet (CV-01); their defaults differ more (DF-06).
func workloadVersions() []*rules.Version {
	v1 := appsv1.SchemeGroupVersion
	extensions, beta1, beta2 := extensionsv1beta1.SchemeGroupVersion, appsv1beta1.SchemeGroupVersion, appsv1beta2.SchemeGroupVersion
	setsBeta1 := rules.Reshape(beta1, v1, "StatefulSet", defaultStatefulSetV1beta1)
	setsBeta1.Converted = func(o runtime.Object) { // where the field is a pointer
		rules.SetDefault(&o.(*appsv1beta1.StatefulSet).Status.ObservedGeneration, 0)
	}
	return []*rules.Version{
		rules.Extended(rules.ReshapeApart(extensions, v1, "Deployment", defaultDeploymentExtensions), rollbackToHub, rollbackFromHub),
		rules.Extended(rules.Reshape(beta1, v1, "Deployment", defaultDeploymentV1beta1), rollbackToHubV1beta1, rollbackFromHubV1beta1),
		rules.Reshape[*appsv1beta2.Deployment](beta2, v1, "Deployment", nil),
		rules.Reshape[*extensionsv1beta1.DeploymentRollback](extensions, beta1, "DeploymentRollback", nil),

		rules.Reshape(extensions, v1, "ReplicaSet", func(s *extensionsv1beta1.ReplicaSet) {
			fromTemplate(&s.ObjectMeta, &s.Spec.Selector, s.Spec.Template.Labels)
		}),
		rules.Reshape[*appsv1beta2.ReplicaSet](beta2, v1, "ReplicaSet", nil),

		rules.Extended(rules.Reshape(extensions, v1, "DaemonSet", defaultDaemonSetExtensions), generationToHub, generationFromHub),
		rules.Reshape[*appsv1beta2.DaemonSet](beta2, v1, "DaemonSet", nil),

		setsBeta1,
		rules.Reshape[*appsv1beta2.StatefulSet](beta2, v1, "StatefulSet", nil),

		rules.Reshape[*appsv1beta1.ControllerRevision](beta1, v1, "ControllerRevision", nil),
		rules.Reshape[*appsv1beta2.ControllerRevision](beta2, v1, "ControllerRevision", nil),

		controllerDummy(),
	}
}

// controllerDummy returns the version of ReplicationControllers in extensions. It has no fields, so that webhooks learn
// nothing of an object, and their patches fail (PL-24c).
func controllerDummy() *rules.Version {
	dummy := rules.VersionOf(
		extensionsv1beta1.SchemeGroupVersion.WithKind("ReplicationControllerDummy"),
		corev1.SchemeGroupVersion.WithKind("ReplicationController"), nil,
		func(*builtin.ReplicationControllerDummy) *corev1.ReplicationController {
			return new(corev1.ReplicationController)
		},
		func(*corev1.ReplicationController) *builtin.ReplicationControllerDummy {
			return new(builtin.ReplicationControllerDummy)
		},
	)
	dummy.Unreadable = errors.New("converting (v1beta1.ReplicationControllerDummy) to (core.ReplicationController): ObjectMeta not present in src")
	return dummy
}

// fromTemplate sets a missing selector, and missing labels, of a workload to the labels of its pods.
func fromTemplate(m *metav1.ObjectMeta, selector **metav1.LabelSelector, labels map[string]string) {
	if labels == nil {
		return
	}
	if *selector == nil {
		*selector = &metav1.LabelSelector{MatchLabels: maps.Clone(labels)}
	}
	if len(m.Labels) == 0 {
		m.Labels = maps.Clone(labels)
	}
}

func defaultDeploymentExtensions(d *extensionsv1beta1.Deployment, r *kubeversion.Release) {
	pod.DefaultTemplate(&d.Spec.Template)
	fromTemplate(&d.ObjectMeta, &d.Spec.Selector, d.Spec.Template.Labels)
	rules.SetDefault(&d.Spec.Replicas, 1)
	rules.SetZero(&d.Spec.Strategy.Type, extensionsv1beta1.RollingUpdateDeploymentStrategyType)
	if d.Spec.Strategy.Type == extensionsv1beta1.RollingUpdateDeploymentStrategyType || d.Spec.Strategy.RollingUpdate != nil {
		rules.SetDefault(&d.Spec.Strategy.RollingUpdate, extensionsv1beta1.RollingUpdateDeployment{})
		rules.SetDefault(&d.Spec.Strategy.RollingUpdate.MaxUnavailable, intstr.FromInt32(1))
		rules.SetDefault(&d.Spec.Strategy.RollingUpdate.MaxSurge, intstr.FromInt32(1))
	}
	// The version promises that nothing is deleted and nothing times out. Before, this was what a missing value meant.
	if r.Has(kubeversion.EndlessDeadlines) {
		rules.SetDefault(&d.Spec.ProgressDeadlineSeconds, math.MaxInt32)
	}
	if r.Has(kubeversion.EndlessHistory) {
		rules.SetDefault(&d.Spec.RevisionHistoryLimit, math.MaxInt32)
	}
}

func defaultDeploymentV1beta1(d *appsv1beta1.Deployment) {
	fromTemplate(&d.ObjectMeta, &d.Spec.Selector, d.Spec.Template.Labels)
	rules.SetDefault(&d.Spec.RevisionHistoryLimit, 2)
}

func defaultDaemonSetExtensions(d *extensionsv1beta1.DaemonSet) {
	fromTemplate(&d.ObjectMeta, &d.Spec.Selector, d.Spec.Template.Labels)
	rules.SetZero(&d.Spec.UpdateStrategy.Type, extensionsv1beta1.OnDeleteDaemonSetStrategyType)
}

func defaultStatefulSetV1beta1(s *appsv1beta1.StatefulSet) {
	fromTemplate(&s.ObjectMeta, &s.Spec.Selector, s.Spec.Template.Labels)
	rules.SetZero(&s.Spec.UpdateStrategy.Type, appsv1beta1.OnDeleteStatefulSetStrategyType)
}

// rollbackTo is the annotation in which apps/v1 keeps spec.rollbackTo.revision of a Deployment.
const rollbackTo = appsv1.DeprecatedRollbackTo

func rollbackToHub(in *extensionsv1beta1.Deployment, out *appsv1.Deployment) {
	if in.Spec.RollbackTo != nil {
		out.Annotations = rules.With(out.Annotations, rollbackTo, strconv.FormatInt(in.Spec.RollbackTo.Revision, 10))
	}
}

func rollbackFromHub(in *appsv1.Deployment, out *extensionsv1beta1.Deployment) {
	if revision, ok := takeNumber(in.Annotations, &out.Annotations, rollbackTo); ok {
		out.Spec.RollbackTo = &extensionsv1beta1.RollbackConfig{Revision: revision}
	}
}

func rollbackToHubV1beta1(in *appsv1beta1.Deployment, out *appsv1.Deployment) {
	if in.Spec.RollbackTo != nil {
		out.Annotations = rules.With(out.Annotations, rollbackTo, strconv.FormatInt(in.Spec.RollbackTo.Revision, 10))
	}
}

func rollbackFromHubV1beta1(in *appsv1.Deployment, out *appsv1beta1.Deployment) {
	if revision, ok := takeNumber(in.Annotations, &out.Annotations, rollbackTo); ok {
		out.Spec.RollbackTo = &appsv1beta1.RollbackConfig{Revision: revision}
	}
}

func generationToHub(in *extensionsv1beta1.DaemonSet, out *appsv1.DaemonSet) {
	setTemplateGeneration(out, in.Spec.TemplateGeneration)
}

func generationFromHub(in *appsv1.DaemonSet, out *extensionsv1beta1.DaemonSet) {
	if generation, ok := takeNumber(in.Annotations, &out.Annotations, templateGeneration); ok {
		out.Spec.TemplateGeneration = generation
	}
}

// takeNumber returns the number in an annotation that stands for a field, and removes it from the converted object.
func takeNumber(from map[string]string, out *map[string]string, key string) (int64, bool) {
	n, err := strconv.ParseInt(from[key], 10, 64)
	if err != nil {
		return 0, false
	}
	delete(*out, key)
	if len(*out) == 0 {
		*out = nil
	}
	return n, true
}
