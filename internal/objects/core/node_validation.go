// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package core

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func validateNode(n *corev1.Node, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(avoidedPods(n.Annotations))
	errs.Add(nodeTaints(n.Spec.Taints))
	errs.Add(nodeResources(n))
	errs.Add(oneHugePageSize(n, rules.OldOf[*corev1.Node](r), r))
	if s := n.Status.NodeInfo.Swap; s != nil && s.Capacity != nil {
		errs.Add(rules.Unless(*s.Capacity > 0, rules.MetadataPath.Child("nodeSwapStatus", "capacity"), *s.Capacity, "must be greater than zero"))
	}
	errs.Add(declaredFeatures(n.Status.DeclaredFeatures))
	if !r.Release.Has(kubeversion.PodCIDRLists) {
		if cidr := n.Spec.PodCIDR; cidr != "" && len(rules.Range(nil, cidr, nil, r)) > 0 {
			errs.Invalid(rules.SpecPath.Child("podCIDR"), cidr, "not a valid CIDR")
		}
		return errs.List()
	}
	at, cidrs := rules.SpecPath.Child("podCIDRs"), n.Spec.PodCIDRs
	errs.Add(rules.EachOf(cidrs, -1, at, func(cidr string, at *field.Path) field.ErrorList {
		wrong := rules.Range(at, cidr, nil, r)
		if len(wrong) > 0 && !r.Release.Has(kubeversion.PodCIDRsExplained) {
			return field.ErrorList{field.Invalid(at, cidrs, "must be valid CIDR")}
		}
		return wrong
	}))
	if len(cidrs) < 2 {
		return errs.List()
	}
	dual, err := netutils.IsDualStackCIDRStrings(cidrs)
	if err != nil {
		errs.Append(field.InternalError(at, notDualStack{err}))
	}
	errs.Add(rules.Unless(dual && len(cidrs) == 2, at, cidrs, "may specify no more than one CIDR for each IP family"))
	if !r.Release.Has(kubeversion.FamiliesSuffice) {
		errs.Add(rules.Repeated(cidrs, at))
	}
	return errs.List()
}

// avoidedPods checks an annotation that used to say which pods should avoid a node.
func avoidedPods(annotations map[string]string) field.ErrorList {
	const key = corev1.PreferAvoidPodsAnnotationKey
	if annotations[key] == "" {
		return nil
	}
	var avoided corev1.AvoidPods
	if err := json.Unmarshal([]byte(annotations[key]), &avoided); err != nil {
		return field.ErrorList{field.Invalid(rules.AnnotationsPath.Child("AvoidPods"), key, err.Error())}
	}
	var errs rules.Errors
	for i, a := range avoided.PreferAvoidPods {
		at := rules.AnnotationsPath.Child(key).Index(i).Child("PodSignature")
		switch c := a.PodSignature.PodController; {
		case c == nil:
			errs.Required(at, "")
		case c.Controller == nil: // the server does not expect this
		default:
			errs.Add(rules.Unless(*c.Controller, at.Child("PodController", "Controller"), *c.Controller, "must point to a controller"))
		}
	}
	return errs.List()
}

// notDualStack has the server's message.
type notDualStack struct{ error }

func (e notDualStack) Error() string {
	return "invalid PodCIDRs. failed to check with dual stack with error:" + e.error.Error()
}

func validateNodeUpdate(n, old *corev1.Node, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(avoidedPods(n.Annotations))
	errs.Add(nodeResources(n))
	errs.Add(oneHugePageSize(n, old, r))
	errs.Add(declaredFeatures(n.Status.DeclaredFeatures))
	seen := map[corev1.NodeAddress]bool{}
	for i, a := range n.Status.Addresses {
		if seen[a] {
			errs.Duplicate(field.NewPath("status", "addresses").Index(i), rules.AsInternal(a))
		}
		seen[a] = true
	}
	errs.Add(samePodCIDRs(n, old, r))
	if before := old.Spec.ProviderID; before != "" && before != n.Spec.ProviderID {
		at := rules.SpecPath.Child("providerID")
		switch {
		case !r.Release.Has(kubeversion.ProviderIDWords):
			errs.Forbidden(at, `node updates may not change providerID except from "" to valid`)
		case n.Spec.ProviderID == "":
			errs.Invalid(at, nil, "field cannot be cleared once set")
		default:
			errs.Invalid(at, nil, "field cannot be modified once set")
		}
	}
	if s := n.Spec.ConfigSource; s != nil {
		errs.Add(configSource(s, false, rules.SpecPath.Child("configSource")))
	}
	if c := n.Status.Config; c != nil {
		for _, s := range []struct {
			name   string
			source *corev1.NodeConfigSource
		}{{"assigned", c.Assigned}, {"active", c.Active}, {"lastKnownGood", c.LastKnownGood}} {
			if s.source != nil {
				errs.Add(configSource(s.source, true, field.NewPath("status", "config", s.name)))
			}
		}
	}
	errs.Add(nodeTaints(n.Spec.Taints))
	switch {
	case !r.Release.Has(kubeversion.NodeSpecFieldsChecked):
		errs.Add(sameProtectedFields(&n.Spec, &old.Spec))
	case n.Spec.DoNotUseExternalID != old.Spec.DoNotUseExternalID:
		errs.Forbidden(rules.SpecPath.Child("externalID"), "may not be updated")
	}
	return errs.List()
}

// sameProtectedFields requires the fields of a node's spec that must not change to stay the same, together.
func sameProtectedFields(after, before *corev1.NodeSpec) field.ErrorList {
	if (before.PodCIDR == "" || after.PodCIDR == before.PodCIDR) && (len(before.PodCIDRs) == 0 || slices.Equal(after.PodCIDRs, before.PodCIDRs)) &&
		(before.ProviderID == "" || after.ProviderID == before.ProviderID) && after.DoNotUseExternalID == before.DoNotUseExternalID {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath(""), "node updates may only change labels, taints, or capacity (or configSource, if the DynamicKubeletConfig feature gate is enabled)")}
}

// oneHugePageSize requires the resources of a node to have huge pages of one size only. The server reports what it reads
// after the second size, in any order.
func oneHugePageSize(n, old *corev1.Node, r rules.Request) field.ErrorList {
	if r.Release.Has(kubeversion.NodesMixHugePages) {
		return nil
	}
	var errs rules.Errors
	for _, part := range []struct {
		name string
		list corev1.ResourceList
	}{{"capacity", n.Status.Capacity}, {"allocatable", n.Status.Allocatable}} {
		sizes := 0
		for name, q := range rules.Sorted(part.list) {
			if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) && q.Sign() > 0 {
				sizes++
			}
			if sizes > 1 {
				errs.Invalid(field.NewPath("status", part.name, string(name)), q, "may not have pre-allocated hugepages for multiple page sizes")
			}
		}
	}
	if old != nil && r.Release.Has(kubeversion.MixedHugePagesKept) && len(oneHugePageSize(old, nil, r)) > 0 {
		return nil
	}
	return errs.List()
}

func samePodCIDRs(n, old *corev1.Node, r rules.Request) field.ErrorList {
	after, before, at := n.Spec.PodCIDRs, old.Spec.PodCIDRs, rules.SpecPath.Child("podCIDRs")
	if !r.Release.Has(kubeversion.PodCIDRLists) {
		at = rules.SpecPath.Child("podCIDR")
	}
	changed := field.Forbidden(at, `node updates may not change podCIDR except from "" to valid`)
	if len(before) > 0 && len(after) != len(before) {
		return field.ErrorList{changed}
	}
	var errs rules.Errors
	for i := range before {
		if after[i] != before[i] {
			errs.Append(changed)
		}
	}
	return errs.List()
}

// nodeTaints checks taints. The path in errors is where they used to be.
func nodeTaints(taints []corev1.Taint) field.ErrorList {
	type identity struct {
		effect corev1.TaintEffect
		key    string
	}
	seen := map[identity]bool{}
	return rules.EachOf(taints, -1, rules.MetadataPath.Child("taints"), func(t corev1.Taint, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.LabelName(t.Key, at.Child("key")))
		if wrong := utilvalidation.IsValidLabelValue(t.Value); len(wrong) > 0 {
			errs.Invalid(at.Child("value"), t.Value, strings.Join(wrong, ";"))
		}
		if t.Effect == "" {
			errs.Required(at.Child("effect"), "")
		} else {
			errs.Add(taintEffect(t.Effect, at.Child("effect")))
		}
		id := identity{t.Effect, t.Key}
		if seen[id] {
			twice := field.Duplicate(at, rules.AsInternal(t))
			twice.Detail = "taints must be unique by key and effect pair"
			errs.Append(twice)
		}
		seen[id] = true
		return errs.List()
	})
}

func taintEffect(e corev1.TaintEffect, at *field.Path) field.ErrorList {
	switch e {
	case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		return nil
	}
	return field.ErrorList{field.NotSupported(at, e, []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute})}
}

func nodeResources(n *corev1.Node) field.ErrorList {
	var errs rules.Errors
	for _, part := range []struct {
		name string
		list corev1.ResourceList
	}{{"capacity", n.Status.Capacity}, {"allocatable", n.Status.Allocatable}} {
		for name, q := range rules.Sorted(part.list) {
			errs.Add(rules.ReadQuantity(name, q, field.NewPath("status", part.name, string(name))))
		}
	}
	return errs.List()
}

var featureName = regexp.MustCompile(`^[A-Z][a-zA-Z0-9]*(/[a-zA-Z][a-zA-Z0-9]*)*$`)

func declaredFeatures(features []string) field.ErrorList {
	var errs rules.Errors
	at := field.NewPath("status", "declaredFeatures")
	for i, f := range features {
		switch {
		case len(f) > utilvalidation.DNS1123SubdomainMaxLength:
			errs.Invalid(at.Index(i), f, fmt.Sprintf("invalid feature name %q: must be no more than %d characters", f, utilvalidation.DNS1123SubdomainMaxLength))
		case !featureName.MatchString(f):
			errs.Invalid(at.Index(i), f, fmt.Sprintf("invalid feature name %q: must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes", f))
		}
		switch {
		case i == 0:
		case f == features[i-1]:
			errs.Duplicate(at.Index(i), f)
		case f < features[i-1]:
			errs.Invalid(at.Index(i), f, "list must be sorted alphabetically")
		}
	}
	return errs.List()
}

// configSource requires a source of configuration to be complete, although it no longer has any effect.
func configSource(s *corev1.NodeConfigSource, inStatus bool, at *field.Path) field.ErrorList {
	if s.ConfigMap == nil {
		return field.ErrorList{field.Invalid(at, rules.AsInternal(*s), "exactly one reference subfield must be non-nil")}
	}
	var errs rules.Errors
	c, at := s.ConfigMap, at.Child("configMap")
	for _, set := range []struct{ name, value string }{{"uid", string(c.UID)}, {"resourceVersion", c.ResourceVersion}} {
		switch {
		case inStatus && set.value == "":
			errs.Required(at.Child(set.name), "")
		case !inStatus && set.value != "":
			errs.Forbidden(at.Child(set.name), set.name+" must not be set in spec")
		}
	}
	for _, need := range []struct {
		name, value string
		wrong       func(string) []string
	}{
		{"namespace", c.Namespace, func(name string) []string { return rules.NamespaceName(name, false) }},
		{"name", c.Name, func(name string) []string { return rules.DNSSubdomain(name, false) }},
		{"kubeletConfigKey", c.KubeletConfigKey, utilvalidation.IsConfigMapKey},
	} {
		if need.value == "" {
			errs.Required(at.Child(need.name), "")
			continue
		}
		errs.Add(rules.Faults(at.Child(need.name), need.value, need.wrong(need.value)))
	}
	return errs.List()
}

func nodeWarnings(n, _ *corev1.Node, r rules.Request) []string {
	if r.Subresource == "status" {
		return nil
	}
	var warnings []string
	if n.Spec.ConfigSource != nil {
		gone := "the feature is removed"
		if !r.Release.Has(kubeversion.KubeletConfigGone) {
			gone = "deprecated in v1.22, support removal is planned in v1.23"
		}
		warnings = append(warnings, "spec.configSource: "+gone)
	}
	if n.Spec.DoNotUseExternalID != "" && r.Release.Has(kubeversion.MoreKindWarnings) {
		warnings = append(warnings, "spec.externalID: this field is deprecated, and is unused by Kubernetes")
	}
	for i, cidr := range n.Spec.PodCIDRs {
		warnings = append(warnings, rules.RangeWarnings(rules.SpecPath.Child("podCIDRs").Index(i), cidr, r)...)
	}
	return warnings
}
