package objects

import (
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The values that fields of autoscalers may have, in the order of messages, and how far
// they may look back.
var (
	metricSources    = []string{"ContainerResource", "External", "Object", "Pods", "Resource"}
	scalingPolicies  = []string{"Percent", "Pods"}
	selectPolicies   = []string{"Disabled", "Max", "Min"}
	maxPeriod        = int32(1800)
	maxStabilization = int32(3600)
)

func validateScaler(h *autoscalingv2.HorizontalPodAutoscaler, _ request) field.ErrorList {
	return scalerSpec(&h.Spec, nil)
}

func validateScalerUpdate(h, old *autoscalingv2.HorizontalPodAutoscaler, r request) field.ErrorList {
	if r.Subresource == "status" {
		path := field.NewPath("status")
		errs := validation.ValidateNonnegativeField(int64(h.Status.CurrentReplicas), path.Child("currentReplicas"))
		return append(errs, validation.ValidateNonnegativeField(int64(h.Status.DesiredReplicas), path.Child("desiredReplicas"))...)
	}
	return scalerSpec(&h.Spec, &old.Spec)
}

// scalerSpec checks a spec; what old points to with a wrong version stays allowed.
func scalerSpec(s, old *autoscalingv2.HorizontalPodAutoscalerSpec) field.ErrorList {
	var errs field.ErrorList
	metrics := specPath.Child("metrics")
	if s.MinReplicas != nil && *s.MinReplicas < 1 {
		errs = append(errs, field.Invalid(specPath.Child("minReplicas"), *s.MinReplicas, "must be greater than or equal to 1"))
		if *s.MinReplicas == 0 && !scalesFromOutside(s.Metrics) {
			errs = append(errs, field.Forbidden(metrics, "must specify at least one Object or External metric to support scaling to zero replicas"))
		}
	}
	if s.MaxReplicas < 0 {
		errs = append(errs, field.Invalid(specPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to 1"))
	} else if s.MaxReplicas == 0 {
		errs = append(errs, field.Required(specPath.Child("maxReplicas"), "must be set and greater than 0"))
	}
	if s.MinReplicas != nil && s.MaxReplicas < *s.MinReplicas {
		errs = append(errs, field.Invalid(specPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	anyVersion := old != nil && len(targetVersion(old.ScaleTargetRef, nil)) > 0
	errs = append(errs, scaleTarget(s.ScaleTargetRef, anyVersion, specPath.Child("scaleTargetRef"))...)
	for i := range s.Metrics {
		errs = append(errs, metric(&s.Metrics[i], metrics.Index(i))...)
	}
	if s.Behavior == nil {
		return errs
	}
	errs = append(errs, scalingRules(s.Behavior.ScaleUp, specPath.Child("behavior", "scaleUp"))...)
	return append(errs, scalingRules(s.Behavior.ScaleDown, specPath.Child("behavior", "scaleDown"))...)
}

func scalesFromOutside(metrics []autoscalingv2.MetricSpec) bool {
	for _, m := range metrics {
		if m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType {
			return true
		}
	}
	return false
}

func scaleTarget(ref autoscalingv2.CrossVersionObjectReference, anyVersion bool, path *field.Path) field.ErrorList {
	errs := pathName(path.Child("kind"), ref.Kind)
	errs = append(errs, pathName(path.Child("name"), ref.Name)...)
	if anyVersion {
		return errs
	}
	return append(errs, targetVersion(ref, path.Child("apiVersion"))...)
}

// targetVersion asks for the group of a target, but for those that are in the core group.
func targetVersion(ref autoscalingv2.CrossVersionObjectReference, path *field.Path) field.ErrorList {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return field.ErrorList{field.Invalid(path, ref.APIVersion, err.Error())}
	}
	return unless(gv.Group != "" || ref.Kind == "ReplicationController", path, ref.APIVersion, "apiVersion must specify API group")
}

func metric(m *autoscalingv2.MetricSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("type")
	if m.Type == "" {
		errs = append(errs, field.Required(at, "must specify a metric source type"))
	}
	if wrong := oneOf(&m.Type, metricSources, at); len(wrong) > 0 {
		return append(append(errs, wrong...), wrong...) // the server says it twice
	}
	want := strings.ToLower(string(m.Type[0])) + string(m.Type[1:])
	var present []string
	source := func(name string, given bool, check func(*field.Path) field.ErrorList) {
		if !given {
			return
		}
		if present = append(present, name); len(present) == 1 {
			errs = append(errs, check(path.Child(name))...)
		}
	}
	source("object", m.Object != nil, func(p *field.Path) field.ErrorList { return objectMetric(m.Object, p) })
	source("external", m.External != nil, func(p *field.Path) field.ErrorList {
		return namedMetric(m.External.Metric, m.External.Target, p, "must set either a target value for metric or a per-pod target")
	})
	source("pods", m.Pods != nil, func(p *field.Path) field.ErrorList { return podsMetric(m.Pods, p) })
	source("resource", m.Resource != nil, func(p *field.Path) field.ErrorList {
		return resourceMetric(string(m.Resource.Name), m.Resource.Target, p)
	})
	source("containerResource", m.ContainerResource != nil, func(p *field.Path) field.ErrorList {
		errs := resourceMetric(string(m.ContainerResource.Name), m.ContainerResource.Target, p)
		if m.ContainerResource.Container == "" {
			errs = append(errs, field.Required(p.Child("container"), "must specify a container"))
		}
		return errs
	})
	found := false
	for _, name := range present {
		found = found || name == want
		if name != want && len(present) > 1 {
			errs = append(errs, field.Forbidden(path.Child(name), "must populate the given metric source only"))
		}
	}
	if !found {
		errs = append(errs, field.Required(path.Child(want), "must populate information for the given metric source"))
	}
	return errs
}

func objectMetric(m *autoscalingv2.ObjectMetricSource, path *field.Path) field.ErrorList {
	errs := scaleTarget(m.DescribedObject, true, path.Child("describedObject"))
	return append(errs, namedMetric(m.Metric, m.Target, path, "must specify either a positive target value or a positive target averageValue")...)
}

func podsMetric(m *autoscalingv2.PodsMetricSource, path *field.Path) field.ErrorList {
	errs := metricName(m.Metric, path.Child("metric"))
	errs = append(errs, metricTarget(m.Target, path.Child("target"))...)
	if m.Target.AverageValue == nil || m.Target.AverageValue.Sign() != 1 {
		errs = append(errs, field.Required(path.Child("target", "averageValue"), "must specify a positive target averageValue"))
	}
	return errs
}

func namedMetric(name autoscalingv2.MetricIdentifier, t autoscalingv2.MetricTarget, path *field.Path, missing string) field.ErrorList {
	errs := metricName(name, path.Child("metric"))
	errs = append(errs, metricTarget(t, path.Child("target"))...)
	if t.Value == nil && t.AverageValue == nil {
		errs = append(errs, field.Required(path.Child("target", "averageValue"), missing))
	}
	return errs
}

func metricName(m autoscalingv2.MetricIdentifier, path *field.Path) field.ErrorList {
	if m.Name == "" {
		return field.ErrorList{field.Required(path.Child("name"), "must specify a metric name")}
	}
	return pathName(path.Child("name"), m.Name)
}

func resourceMetric(name string, t autoscalingv2.MetricTarget, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if name == "" {
		errs = append(errs, field.Required(path.Child("name"), "must specify a resource name"))
	}
	target := path.Child("target")
	errs = append(errs, metricTarget(t, target)...)
	switch {
	case t.AverageUtilization == nil && t.AverageValue == nil:
		errs = append(errs, field.Required(target.Child("averageUtilization"), "must set either a target raw value or a target utilization"))
	case t.AverageUtilization != nil && t.AverageValue != nil:
		errs = append(errs, field.Forbidden(target.Child("averageValue"), "may not set both a target raw value and a target utilization"))
	}
	return errs
}

func metricTarget(t autoscalingv2.MetricTarget, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Type == "" {
		errs = append(errs, field.Required(path.Child("type"), "must specify a metric target type"))
	}
	switch t.Type {
	case autoscalingv2.UtilizationMetricType, autoscalingv2.ValueMetricType, autoscalingv2.AverageValueMetricType:
	default:
		errs = append(errs, field.Invalid(path.Child("type"), t.Type, "must be either Utilization, Value, or AverageValue"))
	}
	positive := func(q *resource.Quantity, name string) {
		if q != nil && q.Sign() != 1 {
			errs = append(errs, field.Invalid(path.Child(name), q, "must be positive"))
		}
	}
	positive(t.Value, "value")
	positive(t.AverageValue, "averageValue")
	if t.AverageUtilization != nil && *t.AverageUtilization < 1 {
		errs = append(errs, field.Invalid(path.Child("averageUtilization"), t.AverageUtilization, "must be greater than 0"))
	}
	return errs
}

func scalingRules(s *autoscalingv2.HPAScalingRules, path *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	var errs field.ErrorList
	if w := s.StabilizationWindowSeconds; w != nil {
		at := path.Child("stabilizationWindowSeconds")
		errs = append(errs, unless(*w >= 0, at, *w, "must be greater than or equal to zero")...)
		errs = append(errs, unless(*w <= maxStabilization, at, *w, "must be less than or equal to 3600")...)
	}
	errs = append(errs, oneOf(s.SelectPolicy, selectPolicies, path.Child("selectPolicy"))...)
	if t := s.Tolerance; t != nil && t.Sign() < 0 {
		errs = append(errs, field.Invalid(path.Child("tolerance"), t.String(), "must be greater than or equal to 0"))
	}
	path = path.Child("policies")
	if len(s.Policies) == 0 {
		return append(errs, field.Required(path, "must specify at least one Policy"))
	}
	for i, p := range s.Policies {
		at := path.Index(i)
		errs = append(errs, oneOf(&p.Type, scalingPolicies, at.Child("type"))...)
		errs = append(errs, unless(p.Value > 0, at.Child("value"), p.Value, "must be greater than zero")...)
		errs = append(errs, unless(p.PeriodSeconds > 0, at.Child("periodSeconds"), p.PeriodSeconds, "must be greater than zero")...)
		errs = append(errs, unless(p.PeriodSeconds <= maxPeriod, at.Child("periodSeconds"), p.PeriodSeconds, "must be less than or equal to 1800")...)
	}
	return errs
}
