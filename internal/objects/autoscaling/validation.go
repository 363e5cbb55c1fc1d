// kubernetes/kubernetes:pkg/apis/autoscaling/validation/validation.go

package autoscaling

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The values that fields of autoscalers may have, in the order of messages, and the limit of their windows.
var (
	metricSources    = []string{"ContainerResource", "External", "Object", "Pods", "Resource"}
	scalingPolicies  = []string{"Percent", "Pods"}
	selectPolicies   = []string{"Disabled", "Max", "Min"}
	maxPeriod        = int32(1800)
	maxStabilization = int32(3600)
)

func validateScaler(h *autoscalingv2.HorizontalPodAutoscaler, r rules.Request) field.ErrorList {
	return scalerSpec(&h.Spec, nil, r)
}

func validateScalerUpdate(h, old *autoscalingv2.HorizontalPodAutoscaler, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		path := field.NewPath("status")
		var errs rules.Errors
		for i, c := range h.Status.Conditions {
			errs.Add(rules.NotNegativePointer(c.ObservedGeneration, path.Child("conditions").Index(i).Child("observedGeneration")))
		}
		errs.Add(validation.ValidateNonnegativeField(int64(h.Status.CurrentReplicas), path.Child("currentReplicas")))
		desired := path.Child("desiredReplicas")
		if !r.Release.Has(kubeversion.ScalerStatusSpelled) {
			desired = path.Child("desiredReplicasa")
		}
		errs.Add(validation.ValidateNonnegativeField(int64(h.Status.DesiredReplicas), desired))
		return errs.List()
	}
	return scalerSpec(&h.Spec, &old.Spec, r)
}

// scalerSpec checks a spec. The replicas and versions of old remain allowed.
func scalerSpec(s, old *autoscalingv2.HorizontalPodAutoscalerSpec, r rules.Request) field.ErrorList {
	var errs rules.Errors
	metrics := rules.SpecPath.Child("metrics")
	least := int32(1)
	if r.Release.Has(kubeversion.ScaleToZero) || old != nil && old.MinReplicas != nil && *old.MinReplicas == 0 {
		least = 0
	}
	if !r.Release.Has(kubeversion.LeastReplicasNamed) {
		if s.MinReplicas != nil && *s.MinReplicas < 1 {
			errs.Invalid(rules.SpecPath.Child("minReplicas"), *s.MinReplicas, "must be greater than 0")
		}
	} else if s.MinReplicas != nil && *s.MinReplicas < least {
		errs.Invalid(rules.SpecPath.Child("minReplicas"), *s.MinReplicas, fmt.Sprintf("must be greater than or equal to %d", least))
	}
	if s.MinReplicas != nil && *s.MinReplicas == 0 && !scalesFromOutside(s.Metrics) && r.Release.Has(kubeversion.LeastReplicasNamed) {
		errs.Forbidden(metrics, "must specify at least one Object or External metric to support scaling to zero replicas")
	}
	if s.MaxReplicas < 1 && !r.Release.Has(kubeversion.MaxReplicasRequired) {
		errs.Invalid(rules.SpecPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than 0")
	} else if s.MaxReplicas < 0 {
		errs.Invalid(rules.SpecPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to 1")
	} else if s.MaxReplicas == 0 {
		errs.Required(rules.SpecPath.Child("maxReplicas"), "must be set and greater than 0")
	}
	if s.MinReplicas != nil && s.MaxReplicas < *s.MinReplicas {
		errs.Invalid(rules.SpecPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`")
	}
	t := s.ScaleTargetRef
	checked := r.Release.Has(kubeversion.ScaleTargetVersionChecked)
	kept := old != nil && old.ScaleTargetRef.APIVersion == t.APIVersion && old.ScaleTargetRef.Kind == t.Kind
	errs.Add(scaleTarget(t, targetVersions{!checked || kept, t.Kind == "ReplicationController"}, rules.SpecPath.Child("scaleTargetRef")))
	described := targetVersions{!checked || old != nil && describesWrongVersion(old.Metrics), true}
	for i := range s.Metrics {
		errs.Add(metric(&s.Metrics[i], described, r.Release, metrics.Index(i)))
	}
	if s.Behavior == nil {
		return errs.List()
	}
	errs.Add(scalingRules(s.Behavior.ScaleUp, rules.SpecPath.Child("behavior", "scaleUp")))
	errs.Add(scalingRules(s.Behavior.ScaleDown, rules.SpecPath.Child("behavior", "scaleDown")))
	return errs.List()
}

func scalesFromOutside(metrics []autoscalingv2.MetricSpec) bool {
	for _, m := range metrics {
		if m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType {
			return true
		}
	}
	return false
}

// targetVersions says whether a reference may have an invalid version, or one of the core group.
type targetVersions struct{ wrong, core bool }

func scaleTarget(ref autoscalingv2.CrossVersionObjectReference, may targetVersions, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.PathName(path.Child("kind"), ref.Kind))
	errs.Add(rules.PathName(path.Child("name"), ref.Name))
	if may.wrong {
		return errs.List()
	}
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		errs.Invalid(path.Child("apiVersion"), ref.APIVersion, err.Error())
		return errs.List()
	}
	errs.Add(rules.Unless(may.core || gv.Group != "", path.Child("apiVersion"), ref.APIVersion, "apiVersion must specify API group"))
	return errs.List()
}

func describesWrongVersion(metrics []autoscalingv2.MetricSpec) bool {
	return slices.ContainsFunc(metrics, func(m autoscalingv2.MetricSpec) bool {
		if m.Type != autoscalingv2.ObjectMetricSourceType || m.Object == nil {
			return false
		}
		_, err := schema.ParseGroupVersion(m.Object.DescribedObject.APIVersion)
		return err != nil
	})
}

// metric checks one metric: it must have a source of its type, and no other.
func metric(m *autoscalingv2.MetricSpec, described targetVersions, r *kubeversion.Release, path *field.Path) field.ErrorList {
	var errs rules.Errors
	at := path.Child("type")
	if m.Type == "" {
		errs.Required(at, "must specify a metric source type")
	}
	want, sources := "", metricSources
	if !r.Has(kubeversion.ContainerMetrics) {
		sources = metricSources[1:]
	}
	if wrong := rules.OneOf(&m.Type, sources, at); !r.Has(kubeversion.ContainerMetrics) {
		errs.Add(wrong)
		want = strings.ToLower(string(m.Type))
	} else if len(wrong) > 0 {
		errs.Add(wrong)
		errs.Add(wrong) // the server reports this twice
	} else {
		want = strings.ToLower(string(m.Type[0])) + string(m.Type[1:])
	}
	var present []string
	source := func(name string, given bool, check func(*field.Path) field.ErrorList) {
		if !given {
			return
		}
		if present = append(present, name); len(present) == 1 {
			errs.Add(check(path.Child(name)))
		}
	}
	source("object", m.Object != nil, func(p *field.Path) field.ErrorList { return objectMetric(m.Object, described, p) })
	source("external", m.External != nil, func(p *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(namedMetric(m.External.Metric, m.External.Target, p, "must set either a target value for metric or a per-pod target"))
		if t := m.External.Target; t.Value != nil && t.AverageValue != nil {
			errs.Forbidden(p.Child("target", "value"), "may not set both a target value for metric and a per-pod target")
		}
		return errs.List()
	})
	source("pods", m.Pods != nil, func(p *field.Path) field.ErrorList { return podsMetric(m.Pods, p) })
	source("resource", m.Resource != nil, func(p *field.Path) field.ErrorList {
		return resourceMetric(m.Resource, p)
	})
	source("containerResource", m.ContainerResource != nil, func(p *field.Path) field.ErrorList {
		return containerMetric(m.ContainerResource, p)
	})
	found := false
	for _, name := range present {
		found = found || name == want
		if name != want && len(present) > 1 {
			errs.Forbidden(path.Child(name), "must populate the given metric source only")
		}
	}
	if !found && !r.Has(kubeversion.ContainerMetrics) {
		missing := path.Key("")
		if want != "" {
			missing = path.Child(want)
		}
		errs.Required(missing, "must populate information for the given metric source")
	} else if !found && want != "" {
		detail := "must populate information for the given metric source"
		if want == "containerResource" && r.Disabled("HPAContainerMetrics") {
			detail += " (only allowed when HPAContainerMetrics feature is enabled)"
		}
		errs.Required(path.Child(want), detail)
	}
	return errs.List()
}

func objectMetric(m *autoscalingv2.ObjectMetricSource, may targetVersions, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(scaleTarget(m.DescribedObject, may, path.Child("describedObject")))
	errs.Add(namedMetric(m.Metric, m.Target, path, "must set either a target value or averageValue"))
	return errs.List()
}

func podsMetric(m *autoscalingv2.PodsMetricSource, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(metricName(m.Metric, path.Child("metric")))
	errs.Add(metricTarget(m.Target, path.Child("target")))
	if m.Target.AverageValue == nil {
		errs.Required(path.Child("target", "averageValue"), "must specify a positive target averageValue")
	}
	return errs.List()
}

func namedMetric(name autoscalingv2.MetricIdentifier, t autoscalingv2.MetricTarget, path *field.Path, missing string) field.ErrorList {
	var errs rules.Errors
	errs.Add(metricName(name, path.Child("metric")))
	errs.Add(metricTarget(t, path.Child("target")))
	if t.Value == nil && t.AverageValue == nil {
		errs.Required(path.Child("target", "averageValue"), missing)
	}
	return errs.List()
}

func metricName(m autoscalingv2.MetricIdentifier, path *field.Path) field.ErrorList {
	if m.Name == "" {
		return field.ErrorList{field.Required(path.Child("name"), "must specify a metric name")}
	}
	return rules.PathName(path.Child("name"), m.Name)
}

func resourceMetric(m *autoscalingv2.ResourceMetricSource, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if m.Name == "" {
		errs.Required(path.Child("name"), "must specify a resource name")
	}
	errs.Add(resourceTarget(m.Target, path.Child("target")))
	return errs.List()
}

func resourceTarget(t autoscalingv2.MetricTarget, target *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(metricTarget(t, target))
	switch {
	case t.AverageUtilization == nil && t.AverageValue == nil:
		errs.Required(target.Child("averageUtilization"), "must set either a target raw value or a target utilization")
	case t.AverageUtilization != nil && t.AverageValue != nil:
		errs.Forbidden(target.Child("averageValue"), "may not set both a target raw value and a target utilization")
	}
	return errs.List()
}

func containerMetric(m *autoscalingv2.ContainerResourceMetricSource, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if m.Name == "" {
		errs.Required(path.Child("name"), "must specify a resource name")
	} else {
		errs.Add(containerResource(m.Name, path.Child("name")))
	}
	if m.Container == "" {
		errs.Required(path.Child("container"), "must specify a container")
	} else {
		errs.Add(rules.Faults(path.Child("container"), m.Container, rules.DNS1123Label(m.Container)))
	}
	errs.Add(resourceTarget(m.Target, path.Child("target")))
	return errs.List()
}

// containerResource is [pod.ContainerResource], except that an error about the form of a name has its text as value, which
// is shown with quotes, not the name of a resource: kubernetes/kubernetes:pkg/apis/core/v1/validation/validation.go.
func containerResource(name corev1.ResourceName, at *field.Path) field.ErrorList {
	errs := rules.Faults(at, string(name), content.IsLabelKey(string(name)))
	if len(errs) == 0 {
		errs = rules.NameOfResource(string(name), at)
	}
	return append(errs, pod.ResourceOfContainers(name, at)...)
}

func metricTarget(t autoscalingv2.MetricTarget, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if t.Type == "" {
		errs.Required(path.Child("type"), "must specify a metric target type")
	}
	switch t.Type {
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	default:
		errs.Invalid(path.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue")
	}
	positive := func(q *resource.Quantity, name string) {
		if q != nil && q.Sign() != 1 {
			errs.Invalid(path.Child(name), q, "must be positive")
		}
	}
	positive(t.Value, "value")
	positive(t.AverageValue, "averageValue")
	if t.AverageUtilization != nil && *t.AverageUtilization < 1 {
		errs.Invalid(path.Child("averageUtilization"), t.AverageUtilization, "must be greater than 0")
	}
	return errs.List()
}

func scalingRules(s *autoscalingv2.HPAScalingRules, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	var errs rules.Errors
	if w := s.StabilizationWindowSeconds; w != nil {
		at := path.Child("stabilizationWindowSeconds")
		errs.Add(rules.Unless(*w >= 0, at, *w, "must be greater than or equal to zero"))
		errs.Add(rules.Unless(*w <= maxStabilization, at, *w, "must be less than or equal to 3600"))
	}
	errs.Add(rules.OneOf(s.SelectPolicy, selectPolicies, path.Child("selectPolicy")))
	if t := s.Tolerance; t != nil && t.Sign() < 0 {
		errs.Invalid(path.Child("tolerance"), t.String(), "must be greater than or equal to 0")
	}
	path = path.Child("policies")
	if len(s.Policies) == 0 {
		errs.Required(path, "must specify at least one Policy")
		return errs.List()
	}
	for i, p := range s.Policies {
		at := path.Index(i)
		errs.Add(rules.OneOf(&p.Type, scalingPolicies, at.Child("type")))
		errs.Add(rules.Unless(p.Value > 0, at.Child("value"), p.Value, "must be greater than zero"))
		errs.Add(rules.Unless(p.PeriodSeconds > 0, at.Child("periodSeconds"), p.PeriodSeconds, "must be greater than zero"))
		errs.Add(rules.Unless(p.PeriodSeconds <= maxPeriod, at.Child("periodSeconds"), p.PeriodSeconds, "must be less than or equal to 1800"))
	}
	return errs.List()
}
