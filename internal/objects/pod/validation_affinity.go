// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func validateAffinity(a *corev1.Affinity, at *field.Path, r rules.Request) field.ErrorList {
	if a == nil {
		return nil
	}
	var errs rules.Errors
	if n := a.NodeAffinity; n != nil {
		errs.Add(nodeAffinity(n, rules.Child(at, "nodeAffinity"), r))
	}
	if p := a.PodAffinity; p != nil {
		errs.Add(podAffinity(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, rules.Child(at, "podAffinity"), r.Release))
	}
	if p := a.PodAntiAffinity; p != nil {
		errs.Add(podAffinity(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, rules.Child(at, "podAntiAffinity"), r.Release))
	}
	return errs.List()
}

const (
	RequiredTerms  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution"
)

func nodeAffinity(n *corev1.NodeAffinity, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if s := n.RequiredDuringSchedulingIgnoredDuringExecution; s != nil {
		errs.Add(NodeSelector(s, RequiredValues(r), rules.Child(at, RequiredTerms)))
	}
	for i, t := range n.PreferredDuringSchedulingIgnoredDuringExecution {
		at := rules.Nth(rules.Child(at, preferredTerms), i)
		if t.Weight <= 0 || t.Weight > 100 {
			errs.Invalid(rules.Child(at, "weight"), t.Weight, "must be in the range 1-100")
		}
		errs.Add(nodeTerm(t.Preference, AnyValue, rules.Child(at, "preference")))
	}
	return errs.List()
}

// Values says which values a node selector may ask for.
type Values int

const (
	AnyValue        Values = iota
	LabelValue             // a valid label value
	LabelOrOldValue        // a valid label value, or any value if the old object asked for an invalid one
)

// RequiredValues returns the values that the node affinity of pods and volumes may ask for in a release.
func RequiredValues(r rules.Request) Values {
	if r.Release.Has(kubeversion.NodeSelectorValuesChecked) {
		return LabelOrOldValue
	}
	return AnyValue
}

const requiredAffinity rules.Excuse = "values of required node affinity"

func NodeSelector(s *corev1.NodeSelector, values Values, at *field.Path) field.ErrorList {
	at = rules.Child(at, "nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(at, "must have at least one node selector term")}
	}
	var errs rules.Errors
	for i, t := range s.NodeSelectorTerms {
		errs.Add(nodeTerm(t, values, rules.Nth(at, i)))
	}
	return errs.List()
}

// nodeTerm checks a term. A preferred term may ask for invalid label values.
func nodeTerm(t corev1.NodeSelectorTerm, values Values, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, r := range t.MatchExpressions {
		errs.Add(nodeRequirement(r, values, rules.Nth(rules.Child(at, "matchExpressions"), i)))
	}
	for i, r := range t.MatchFields {
		errs.Add(nodeFieldRequirement(r, rules.Nth(rules.Child(at, "matchFields"), i)))
	}
	return errs.List()
}

func nodeFieldRequirement(r corev1.NodeSelectorRequirement, at *field.Path) field.ErrorList {
	var errs rules.Errors
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(r.Values) != 1 {
			errs.Required(rules.Child(at, "values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector")
		}
	default:
		errs.Invalid(rules.Child(at, "operator"), r.Operator, "not a valid selector operator")
	}
	if r.Key != metav1.ObjectNameField {
		errs.Invalid(rules.Child(at, "key"), r.Key, "not a valid field selector key")
		return errs.List()
	}
	for i, v := range r.Values {
		errs.Add(rules.Faults(rules.Nth(rules.Child(at, "values"), i), v, rules.DNSSubdomain(v, false)))
	}
	return errs.List()
}

func nodeRequirement(r corev1.NodeSelectorRequirement, values Values, at *field.Path) field.ErrorList {
	var errs rules.Errors
	switch r.Operator {
	case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
		if len(r.Values) == 0 {
			errs.Required(rules.Child(at, "values"), "must be specified when `operator` is 'In' or 'NotIn'")
		}
	case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			errs.Forbidden(rules.Child(at, "values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")
		}
	case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
		if len(r.Values) != 1 {
			errs.Required(rules.Child(at, "values"), "must be specified single value when `operator` is 'Lt' or 'Gt'")
		}
	default:
		errs.Invalid(rules.Child(at, "operator"), r.Operator, "not a valid selector operator")
	}
	errs.Add(rules.LabelName(r.Key, rules.Child(at, "key")))
	if values == AnyValue {
		return errs.List()
	}
	for i, v := range r.Values {
		wrong := rules.Faults(rules.Nth(rules.Child(at, "values"), i), v, utilvalidation.IsValidLabelValue(v))
		if values == LabelOrOldValue {
			wrong = requiredAffinity.Of(wrong)
		}
		errs.Add(wrong)
	}
	return errs.List()
}

func podAffinity(must []corev1.PodAffinityTerm, may []corev1.WeightedPodAffinityTerm, at *field.Path, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	for i, t := range must {
		errs.Add(podTerm(t, rules.Nth(rules.Child(at, RequiredTerms), i), r))
	}
	for i, t := range may {
		at := rules.Nth(rules.Child(at, preferredTerms), i)
		if t.Weight <= 0 || t.Weight > 100 {
			errs.Invalid(rules.Child(at, "weight"), t.Weight, "must be in the range 1-100")
		}
		errs.Add(podTerm(t.PodAffinityTerm, rules.Child(at, "podAffinityTerm"), r))
	}
	return errs.List()
}

func podTerm(t corev1.PodAffinityTerm, at *field.Path, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	selector := "labelSelector"
	if !r.Has(kubeversion.NamespaceSelectors) {
		selector = "matchExpressions"
	}
	errs.Add(rules.LabelValues.Selector(t.LabelSelector, rules.Child(at, selector)))
	errs.Add(rules.LabelValues.Selector(t.NamespaceSelector, rules.Child(at, "namespaceSelector")))
	for _, name := range t.Namespaces {
		errs.Add(rules.Faults(rules.Child(at, "namespace"), name, rules.NamespaceName(name, false)))
	}
	errs.Add(labelKeys(t.MatchLabelKeys, t.MismatchLabelKeys, t.LabelSelector, at))
	errs.Add(topologyKey(t.TopologyKey, rules.Child(at, "topologyKey")))
	return errs.List()
}
