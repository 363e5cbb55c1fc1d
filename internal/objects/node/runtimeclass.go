// kubernetes/kubernetes:pkg/registry/node/runtimeclass/strategy.go
// kubernetes/kubernetes:pkg/apis/node/validation/validation.go
// kubernetes/kubernetes:pkg/apis/node/v1alpha1/conversion.go

package node

import (
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func runtimeClassFromSpec(c map[string]any) {
	spec, _ := c["spec"].(map[string]any)
	delete(c, "spec")
	for name, value := range spec {
		if name == "runtimeHandler" {
			name = "handler"
		}
		c[name] = value
	}
}

func runtimeClassToSpec(c map[string]any) {
	spec := map[string]any{"runtimeHandler": c["handler"]}
	for _, name := range []string{"overhead", "scheduling"} {
		if value, ok := c[name]; ok {
			spec[name] = value
		}
		delete(c, name)
	}
	delete(c, "handler")
	c["spec"] = spec
}

var runtimeClass = rules.Of[*nodev1.RuntimeClass]{
	Name: rules.DNSSubdomain,

	AnyFinalizer: true,

	Validate: validateRuntimeClass,
	ValidateUpdate: func(c, old *nodev1.RuntimeClass, _ rules.Request) field.ErrorList {
		return validation.ValidateImmutableField(c.Handler, old.Handler, field.NewPath("handler"))
	},
	WarnsSince: kubeversion.NodeLabelWarnings,
	Warnings: func(c, _ *nodev1.RuntimeClass, r rules.Request) []string {
		if c.Scheduling == nil {
			return nil
		}
		w := &pod.Warner{}
		w.OldNodeLabels(c.Scheduling.NodeSelector, func(string) *field.Path { return field.NewPath("scheduling", "nodeSelector") }, r)
		return w.Texts
	},
	Behaviour: rules.Behaviour{CreateOnUpdate: true},
}

func validateRuntimeClass(c *nodev1.RuntimeClass, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if at := field.NewPath("handler"); r.Release.Has(kubeversion.MissingIsRequired) {
		errs.Add(rules.Given(at, c.Handler, rules.DNS1123Label))
	} else {
		errs.Add(rules.Faults(at, c.Handler, rules.DNS1123Label(c.Handler)))
	}
	if o := c.Overhead; o != nil {
		errs.Add(rules.Inexcusable(pod.ValidateResources(&corev1.ResourceRequirements{Limits: o.PodFixed}, pod.ContainerResource, nil, r.Release, field.NewPath("overhead"))))
	}
	s := c.Scheduling
	if s == nil {
		return errs.List()
	}
	at := field.NewPath("scheduling")
	errs.Add(metav1validation.ValidateLabels(s.NodeSelector, at.Child("nodeSelector")))
	tolerations := at.Child("tolerations")
	if !r.Release.Has(kubeversion.RuntimeClassTolerationsPath) {
		tolerations = tolerations.Child("tolerations") // the server's path is wrong
	}
	errs.Add(pod.ValidateTolerations(s.Tolerations, r.Release, tolerations))
	seen := map[corev1.Toleration]bool{}
	for i, t := range s.Tolerations {
		key := corev1.Toleration{Key: t.Key, Operator: t.Operator, Value: t.Value, Effect: t.Effect}
		if seen[key] {
			errs.Duplicate(at.Child("tolerations").Index(i), rules.AsInternal(t))
		}
		seen[key] = true
	}
	return errs.List()
}
