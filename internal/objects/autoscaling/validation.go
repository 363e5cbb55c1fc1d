package autoscaling

import (
	"fmt"
	"slices"
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
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

func validateScaler(h *autoscalingv2.HorizontalPodAutoscaler, r rules.Request) field.ErrorList {
	return scalerSpec(&h.Spec, nil, r)
}

func validateScalerUpdate(h, old *autoscalingv2.HorizontalPodAutoscaler, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		path := field.NewPath("status")
		errs := validation.ValidateNonnegativeField(int64(h.Status.CurrentReplicas), path.Child("currentReplicas"))
		return append(errs, validation.ValidateNonnegativeField(int64(h.Status.DesiredReplicas), path.Child("desiredReplicas"))...)
	}
	return scalerSpec(&h.Spec, &old.Spec, r)
}

// scalerSpec checks a spec; what old has of replicas and versions stays allowed.
func scalerSpec(s, old *autoscalingv2.HorizontalPodAutoscalerSpec, r rules.Request) field.ErrorList {
	var errs field.ErrorList
	metrics := rules.SpecPath.Child("metrics")
	least := int32(1)
	if old != nil && old.MinReplicas != nil && *old.MinReplicas == 0 {
		least = 0
	}
	if s.MinReplicas != nil && *s.MinReplicas < least {
		errs = append(errs, field.Invalid(rules.SpecPath.Child("minReplicas"), *s.MinReplicas, fmt.Sprintf("must be greater than or equal to %d", least)))
	}
	if s.MinReplicas != nil && *s.MinReplicas == 0 && !scalesFromOutside(s.Metrics) {
		errs = append(errs, field.Forbidden(metrics, "must specify at least one Object or External metric to support scaling to zero replicas"))
	}
	if s.MaxReplicas < 1 && !r.Release.Has(kubeversion.MaxReplicasRequired) {
		errs = append(errs, field.Invalid(rules.SpecPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than 0"))
	} else if s.MaxReplicas < 0 {
		errs = append(errs, field.Invalid(rules.SpecPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to 1"))
	} else if s.MaxReplicas == 0 {
		errs = append(errs, field.Required(rules.SpecPath.Child("maxReplicas"), "must be set and greater than 0"))
	}
	if s.MinReplicas != nil && s.MaxReplicas < *s.MinReplicas {
		errs = append(errs, field.Invalid(rules.SpecPath.Child("maxReplicas"), s.MaxReplicas, "must be greater than or equal to `minReplicas`"))
	}
	t := s.ScaleTargetRef
	checked := r.Release.Has(kubeversion.ScaleTargetVersionChecked)
	kept := old != nil && old.ScaleTargetRef.APIVersion == t.APIVersion && old.ScaleTargetRef.Kind == t.Kind
	errs = append(errs, scaleTarget(t, targetVersions{!checked || kept, t.Kind == "ReplicationController"}, rules.SpecPath.Child("scaleTargetRef"))...)
	described := targetVersions{!checked || old != nil && describesWrongVersion(old.Metrics), true}
	for i := range s.Metrics {
		errs = append(errs, metric(&s.Metrics[i], described, metrics.Index(i))...)
	}
	if s.Behavior == nil {
		return errs
	}
	errs = append(errs, scalingRules(s.Behavior.ScaleUp, rules.SpecPath.Child("behavior", "scaleUp"))...)
	return append(errs, scalingRules(s.Behavior.ScaleDown, rules.SpecPath.Child("behavior", "scaleDown"))...)
}

func scalesFromOutside(metrics []autoscalingv2.MetricSpec) bool {
	for _, m := range metrics {
		if m.Type == autoscalingv2.ObjectMetricSourceType || m.Type == autoscalingv2.ExternalMetricSourceType {
			return true
		}
	}
	return false
}

// targetVersions tells which versions a reference may have: wrong ones too, or one of the core group.
type targetVersions struct{ wrong, core bool }

func scaleTarget(ref autoscalingv2.CrossVersionObjectReference, may targetVersions, path *field.Path) field.ErrorList {
	errs := rules.PathName(path.Child("kind"), ref.Kind)
	errs = append(errs, rules.PathName(path.Child("name"), ref.Name)...)
	if may.wrong {
		return errs
	}
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return append(errs, field.Invalid(path.Child("apiVersion"), ref.APIVersion, err.Error()))
	}
	return append(errs, rules.Unless(may.core || gv.Group != "", path.Child("apiVersion"), ref.APIVersion, "apiVersion must specify API group")...)
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

// metric checks one metric: a source of the type it says, and no other.
func metric(m *autoscalingv2.MetricSpec, described targetVersions, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	at := path.Child("type")
	if m.Type == "" {
		errs = append(errs, field.Required(at, "must specify a metric source type"))
	}
	want := ""
	if wrong := rules.OneOf(&m.Type, metricSources, at); len(wrong) > 0 {
		errs = append(append(errs, wrong...), wrong...) // the server says it twice
	} else {
		want = strings.ToLower(string(m.Type[0])) + string(m.Type[1:])
	}
	var present []string
	source := func(name string, given bool, check func(*field.Path) field.ErrorList) {
		if !given {
			return
		}
		if present = append(present, name); len(present) == 1 {
			errs = append(errs, check(path.Child(name))...)
		}
	}
	source("object", m.Object != nil, func(p *field.Path) field.ErrorList { return objectMetric(m.Object, described, p) })
	source("external", m.External != nil, func(p *field.Path) field.ErrorList {
		errs := namedMetric(m.External.Metric, m.External.Target, p, "must set either a target value for metric or a per-pod target")
		if t := m.External.Target; t.Value != nil && t.AverageValue != nil {
			errs = append(errs, field.Forbidden(p.Child("target", "value"), "may not set both a target value for metric and a per-pod target"))
		}
		return errs
	})
	source("pods", m.Pods != nil, func(p *field.Path) field.ErrorList { return podsMetric(m.Pods, p) })
	source("resource", m.Resource != nil, func(p *field.Path) field.ErrorList {
		return resourceMetric(string(m.Resource.Name), m.Resource.Target, p)
	})
	source("containerResource", m.ContainerResource != nil, func(p *field.Path) field.ErrorList {
		return containerMetric(m.ContainerResource, p)
	})
	found := false
	for _, name := range present {
		found = found || name == want
		if name != want && len(present) > 1 {
			errs = append(errs, field.Forbidden(path.Child(name), "must populate the given metric source only"))
		}
	}
	if !found && want != "" {
		errs = append(errs, field.Required(path.Child(want), "must populate information for the given metric source"))
	}
	return errs
}

func objectMetric(m *autoscalingv2.ObjectMetricSource, may targetVersions, path *field.Path) field.ErrorList {
	errs := scaleTarget(m.DescribedObject, may, path.Child("describedObject"))
	return append(errs, namedMetric(m.Metric, m.Target, path, "must set either a target value or averageValue")...)
}

func podsMetric(m *autoscalingv2.PodsMetricSource, path *field.Path) field.ErrorList {
	errs := metricName(m.Metric, path.Child("metric"))
	errs = append(errs, metricTarget(m.Target, path.Child("target"))...)
	if m.Target.AverageValue == nil {
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
	return rules.PathName(path.Child("name"), m.Name)
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

func containerMetric(m *autoscalingv2.ContainerResourceMetricSource, path *field.Path) field.ErrorList {
	errs := resourceMetric(string(m.Name), m.Target, path)
	if m.Name != "" {
		errs = append(errs, pod.ContainerResource(m.Name, path.Child("name"))...)
	}
	if m.Container == "" {
		return append(errs, field.Required(path.Child("container"), "must specify a container"))
	}
	return append(errs, rules.Faults(path.Child("container"), m.Container, rules.DNS1123Label(m.Container))...)
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
		errs = append(errs, rules.Unless(*w >= 0, at, *w, "must be greater than or equal to zero")...)
		errs = append(errs, rules.Unless(*w <= maxStabilization, at, *w, "must be less than or equal to 3600")...)
	}
	errs = append(errs, rules.OneOf(s.SelectPolicy, selectPolicies, path.Child("selectPolicy"))...)
	if t := s.Tolerance; t != nil && t.Sign() < 0 {
		errs = append(errs, field.Invalid(path.Child("tolerance"), t.String(), "must be greater than or equal to 0"))
	}
	path = path.Child("policies")
	if len(s.Policies) == 0 {
		return append(errs, field.Required(path, "must specify at least one Policy"))
	}
	for i, p := range s.Policies {
		at := path.Index(i)
		errs = append(errs, rules.OneOf(&p.Type, scalingPolicies, at.Child("type"))...)
		errs = append(errs, rules.Unless(p.Value > 0, at.Child("value"), p.Value, "must be greater than zero")...)
		errs = append(errs, rules.Unless(p.PeriodSeconds > 0, at.Child("periodSeconds"), p.PeriodSeconds, "must be greater than zero")...)
		errs = append(errs, rules.Unless(p.PeriodSeconds <= maxPeriod, at.Child("periodSeconds"), p.PeriodSeconds, "must be less than or equal to 1800")...)
	}
	return errs
}
