package objects

import (
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/internal/podresources"
)

// podSpec checks the spec of a pod, or of a template, which has to be stricter here
// and laxer there: kubernetes/kubernetes:pkg/apis/core/validation/validation.go. pod is nil
// for a template.
func podSpec(s *corev1.PodSpec, pod *corev1.Pod, at *field.Path, r request) field.ErrorList {
	k := newPodCheck(s, pod, r)
	errs := k.podVolumes(child(at, "volumes"))
	errs = append(errs, k.resourceClaims(child(at, "resourceClaims"))...)
	errs = append(errs, k.containers(s.Containers, child(at, "containers"))...)
	errs = append(errs, k.initContainers(s.InitContainers, child(at, "initContainers"))...)
	errs = append(errs, k.ephemeralContainers(s, child(at, "ephemeralContainers"))...)
	errs = append(errs, k.podResources(child(at, "resources"))...)
	errs = append(errs, k.hostNetwork(child(at, "containers"))...)
	errs = append(errs, choice(s.RestartPolicy, child(at, "restartPolicy"), "", corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, choice(s.DNSPolicy, child(at, "dnsPolicy"), "", corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone)...)
	errs = append(errs, metav1validation.ValidateLabels(s.NodeSelector, child(at, "nodeSelector"))...)
	errs = append(errs, validatePodSecurity(s, child(at, "securityContext"), r)...)
	errs = append(errs, validateAffinity(s.Affinity, child(at, "affinity"), r)...)
	errs = append(errs, dnsConfig(s, child(at, "dnsConfig"), r)...)
	errs = append(errs, validateGates(s, at)...)
	errs = append(errs, validateSpread(s.TopologySpreadConstraints, child(at, "topologySpreadConstraints"))...)
	errs = append(errs, hostProcesses(s, at)...)
	errs = append(errs, ownUsers(s, at)...)
	errs = append(errs, validatePodNames(s, at)...)
	errs = append(errs, validateTolerations(s.Tolerations, child(at, "tolerations"))...)
	errs = append(errs, validateHostAliases(s.HostAliases, child(at, "hostAliases"), r)...)
	if n := s.ActiveDeadlineSeconds; n != nil && (*n < 1 || *n > math.MaxInt32) {
		errs = append(errs, field.Invalid(child(at, "activeDeadlineSeconds"), *n, utilvalidation.InclusiveRangeError(1, math.MaxInt32)))
	}
	if p := s.PreemptionPolicy; p != nil {
		errs = append(errs, choice(*p, child(at, "preemptionPolicy"), "", corev1.PreemptLowerPriority, corev1.PreemptNever)...)
	}
	errs = append(errs, validateResources(&corev1.ResourceRequirements{Limits: s.Overhead}, containerResource, nil, child(at, "overhead"))...)
	return append(errs, operatingSystem(s, at)...)
}

// hostNetwork asks ports of the host to be those of the container, where both are one. A
// template may leave them out.
func (k *podCheck) hostNetwork(at *field.Path) field.ErrorList {
	if !k.spec.HostNetwork {
		return nil
	}
	var errs field.ErrorList
	for i, c := range k.spec.Containers {
		for j, p := range c.Ports {
			errs = append(errs, unless(p.HostPort == p.ContainerPort || k.pod == nil && p.HostPort == 0,
				child(nth(child(nth(at, i), "ports"), j), "hostPort"), p.HostPort, "must match `containerPort` when `hostNetwork` is true")...)
		}
	}
	return errs
}

// resourceClaims checks the devices that a pod claims.
func (k *podCheck) resourceClaims(at *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, c := range k.spec.ResourceClaims {
		at := nth(at, i)
		if k.pod != nil && has(k.pod.Annotations, corev1.MirrorPodAnnotationKey) {
			errs = append(errs, field.Forbidden(field.NewPath(""), "static pods do not support resource claims"))
			continue
		}
		if names[c.Name] {
			errs = append(errs, field.Duplicate(child(at, "name"), c.Name))
		} else {
			errs = append(errs, given(child(at, "name"), c.Name, dns1123Label)...)
			names[c.Name] = c.Name != ""
		}
		byName, byTemplate := c.ResourceClaimName != nil, c.ResourceClaimTemplateName != nil
		errs = append(errs, unless(!byName || !byTemplate, at, asInternal(c), "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified")...)
		errs = append(errs, unless(byName || byTemplate, at, asInternal(c), "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`")...)
		if byName {
			errs = append(errs, subdomain(*c.ResourceClaimName, child(at, "resourceClaimName"))...)
		}
		if byTemplate {
			errs = append(errs, subdomain(*c.ResourceClaimTemplateName, child(at, "resourceClaimTemplateName"))...)
		}
	}
	return errs
}

func validatePodNames(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(name, value string, valid apivalidation.ValidateNameFunc) {
		if value != "" {
			errs = append(errs, faults(child(at, name), value, valid(value, false))...)
		}
	}
	check("serviceAccountName", s.ServiceAccountName, dnsSubdomain)
	check("nodeName", s.NodeName, dnsSubdomain)
	check("hostname", s.Hostname, dnsLabel)
	check("subdomain", s.Subdomain, dnsLabel)
	check("priorityClassName", s.PriorityClassName, dnsSubdomain)
	if s.RuntimeClassName != nil {
		errs = append(errs, subdomain(*s.RuntimeClassName, child(at, "runtimeClassName"))...)
	}
	return append(errs, hostnameOverride(s, child(at, "hostnameOverride"))...)
}

const maxHostname = 64

func hostnameOverride(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	if s.HostnameOverride == nil {
		return nil
	}
	var errs field.ErrorList
	if isTrue(s.SetHostnameAsFQDN) {
		errs = append(errs, field.Forbidden(at, "may not be specified when setHostnameAsFQDN is true"))
	}
	if s.HostNetwork {
		errs = append(errs, field.Forbidden(at, "may not be specified when hostNetwork is true"))
	}
	if len(*s.HostnameOverride) > maxHostname {
		errs = append(errs, field.TooLong(at, "", maxHostname))
	}
	return append(errs, subdomain(*s.HostnameOverride, at)...)
}

func validatePodSecurity(s *corev1.PodSpec, at *field.Path, r request) field.ErrorList {
	var errs field.ErrorList
	if isTrue(s.ShareProcessNamespace) && s.HostPID {
		errs = append(errs, field.Invalid(child(at, "shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled"))
	}
	c := s.SecurityContext
	if c == nil {
		return errs
	}
	if c.FSGroup != nil {
		errs = append(errs, faults(child(at, "fsGroup"), *c.FSGroup, utilvalidation.IsValidGroupID(*c.FSGroup))...)
	}
	errs = append(errs, validateIDs(c.RunAsUser, c.RunAsGroup, at)...)
	for i, group := range c.SupplementalGroups {
		errs = append(errs, faults(nth(child(at, "supplementalGroups"), i), group, utilvalidation.IsValidGroupID(group))...)
	}
	errs = append(errs, validateSysctls(s, child(at, "sysctls"))...)
	if p := c.FSGroupChangePolicy; p != nil {
		errs = append(errs, choice(*p, child(at, "fsGroupChangePolicy"), corev1.FSGroupChangeAlways, corev1.FSGroupChangeOnRootMismatch)...)
	}
	errs = append(errs, validateSeccomp(c.SeccompProfile, child(at, "seccompProfile"))...)
	errs = append(errs, windowsOptions(c.WindowsOptions, child(at, "windowsOptions"))...)
	errs = append(errs, validateAppArmor(c.AppArmorProfile, child(at, "appArmorProfile"))...)
	if p := c.SupplementalGroupsPolicy; p != nil {
		errs = append(errs, choice(*p, child(at, "supplementalGroupsPolicy"), corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict)...)
	}
	if p := c.SELinuxChangePolicy; p != nil {
		known := []corev1.PodSELinuxChangePolicy{corev1.SELinuxChangePolicyRecursive}
		if old := was[*corev1.Pod](r); old != nil && old.Spec.SecurityContext != nil && old.Spec.SecurityContext.SELinuxChangePolicy != nil {
			known = []corev1.PodSELinuxChangePolicy{corev1.SELinuxChangePolicyMountOption, corev1.SELinuxChangePolicyRecursive}
		}
		if !slices.Contains(known, *p) {
			errs = append(errs, field.NotSupported(child(at, "seLinuxChangePolicy"), *p, known))
		}
	}
	return errs
}

const maxAppArmorProfile = 4095

func validateAppArmor(p *corev1.AppArmorProfile, at *field.Path) field.ErrorList {
	const missing = "must be set when AppArmor type is Localhost"
	if p == nil {
		return nil
	}
	local := child(at, "localhostProfile")
	switch p.Type {
	case "":
		return field.ErrorList{field.Required(child(at, "type"), "type is required when appArmorProfile is set")}
	case corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined:
		return unless(p.LocalhostProfile == nil, local, p.LocalhostProfile, "can only be set when AppArmor type is Localhost")
	case corev1.AppArmorProfileTypeLocalhost:
	default:
		return choice(p.Type, child(at, "type"), corev1.AppArmorProfileTypeLocalhost, corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined)
	}
	if p.LocalhostProfile == nil {
		return field.ErrorList{field.Required(local, missing)}
	}
	var errs field.ErrorList
	switch name := *p.LocalhostProfile; {
	case name != strings.TrimSpace(name):
		errs = append(errs, field.Invalid(local, name, "must not be padded with whitespace"))
	case name == "":
		errs = append(errs, field.Required(local, missing))
	}
	if len(*p.LocalhostProfile) > maxAppArmorProfile {
		errs = append(errs, field.TooLong(local, "", maxAppArmorProfile))
	}
	return errs
}

const (
	maxSysctl  = 253
	sysctlForm = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
)

var sysctlName = lazyregexp.New(sysctlForm)

func validateSysctls(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := sets.New[string]()
	for i, sysctl := range s.SecurityContext.Sysctls {
		at, name := child(nth(at, i), "name"), sysctl.Name
		switch {
		case name == "":
			errs = append(errs, field.Required(at, ""))
		case len(name) > maxSysctl || !sysctlName().MatchString(name):
			errs = append(errs, field.Invalid(at, name, fmt.Sprintf("must have at most %d characters and match regex %s", maxSysctl, sysctlForm)))
		case names.Has(name):
			errs = append(errs, field.Duplicate(at, name))
		}
		switch of := sysctlNamespace(name); {
		case s.HostNetwork && of == "net":
			errs = append(errs, field.Invalid(at, name, "may not be specified when 'hostNetwork' is true"))
		case s.HostIPC && of == "ipc":
			errs = append(errs, field.Invalid(at, name, "may not be specified when 'hostIPC' is true"))
		}
		names.Insert(name)
	}
	return errs
}

// sysctlNamespace tells which part of the host a setting is about.
func sysctlNamespace(name string) string {
	if i := strings.IndexAny(name, "./"); i >= 0 && name[i] == '/' {
		name = strings.NewReplacer("/", ".", ".", "/").Replace(name)
	}
	switch {
	case name == "kernel.sem", strings.HasPrefix(name, "kernel.shm"), strings.HasPrefix(name, "kernel.msg"), strings.HasPrefix(name, "fs.mqueue."):
		return "ipc"
	case strings.HasPrefix(name, "net."):
		return "net"
	}
	return ""
}

// validateGates checks what has to come true before a pod is scheduled or ready.
func validateGates(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, g := range s.ReadinessGates {
		errs = append(errs, qualifiedName(string(g.ConditionType), child(nth(child(at, "readinessGates"), i), "conditionType"))...)
	}
	names := sets.New[string]()
	for i, g := range s.SchedulingGates {
		at := nth(child(at, "schedulingGates"), i)
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
		others, at := constraints[i+1:], nth(at, i)
		if c.MaxSkew <= 0 {
			errs = append(errs, field.Invalid(child(at, "maxSkew"), c.MaxSkew, "must be greater than zero"))
		}
		if c.TopologyKey == "" {
			errs = append(errs, field.Required(child(at, "topologyKey"), "can not be empty"))
		}
		errs = append(errs, choice(c.WhenUnsatisfiable, child(at, "whenUnsatisfiable"), corev1.DoNotSchedule, corev1.ScheduleAnyway)...)
		if slices.ContainsFunc(others, func(b corev1.TopologySpreadConstraint) bool {
			return b.TopologyKey == c.TopologyKey && b.WhenUnsatisfiable == c.WhenUnsatisfiable
		}) {
			errs = append(errs, field.Duplicate(child(at, "{topologyKey, whenUnsatisfiable}"), fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)))
		}
		errs = append(errs, minDomains(c, child(at, "minDomains"))...)
		for name, p := range sorted(map[string]*corev1.NodeInclusionPolicy{"nodeAffinityPolicy": c.NodeAffinityPolicy, "nodeTaintsPolicy": c.NodeTaintsPolicy}) {
			if p != nil {
				errs = append(errs, choice(*p, child(at, name), corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore)...)
			}
		}
		errs = append(errs, labelKeys(c.MatchLabelKeys, nil, c.LabelSelector, at)...)
		errs = append(errs, labelSelector(c.LabelSelector, child(at, "labelSelector"))...)
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

// topologyKey checks a key of an affinity, which is wrong in two ways where it is missing.
func topologyKey(key string, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if key == "" {
		errs = append(errs, field.Required(at, "can not be empty"))
	}
	return append(errs, labelName(key, at)...)
}

// labelKeys checks the keys of labels of the pod itself that are added to a selector.
func labelKeys(match, mismatch []string, s *metav1.LabelSelector, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	check := func(keys []string, at *field.Path) {
		if len(keys) > 0 && s == nil {
			errs = append(errs, field.Forbidden(at, "must not be specified when labelSelector is not set"))
			return
		}
		for i, key := range keys {
			errs = append(errs, labelName(key, nth(at, i))...)
		}
	}
	check(match, child(at, "matchLabelKeys"))
	check(mismatch, child(at, "mismatchLabelKeys"))
	if s != nil {
		selected := sets.KeySet(s.MatchLabels)
		for _, e := range s.MatchExpressions {
			if i := slices.Index(match, e.Key); i >= 0 && selected.Has(e.Key) {
				errs = append(errs, field.Invalid(nth(at, i), e.Key, "exists in both matchLabelKeys and labelSelector"))
			}
			selected.Insert(e.Key)
		}
	}
	for i, key := range match {
		errs = append(errs, unless(!slices.Contains(mismatch, key), nth(child(at, "matchLabelKeys"), i), key, "exists in both matchLabelKeys and mismatchLabelKeys")...)
	}
	return errs
}

func validateTolerations(tolerations []corev1.Toleration, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, t := range tolerations {
		at := nth(at, i)
		if t.Key != "" {
			errs = append(errs, labelName(t.Key, child(at, "key"))...)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			errs = append(errs, field.Invalid(child(at, "operator"), t.Operator,
				"operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs = append(errs, field.Invalid(child(at, "effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		}
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			if wrong := utilvalidation.IsValidLabelValue(t.Value); len(wrong) > 0 {
				errs = append(errs, field.Invalid(child(at, "operator"), t.Value, strings.Join(wrong, ";")))
			}
		case corev1.TolerationOpExists:
			if t.Value != "" {
				errs = append(errs, field.Invalid(child(at, "operator"), t.Value, "value must be empty when `operator` is 'Exists'"))
			}
		case corev1.TolerationOpLt, corev1.TolerationOpGt: // behind a gate that is off
			errs = append(errs, field.NotSupported(child(at, "operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpLt, corev1.TolerationOpGt}))
		default:
			errs = append(errs, field.NotSupported(child(at, "operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
		}
		if t.Effect != "" {
			errs = append(errs, choice(t.Effect, child(at, "effect"), corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
		}
	}
	return errs
}

func validateHostAliases(aliases []corev1.HostAlias, at *field.Path, r request) field.ErrorList {
	var errs field.ErrorList
	for i, a := range aliases {
		at := nth(at, i)
		errs = append(errs, utilvalidation.IsValidIPForLegacyField(child(at, "ip"), a.IP, strictAddresses(r), nil)...)
		for j, name := range a.Hostnames {
			errs = append(errs, subdomain(name, nth(child(at, "hostnames"), j))...)
		}
	}
	return errs
}

// validateTemplate checks a template of pods.
func validateTemplate(t *corev1.PodTemplateSpec, at *field.Path, r request) field.ErrorList {
	return located(at, func(at *field.Path) field.ErrorList { return validateTemplateAt(t, at, r) })
}

func validateTemplateAt(t *corev1.PodTemplateSpec, at *field.Path, r request) field.ErrorList {
	errs := templateMetadata(t, at)
	errs = append(errs, podSpec(&t.Spec, nil, child(at, "spec"), r)...)
	errs = append(errs, seccompAnnotations(&t.ObjectMeta, &t.Spec, child(at, "spec"))...)
	errs = append(errs, appArmorAnnotations(&t.ObjectMeta, &t.Spec, child(at, "spec"))...)
	if len(t.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(child(at, "spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	return errs
}

// templateMetadata checks the metadata of a template, by paths that are not quite right.
func templateMetadata(t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	errs := metav1validation.ValidateLabels(t.Labels, child(at, "labels"))
	errs = append(errs, apivalidation.ValidateAnnotations(t.Annotations, child(at, "annotations"))...)
	return append(errs, podAnnotations(t.Annotations, &t.Spec, child(at, "annotations"))...)
}

// podResources checks what a pod asks for as a whole, and that its containers stay within it.
func (k *podCheck) podResources(at *field.Path) field.ErrorList {
	r := k.spec.Resources
	if r == nil {
		return nil
	}
	if k.spec.OS != nil && k.spec.OS.Name == corev1.Windows {
		return field.ErrorList{field.Forbidden(at, "may not be set for a windows pod")}
	}
	var errs field.ErrorList
	if r.Claims != nil {
		errs = append(errs, field.Forbidden(child(at, "claims"), "claims may not be set for Resources at pod-level"))
	}
	errs = append(errs, validateResources(r, podResource, k.claims, at)...)
	for name, used := range sorted(podresources.OfContainers(k.spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests })) {
		if has, ok := r.Requests[name]; ok {
			errs = append(errs, unless(used.Cmp(has) <= 0, keyed(child(at, "requests"), string(name)), has.String(), fmt.Sprintf("must be greater than or equal to aggregate container requests of %s", used.String()))...)
		}
	}
	for name, used := range sorted(podresources.OfContainers(k.spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })) {
		if has, ok := r.Limits[name]; ok && podresources.IsHugePages(name) {
			errs = append(errs, unless(used.Cmp(has) <= 0, keyed(child(at, "limits"), string(name)), has.String(), fmt.Sprintf("must be greater than or equal to aggregate container limits of %s", used.String()))...)
		}
	}
	for i, c := range k.spec.Containers {
		for name, limit := range sorted(c.Resources.Limits) {
			if has, ok := r.Limits[name]; ok {
				errs = append(errs, unless(limit.Cmp(has) <= 0, child(keyed(nth(child(at, "containers"), i), string(name)), "limits"), limit.String(), fmt.Sprintf("must be less than or equal to pod limits of %s", has.String()))...)
			}
		}
	}
	return errs
}
