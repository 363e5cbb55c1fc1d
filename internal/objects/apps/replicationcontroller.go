// kubernetes/kubernetes:pkg/registry/core/replicationcontroller/strategy.go

package apps

import (
	"maps"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var replicationController = rules.Of[*corev1.ReplicationController]{
	TakenOver:    true,
	CheckedOnce:  kubeversion.ReplicationControllersCheckedOnce,
	OnUpdate:     rules.CheckKind,
	Name:         rules.DNSSubdomain,
	DeclaredName: kubeversion.DeclaredNamesChecked,
	Spec:         func(c *corev1.ReplicationController) any { return &c.Spec },
	Status:       func(c *corev1.ReplicationController) any { return &c.Status },
	Defaults: func(c *corev1.ReplicationController) {
		rules.SetDefault(&c.Spec.Replicas, 1)
		if t := c.Spec.Template; t != nil {
			if len(c.Spec.Selector) == 0 {
				c.Spec.Selector = maps.Clone(t.Labels)
			}
			if len(c.Labels) == 0 {
				c.Labels = maps.Clone(t.Labels)
			}
			pod.DefaultTemplate(t)
		}
	},
	Normalise: func(c *corev1.ReplicationController, r *kubeversion.Release) {
		if t := c.Spec.Template; t != nil {
			pod.NormaliseTemplate(t, r)
		}
	},
	Validate: validateReplicationController,
	ValidateUpdate: func(c, old *corev1.ReplicationController, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return keepsUnconvertible(c, old)
		}
		s := appsv1.ReplicaSetStatus{
			Replicas: c.Status.Replicas, FullyLabeledReplicas: c.Status.FullyLabeledReplicas, ReadyReplicas: c.Status.ReadyReplicas,
			AvailableReplicas: c.Status.AvailableReplicas, ObservedGeneration: c.Status.ObservedGeneration,
		}
		return replicaSetStatus(&s)
	},
	Warnings: controllerWarnings,

	DropGated: pod.DropGatedTemplate,
}

// keepsUnconvertible requires a selector to stay the same if an annotation says that it could not be converted.
func keepsUnconvertible(c, old *corev1.ReplicationController) field.ErrorList {
	var errs rules.Errors
	for key, value := range rules.Sorted(old.Annotations) {
		_, part, ok := strings.Cut(key, "/")
		switch {
		case !ok || !strings.HasPrefix(key, nonConvertible):
		case !strings.Contains(part, "selector"):
			errs.Append(&field.Error{Type: field.ErrorTypeNotFound, BadValue: value, Field: part, Detail: "unknown non-convertible field"})
		case !semantic.DeepEqual(old.Spec.Selector, c.Spec.Selector):
			errs.Invalid(rules.SpecPath.Child("selector"), c.Spec.Selector, "cannot update non-convertible selector")
		}
	}
	return errs.List()
}

const nonConvertible = "non-convertible.kubernetes.io"

// controllerWarnings returns warnings about the template. On update the server looks at the old template:
// kubernetes/kubernetes:pkg/registry/core/replicationcontroller/strategy.go.
func controllerWarnings(c, old *corev1.ReplicationController, r rules.Request) []string {
	var warnings []string
	t := c.Spec.Template
	switch {
	case old == nil:
		warnings = pod.HostnameWarnings(c.Name, pod.Names, r)
	case c.Generation == old.Generation:
		return nil
	default:
		t = old.Spec.Template
	}
	if t == nil {
		return warnings
	}
	return append(warnings, pod.TemplateWarnings(t, rules.SpecPath.Child("template"), r)...)
}
