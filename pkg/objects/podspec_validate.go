package objects

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodSpec checks the spec of a pod, or of a template, which has to be stricter here
// and laxer there: kubernetes/kubernetes:pkg/apis/core/validation/validation.go. claims are
// volumes that the pod will be given besides.
func validatePodSpec(s *corev1.PodSpec, at *field.Path, ofPod bool, claims ...string) field.ErrorList {
	volumes, errs := validateVolumes(s.Volumes, at.Child("volumes"))
	for _, name := range claims {
		volumes[name] = true
	}
	k := newContainerCheck(s, volumes, ofPod)
	errs = append(errs, k.containers(s.Containers, at.Child("containers"))...)
	errs = append(errs, k.initContainers(s.InitContainers, at.Child("initContainers"))...)
	errs = append(errs, k.ephemeralContainers(s, at.Child("ephemeralContainers"))...)
	errs = append(errs, choice(s.RestartPolicy, at.Child("restartPolicy"), "", corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, choice(s.DNSPolicy, at.Child("dnsPolicy"), "", corev1.DNSClusterFirst, corev1.DNSClusterFirstWithHostNet, corev1.DNSDefault, corev1.DNSNone)...)
	errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, at.Child("nodeSelector"))...)
	errs = append(errs, validatePodSecurity(s, at)...)
	errs = append(errs, validateAffinity(s.Affinity, at.Child("affinity"))...)
	errs = append(errs, validateGates(s, at)...)
	errs = append(errs, validateSpread(s.TopologySpreadConstraints, at.Child("topologySpreadConstraints"))...)
	errs = append(errs, validatePodNames(s, at)...)
	errs = append(errs, validateTolerations(s.Tolerations, at.Child("tolerations"))...)
	errs = append(errs, validateHostAliases(s.HostAliases, at.Child("hostAliases"))...)
	if n := s.ActiveDeadlineSeconds; n != nil && (*n < 1 || *n > math.MaxInt32) {
		errs = append(errs, field.Invalid(at.Child("activeDeadlineSeconds"), *n, utilvalidation.InclusiveRangeError(1, math.MaxInt32)))
	}
	if p := s.PreemptionPolicy; p != nil {
		errs = append(errs, choice(*p, at.Child("preemptionPolicy"), "", corev1.PreemptLowerPriority, corev1.PreemptNever)...)
	}
	if s.OS != nil {
		errs = append(errs, choice(s.OS.Name, at.Child("os", "name"), "", corev1.Linux, corev1.Windows)...)
	}
	return errs
}

func validatePodNames(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(name, value string, valid apivalidation.ValidateNameFunc) {
		if value != "" {
			errs = append(errs, faults(at.Child(name), value, valid(value, false))...)
		}
	}
	check("serviceAccountName", s.ServiceAccountName, dnsSubdomain)
	check("nodeName", s.NodeName, dnsSubdomain)
	check("hostname", s.Hostname, dnsLabel)
	check("subdomain", s.Subdomain, dnsLabel)
	check("priorityClassName", s.PriorityClassName, dnsSubdomain)
	if s.RuntimeClassName != nil {
		check("runtimeClassName", *s.RuntimeClassName, dnsSubdomain)
	}
	return errs
}

func validatePodSecurity(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if isTrue(s.ShareProcessNamespace) && s.HostPID {
		errs = append(errs, field.Invalid(at.Child("shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	c, at := s.SecurityContext, at.Child("securityContext")
	if c == nil {
		return errs
	}
	if c.FSGroup != nil {
		errs = append(errs, faults(at.Child("fsGroup"), *c.FSGroup, utilvalidation.IsValidGroupID(*c.FSGroup))...)
	}
	errs = append(errs, validateIDs(c.RunAsUser, c.RunAsGroup, at)...)
	for i, group := range c.SupplementalGroups {
		errs = append(errs, faults(at.Child("supplementalGroups").Index(i), group, utilvalidation.IsValidGroupID(group))...)
	}
	errs = append(errs, validateSysctls(c.Sysctls, at.Child("sysctls"))...)
	if p := c.FSGroupChangePolicy; p != nil {
		errs = append(errs, choice(*p, at.Child("fsGroupChangePolicy"), corev1.FSGroupChangeAlways, corev1.FSGroupChangeOnRootMismatch)...)
	}
	return append(errs, validateSeccomp(c.SeccompProfile, at.Child("seccompProfile"))...)
}

func validateSysctls(sysctls []corev1.Sysctl, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := sets.New[string]()
	for i, s := range sysctls {
		at := at.Index(i).Child("name")
		switch {
		case s.Name == "":
			errs = append(errs, field.Required(at, ""))
		case names.Has(s.Name):
			errs = append(errs, field.Duplicate(at, s.Name))
		}
		names.Insert(s.Name)
	}
	return errs
}

// validateGates checks what has to come true before a pod is scheduled or ready.
func validateGates(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, g := range s.ReadinessGates {
		errs = append(errs, qualifiedName(string(g.ConditionType), at.Child("readinessGates").Index(i).Child("conditionType"))...)
	}
	names := sets.New[string]()
	for i, g := range s.SchedulingGates {
		at := at.Child("schedulingGates").Index(i)
		errs = append(errs, qualifiedName(g.Name, at)...)
		if names.Has(g.Name) {
			errs = append(errs, field.Duplicate(at, g.Name))
		}
		names.Insert(g.Name)
	}
	return errs
}

func validateSpread(constraints []corev1.TopologySpreadConstraint, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, c := range constraints {
		before, at := constraints[:i], at.Index(i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(at.Child("maxSkew"), c.MaxSkew, "must be greater than zero"))
		}
		errs = append(errs, topologyKey(c.TopologyKey, at.Child("topologyKey"))...)
		errs = append(errs, choice(c.WhenUnsatisfiable, at.Child("whenUnsatisfiable"), corev1.DoNotSchedule, corev1.ScheduleAnyway)...)
		if slices.ContainsFunc(before, func(b corev1.TopologySpreadConstraint) bool {
			return b.TopologyKey == c.TopologyKey && b.WhenUnsatisfiable == c.WhenUnsatisfiable
		}) {
			errs = append(errs, field.Duplicate(at.Child("{topologyKey, whenUnsatisfiable}"), fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)))
		}
		errs = append(errs, minDomains(c, at.Child("minDomains"))...)
		if len(c.MatchLabelKeys) > 0 && c.LabelSelector == nil {
			errs = append(errs, field.Forbidden(at.Child("matchLabelKeys"), "must not be specified when labelSelector is not set"))
		}
		errs = append(errs, labelSelector(c.LabelSelector, at.Child("labelSelector"))...)
	}
	return errs
}

func minDomains(c corev1.TopologySpreadConstraint, at *field.Path) field.ErrorList {
	if c.MinDomains == nil {
		return nil
	}
	var errs field.ErrorList
	if *c.MinDomains <= 0 {
		errs = append(errs, field.Invalid(at, *c.MinDomains, "must be greater than zero"))
	}
	if c.WhenUnsatisfiable != corev1.DoNotSchedule {
		errs = append(errs, field.Invalid(at, *c.MinDomains, fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", corev1.DoNotSchedule, c.WhenUnsatisfiable)))
	}
	return errs
}

func topologyKey(key string, at *field.Path) field.ErrorList {
	if key == "" {
		return field.ErrorList{field.Required(at, "can not be empty")}
	}
	return metav1validation.ValidateLabelName(key, at)
}

func validateTolerations(tolerations []corev1.Toleration, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		at := at.Index(i)
		if t.Key != "" {
			errs = append(errs, metav1validation.ValidateLabelName(t.Key, at.Child("key"))...)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			errs = append(errs, field.Invalid(at.Child("operator"), t.Operator,
				"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs = append(errs, field.Invalid(at.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		}
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			errs = append(errs, faults(at.Child("operator"), t.Value, utilvalidation.IsValidLabelValue(t.Value))...)
		case corev1.TolerationOpExists:
			if t.Value != "" {
				errs = append(errs, field.Invalid(at.Child("operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
			}
		default:
			errs = append(errs, field.NotSupported(at.Child("operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
		}
		if t.Effect != "" {
			errs = append(errs, choice(t.Effect, at.Child("effect"), corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
		}
	}
	return errs
}

func validateHostAliases(aliases []corev1.HostAlias, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, a := range aliases {
		at := at.Index(i)
		errs = append(errs, utilvalidation.IsValidIPForLegacyField(at.Child("ip"), a.IP, false, nil)...)
		for j, name := range a.Hostnames {
			errs = append(errs, subdomain(name, at.Child("hostnames").Index(j))...)
		}
	}
	return errs
}

// validateTemplate checks a template of pods.
func validateTemplate(t *corev1.PodTemplateSpec, at *field.Path, claims ...string) field.ErrorList {
	errs := templateMetadata(t, at)
	errs = append(errs, validatePodSpec(&t.Spec, at.Child("spec"), false, claims...)...)
	if len(t.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(at.Child("spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

// templateMetadata checks the metadata of a template, by paths that are not quite right.
func templateMetadata(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(t.Labels, at.Child("labels"))
	return append(errs, apivalidation.ValidateAnnotations(t.Annotations, at.Child("annotations"))...)
}
