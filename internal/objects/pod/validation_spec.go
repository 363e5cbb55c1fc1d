// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ValidateSpec checks the spec of a pod or of a template. The rules for the two differ slightly:
// kubernetes/kubernetes:pkg/apis/core/validation/validation.go. pod is nil for a template.
func ValidateSpec(s *corev1.PodSpec, pod *corev1.Pod, at *field.Path, r rules.Request) field.ErrorList {
	k := newPodCheck(s, pod, r)
	var errs rules.Errors
	errs.Add(k.podVolumes(rules.Child(at, "volumes")))
	errs.Add(k.resourceClaims(rules.Child(at, "resourceClaims")))
	errs.Add(k.containers(s.Containers, rules.Child(at, "containers")))
	errs.Add(k.initContainers(s.InitContainers, rules.Child(at, "initContainers")))
	errs.Add(k.ephemeralContainers(s, rules.Child(at, "ephemeralContainers")))
	errs.Add(k.podResources(rules.Child(at, "resources")))
	errs.Add(k.hostNetwork(rules.Child(at, "containers")))
	errs.Add(rules.Choice(s.RestartPolicy, rules.Child(at, "restartPolicy"), "", corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever))
	errs.Add(rules.Choice(s.DNSPolicy, rules.Child(at, "dnsPolicy"), "", corev1.DNSClusterFirstWithHostNet, corev1.DNSClusterFirst, corev1.DNSDefault, corev1.DNSNone))
	errs.Add(metav1validation.ValidateLabels(s.NodeSelector, rules.Child(at, "nodeSelector")))
	errs.Add(validatePodSecurity(s, rules.Child(at, "securityContext"), r))
	errs.Add(sharedProcesses(s, at, r))
	errs.Add(validateAffinity(s.Affinity, rules.Child(at, "affinity"), r))
	errs.Add(dnsConfig(s, rules.Child(at, "dnsConfig"), r))
	errs.Add(validateGates(s, at))
	errs.Add(validateSpread(s.TopologySpreadConstraints, rules.Child(at, "topologySpreadConstraints"), r))
	errs.Add(hostProcesses(s, at, r))
	errs.Add(ownUsers(s, at, r))
	errs.Add(validatePodNames(s, at))
	errs.Add(Tolerations(s.Tolerations, k.comparesTaints, k.release, rules.Child(at, "tolerations")))
	errs.Add(validateHostAliases(s.HostAliases, rules.Child(at, "hostAliases"), r))
	if n := s.ActiveDeadlineSeconds; n != nil && (*n < 1 || *n > math.MaxInt32) {
		errs.Invalid(rules.Child(at, "activeDeadlineSeconds"), *n, utilvalidation.InclusiveRangeError(1, math.MaxInt32))
	}
	if p := s.PreemptionPolicy; p != nil {
		errs.Add(rules.Choice(*p, rules.Child(at, "preemptionPolicy"), "", corev1.PreemptLowerPriority, corev1.PreemptNever))
	}
	errs.Add(ValidateResources(&corev1.ResourceRequirements{Limits: s.Overhead}, ContainerResource, nil, k.release, rules.Child(at, "overhead")))
	errs.Add(operatingSystem(s, at))
	errs.Add(schedulingGroup(s, rules.Child(at, "schedulingGroup")))
	errs.Add(k.oneHugePageSize(at))
	errs.Add(rules.WithoutSCTP(r.Release, s, k.oldSpec, func(s *corev1.PodSpec) []*field.Path {
		if pod != nil {
			return sctpPorts(s, field.NewPath("").Child("spec"))
		}
		return sctpPorts(s, at)
	}))
	return errs.List()
}

// oneHugePageSize requires the containers of a pod to use huge pages of one size.
func (k *podCheck) oneHugePageSize(at *field.Path) field.ErrorList {
	if k.pod == nil || k.release.Has(kubeversion.PodsMixHugePages) {
		return nil
	}
	used := hugePagesOf(k.spec)
	if len(used) < 2 || k.oldSpec != nil && len(hugePagesOf(k.oldSpec)) > 1 && k.release.Has(kubeversion.MixedHugePagesKept) {
		return nil
	}
	var shown any = used
	if !k.release.Has(kubeversion.HugePagesListed) {
		shown = stringSet(used)
	}
	return field.ErrorList{field.Invalid(at, shown, "must use a single hugepage size in a pod spec")}
}

// hugePagesOf returns the resources of huge pages that containers use, sorted.
func hugePagesOf(s *corev1.PodSpec) []string {
	used := map[string]bool{}
	for _, c := range s.Containers {
		for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
			for name := range list {
				if strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
					used[string(name)] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(used))
}

// A stringSet is shown as the type sets.String.
type stringSet []string

func (s stringSet) String() string {
	var keys []string
	for _, key := range s {
		keys = append(keys, fmt.Sprintf("%q:sets.Empty{}", key))
	}
	return "sets.String{" + strings.Join(keys, ", ") + "}"
}

func sctpPorts(s *corev1.PodSpec, at *field.Path) []*field.Path {
	var paths []*field.Path
	for _, list := range []struct {
		name       string
		containers []corev1.Container
	}{{"initContainers", s.InitContainers}, {"containers", s.Containers}} {
		for i, c := range list.containers {
			for j, p := range c.Ports {
				if p.Protocol == corev1.ProtocolSCTP {
					paths = append(paths, rules.Child(rules.Nth(rules.Child(rules.Nth(rules.Child(at, list.name), i), "ports"), j), "protocol"))
				}
			}
		}
	}
	return paths
}

// schedulingGroup checks the group of pods that a pod is scheduled with.
func schedulingGroup(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	g := s.SchedulingGroup
	if g == nil {
		return nil
	}
	var errs rules.Errors
	if name := rules.Child(at, "podGroupName"); g.PodGroupName == nil {
		errs.Invalid(name, g.PodGroupName, "must specify one of: `podGroupName`")
	} else {
		errs.Add(rules.Faults(name, *g.PodGroupName, rules.DNSSubdomain(*g.PodGroupName, false)))
	}
	if len(s.EvictionResponders) > 0 {
		errs.Forbidden(at, "may not be set when evictionResponders is set")
	}
	return errs.List()
}

// WorkloadReferencePath is where pods refer to a workload.
const WorkloadReferencePath = "spec.workloadRef"

// WorkloadReference checks the reference of a pod to a workload, which pods have in one release (1.35), given the
// annotations beside the spec.
func WorkloadReference(annotations map[string]string, spec *field.Path) field.ErrorList {
	ref := rules.Former[*builtin.WorkloadReference](annotations, WorkloadReferencePath)
	if ref == nil {
		return nil
	}
	at := rules.Child(spec, "workloadRef")
	var errs rules.Errors
	errs.Add(rules.Faults(rules.Child(at, "name"), ref.Name, rules.DNSSubdomain(ref.Name, false)))
	errs.Add(rules.Faults(rules.Child(at, "podGroup"), ref.PodGroup, rules.DNSLabel(ref.PodGroup, false)))
	if key := ref.PodGroupReplicaKey; key != "" {
		errs.Add(rules.Faults(rules.Child(at, "podGroupReplicaKey"), key, rules.DNSLabel(key, false)))
	}
	return errs.List()
}

// hostNetwork requires host ports to be the same as container ports if the pod uses the host's network. A template may
// omit them.
func (k *podCheck) hostNetwork(at *field.Path) field.ErrorList {
	if !k.spec.HostNetwork {
		return nil
	}
	var errs rules.Errors
	for i, c := range k.spec.Containers {
		for j, p := range c.Ports {
			at := rules.Nth(rules.Child(rules.Nth(at, i), "ports"), j)
			switch inPodsOnly := k.release.Has(kubeversion.HostPortsInPodsOnly); {
			case p.HostPort == p.ContainerPort || inPodsOnly && k.pod == nil && p.HostPort == 0:
			case inPodsOnly:
				errs.Invalid(rules.Child(at, "hostPort"), p.HostPort, "must match `containerPort` when `hostNetwork` is true")
			default:
				errs.Invalid(rules.Child(at, "containerPort"), p.ContainerPort, "must match `hostPort` when `hostNetwork` is true")
			}
		}
	}
	return errs.List()
}

// resourceClaims checks the devices that a pod claims.
func (k *podCheck) resourceClaims(at *field.Path) field.ErrorList {
	var errs rules.Errors
	names := map[string]bool{}
	for i, c := range k.spec.ResourceClaims {
		at := rules.Nth(at, i)
		if k.pod != nil && rules.Has(k.pod.Annotations, corev1.MirrorPodAnnotationKey) {
			errs.Forbidden(field.NewPath(""), "static pods do not support resource claims")
			continue
		}
		if names[c.Name] {
			errs.Duplicate(rules.Child(at, "name"), c.Name)
		} else {
			errs.Add(rules.Given(rules.Child(at, "name"), c.Name, rules.DNS1123Label))
			names[c.Name] = c.Name != ""
		}
		if k.release.Has(kubeversion.ClaimsWithoutSource) {
			errs.Add(claimReference(c, rules.AsInternal(c), at))
		} else {
			errs.Add(k.claimFromTemplate(c, rules.Child(at, "name")))
			errs.Add(claimReference(c, rules.AsInternal(claimSource{c.ResourceClaimName, c.ResourceClaimTemplateName}), rules.Child(at, "source")))
		}
	}
	return errs.List()
}

// A claimSource is the source that claims had up to 1.30 (CV-09).
type claimSource struct{ ResourceClaimName, ResourceClaimTemplateName *string }

// GoString prints the source as the server prints its own type.
func (s claimSource) GoString() string {
	type source claimSource
	return strings.Replace(fmt.Sprintf("%#v", source(s)), "pod.source", "core.ClaimSource", 1)
}

// claimReference checks what a claim refers to. shown is the value that has these fields in the release, for errors.
func claimReference(c corev1.PodResourceClaim, shown any, at *field.Path) field.ErrorList {
	var errs rules.Errors
	byName, byTemplate := c.ResourceClaimName != nil, c.ResourceClaimTemplateName != nil
	errs.Add(rules.Unless(!byName || !byTemplate, at, shown, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"))
	errs.Add(rules.Unless(byName || byTemplate, at, shown, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
	if byName {
		errs.Add(rules.Subdomain(*c.ResourceClaimName, rules.Child(at, "resourceClaimName")))
	}
	if byTemplate {
		errs.Add(rules.Subdomain(*c.ResourceClaimTemplateName, rules.Child(at, "resourceClaimTemplateName")))
	}
	return errs.List()
}

// claimFromTemplate checks that the name that was generated up to 1.30 for a ResourceClaim is valid.
func (k *podCheck) claimFromTemplate(c corev1.PodResourceClaim, at *field.Path) (errs field.ErrorList) {
	if k.pod != nil && c.ResourceClaimTemplateName != nil && len(rules.DNS1123Label(c.Name)) == 0 {
		name := k.pod.Name + "-" + c.Name
		for _, detail := range rules.DNSSubdomain(name, false) {
			errs = append(errs, field.Invalid(at, name, "final ResourceClaim name: "+detail))
		}
	}
	return errs
}

func validatePodNames(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs rules.Errors
	check := func(name, value string, valid apivalidation.ValidateNameFunc) {
		if value != "" {
			errs.Add(rules.Faults(rules.Child(at, name), value, valid(value, false)))
		}
	}
	check("serviceAccountName", s.ServiceAccountName, rules.DNSSubdomain)
	check("nodeName", s.NodeName, rules.DNSSubdomain)
	check("hostname", s.Hostname, rules.DNSLabel)
	check("subdomain", s.Subdomain, rules.DNSLabel)
	check("priorityClassName", s.PriorityClassName, rules.DNSSubdomain)
	if s.RuntimeClassName != nil {
		errs.Add(rules.Subdomain(*s.RuntimeClassName, rules.Child(at, "runtimeClassName")))
	}
	errs.Add(hostnameOverride(s, rules.Child(at, "hostnameOverride")))
	return errs.List()
}

const maxHostname = 64

func hostnameOverride(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	if s.HostnameOverride == nil {
		return nil
	}
	var errs rules.Errors
	if rules.IsTrue(s.SetHostnameAsFQDN) {
		errs.Forbidden(at, "may not be specified when setHostnameAsFQDN is true")
	}
	if s.HostNetwork {
		errs.Forbidden(at, "may not be specified when hostNetwork is true")
	}
	if len(*s.HostnameOverride) > maxHostname {
		errs.TooLong(at, "", maxHostname)
	}
	errs.Add(rules.Subdomain(*s.HostnameOverride, at))
	return errs.List()
}

func sharedProcesses(s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	if !rules.IsTrue(s.ShareProcessNamespace) || !s.HostPID {
		return nil
	}
	if !r.Release.Has(kubeversion.ProcessSharingInSpec) {
		at = rules.Child(at, "securityContext")
	}
	return field.ErrorList{field.Invalid(rules.Child(at, "shareProcessNamespace"), true, "ShareProcessNamespace and HostPID cannot both be enabled")}
}

func validatePodSecurity(s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	c := s.SecurityContext
	if c == nil {
		return errs.List()
	}
	if c.FSGroup != nil {
		errs.Add(rules.Faults(rules.Child(at, "fsGroup"), *c.FSGroup, utilvalidation.IsValidGroupID(*c.FSGroup)))
	}
	errs.Add(validateIDs(c.RunAsUser, c.RunAsGroup, at))
	for i, group := range c.SupplementalGroups {
		errs.Add(rules.Faults(rules.Nth(rules.Child(at, "supplementalGroups"), i), group, utilvalidation.IsValidGroupID(group)))
	}
	errs.Add(validateSysctls(s, rules.Child(at, "sysctls"), r))
	if p := c.FSGroupChangePolicy; p != nil {
		errs.Add(rules.Choice(*p, rules.Child(at, "fsGroupChangePolicy"), corev1.FSGroupChangeAlways, corev1.FSGroupChangeOnRootMismatch))
	}
	errs.Add(validateSeccomp(c.SeccompProfile, rules.Child(at, "seccompProfile")))
	errs.Add(windowsOptions(c.WindowsOptions, rules.Child(at, "windowsOptions")))
	errs.Add(validateAppArmor(c.AppArmorProfile, rules.Child(at, "appArmorProfile")))
	if p := c.SupplementalGroupsPolicy; p != nil {
		errs.Add(rules.Choice(*p, rules.Child(at, "supplementalGroupsPolicy"), corev1.SupplementalGroupsPolicyMerge, corev1.SupplementalGroupsPolicyStrict))
	}
	if p := c.SELinuxChangePolicy; p != nil {
		known := []corev1.PodSELinuxChangePolicy{corev1.SELinuxChangePolicyRecursive}
		if old := oldSpec(r); r.Release.Enabled("SELinuxMount") || old != nil && old.SecurityContext != nil && old.SecurityContext.SELinuxChangePolicy != nil {
			known = []corev1.PodSELinuxChangePolicy{corev1.SELinuxChangePolicyMountOption, corev1.SELinuxChangePolicyRecursive}
		}
		if !slices.Contains(known, *p) {
			errs.Append(field.NotSupported(rules.Child(at, "seLinuxChangePolicy"), *p, known))
		}
	}
	return errs.List()
}

const maxAppArmorProfile = 4095

func validateAppArmor(p *corev1.AppArmorProfile, at *field.Path) field.ErrorList {
	const missing = "must be set when AppArmor type is Localhost"
	if p == nil {
		return nil
	}
	local := rules.Child(at, "localhostProfile")
	switch p.Type {
	case "":
		return field.ErrorList{field.Required(rules.Child(at, "type"), "type is required when appArmorProfile is set")}
	case corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined:
		return rules.Unless(p.LocalhostProfile == nil, local, p.LocalhostProfile, "can only be set when AppArmor type is Localhost")
	case corev1.AppArmorProfileTypeLocalhost:
	default:
		return rules.Choice(p.Type, rules.Child(at, "type"), corev1.AppArmorProfileTypeLocalhost, corev1.AppArmorProfileTypeRuntimeDefault, corev1.AppArmorProfileTypeUnconfined)
	}
	if p.LocalhostProfile == nil {
		return field.ErrorList{field.Required(local, missing)}
	}
	var errs rules.Errors
	switch name := *p.LocalhostProfile; {
	case name != strings.TrimSpace(name):
		errs.Invalid(local, name, "must not be padded with whitespace")
	case name == "":
		errs.Required(local, missing)
	}
	if len(*p.LocalhostProfile) > maxAppArmorProfile {
		errs.TooLong(local, "", maxAppArmorProfile)
	}
	return errs.List()
}

const (
	maxSysctl        = 253
	sysctlForm       = "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"
	dottedSysctlForm = "([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
)

var sysctlName = regexp.MustCompile(sysctlForm)

const hostSysctls rules.Excuse = "no settings of the host"

func validateSysctls(s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	form, slashes := sysctlForm, r.Release.Has(kubeversion.SysctlSlashes) || hasSlashes(oldSpec(r))
	if !slashes {
		form = dottedSysctlForm
	}
	names := sets.New[string]()
	for i, sysctl := range s.SecurityContext.Sysctls {
		at, name := rules.Child(rules.Nth(at, i), "name"), sysctl.Name
		switch {
		case name == "":
			errs.Required(at, "")
		case len(name) > maxSysctl || !sysctlName.MatchString(name) || !slashes && strings.Contains(name, "/"):
			errs.Invalid(at, name, fmt.Sprintf("must have at most %d characters and match regex %s", maxSysctl, form))
		case names.Has(name):
			errs.Duplicate(at, name)
		}
		namespace := sysctlNamespace(name)
		errs.Add(hostSysctls.Of(rules.Unless(!s.HostNetwork || namespace != "net", at, name, "may not be specified when 'hostNetwork' is true")))
		errs.Add(hostSysctls.Of(rules.Unless(!s.HostIPC || namespace != "ipc", at, name, "may not be specified when 'hostIPC' is true")))
		names.Insert(name)
	}
	return errs.List()
}

// hasSlashes reports whether a pod has a setting with slashes in its name.
func hasSlashes(s *corev1.PodSpec) bool {
	return s != nil && s.SecurityContext != nil && slices.ContainsFunc(s.SecurityContext.Sysctls, func(c corev1.Sysctl) bool { return strings.Contains(c.Name, "/") })
}

// sysctlNamespace returns the part of the host that a setting belongs to.
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

// validateGates checks the scheduling and readiness gates.
func validateGates(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, g := range s.ReadinessGates {
		errs.Add(rules.QualifiedName(string(g.ConditionType), rules.Child(rules.Nth(rules.Child(at, "readinessGates"), i), "conditionType")))
	}
	names := sets.New[string]()
	for i, g := range s.SchedulingGates {
		at := rules.Nth(rules.Child(at, "schedulingGates"), i)
		errs.Add(rules.QualifiedName(g.Name, at))
		if names.Has(g.Name) {
			errs.Duplicate(at, g.Name)
		}
		names.Insert(g.Name)
	}
	return errs.List()
}

const (
	spreadSelectors    rules.Excuse = "selectors of spread constraints"
	spreadSelectorKeys rules.Excuse = "matchLabelKeys of spread constraints apart from the selector"
)

func validateSpread(constraints []corev1.TopologySpreadConstraint, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for i, c := range constraints {
		others, at := constraints[i+1:], rules.Nth(at, i)
		if c.MaxSkew <= 0 {
			errs.Invalid(rules.Child(at, "maxSkew"), c.MaxSkew, "must be greater than zero")
		}
		if c.TopologyKey == "" {
			errs.Required(rules.Child(at, "topologyKey"), "can not be empty")
		}
		errs.Add(rules.Choice(c.WhenUnsatisfiable, rules.Child(at, "whenUnsatisfiable"), corev1.DoNotSchedule, corev1.ScheduleAnyway))
		if slices.ContainsFunc(others, func(b corev1.TopologySpreadConstraint) bool {
			return b.TopologyKey == c.TopologyKey && b.WhenUnsatisfiable == c.WhenUnsatisfiable
		}) {
			errs.Duplicate(rules.Child(at, "{topologyKey, whenUnsatisfiable}"), fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable))
		}
		errs.Add(minDomains(c, rules.Child(at, "minDomains")))
		for name, p := range rules.Sorted(map[string]*corev1.NodeInclusionPolicy{"nodeAffinityPolicy": c.NodeAffinityPolicy, "nodeTaintsPolicy": c.NodeTaintsPolicy}) {
			if p != nil {
				errs.Add(rules.Choice(*p, rules.Child(at, name), corev1.NodeInclusionPolicyHonor, corev1.NodeInclusionPolicyIgnore))
			}
		}
		errs.Add(spreadKeys(c, at, r))
		if !r.Release.Has(kubeversion.SpreadSelectorsChecked) {
			continue
		}
		errs.Add(spreadSelectors.Of(rules.LabelSelector(c.LabelSelector, rules.Child(at, "labelSelector"))))
	}
	return errs.List()
}

// spreadKeys checks the keys of the pod's labels that a constraint adds to its selector. In releases that write them
// into the selector, an updated pod has them in both places, and the server checks a constraint by the rule of earlier
// releases, where they must not be in the selector, if the old object does not satisfy its own.
func spreadKeys(c corev1.TopologySpreadConstraint, at *field.Path, r rules.Request) field.ErrorList {
	if !r.Release.Has(kubeversion.SpreadSelectsOwnLabels) {
		return separateKeys(c, at)
	}
	merged := labelKeys(c.MatchLabelKeys, nil, c.LabelSelector, at)
	if len(merged) == 0 || len(separateKeys(c, at)) > 0 {
		return merged
	}
	return spreadSelectorKeys.Of(merged)
}

// separateKeys requires that none of the keys is in the selector.
func separateKeys(c corev1.TopologySpreadConstraint, at *field.Path) field.ErrorList {
	if len(c.MatchLabelKeys) == 0 {
		return nil
	}
	at = rules.Child(at, "matchLabelKeys")
	var errs rules.Errors
	selected := sets.New[string]()
	if s := c.LabelSelector; s != nil {
		selected = sets.KeySet(s.MatchLabels)
		for _, e := range s.MatchExpressions {
			selected.Insert(e.Key)
		}
	} else {
		errs.Forbidden(at, "must not be specified when labelSelector is not set")
	}
	for i, key := range c.MatchLabelKeys {
		errs.Add(rules.LabelName(key, rules.Nth(at, i)))
		if selected.Has(key) {
			errs.Invalid(rules.Nth(at, i), key, "exists in both matchLabelKeys and labelSelector")
		}
	}
	return errs.List()
}

func minDomains(c corev1.TopologySpreadConstraint, at *field.Path) field.ErrorList {
	if c.MinDomains == nil {
		return nil
	}
	var errs rules.Errors
	if *c.MinDomains <= 0 {
		errs.Invalid(at, *c.MinDomains, "must be greater than zero")
	}
	if c.WhenUnsatisfiable != corev1.DoNotSchedule {
		errs.Invalid(at, *c.MinDomains, fmt.Sprintf("can only use minDomains if whenUnsatisfiable=%s, not %s", corev1.DoNotSchedule, c.WhenUnsatisfiable))
	}
	return errs.List()
}

// topologyKey checks the topology key of an affinity term. If it is missing, there are two errors.
func topologyKey(key string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if key == "" {
		errs.Required(at, "can not be empty")
	}
	errs.Add(rules.LabelName(key, at))
	return errs.List()
}

// labelKeys checks the keys of the pod's own labels that are added to a selector.
func labelKeys(match, mismatch []string, s *metav1.LabelSelector, at *field.Path) field.ErrorList {
	var errs rules.Errors
	check := func(keys []string, at *field.Path) {
		if len(keys) > 0 && s == nil {
			errs.Forbidden(at, "must not be specified when labelSelector is not set")
			return
		}
		for i, key := range keys {
			errs.Add(rules.LabelName(key, rules.Nth(at, i)))
		}
	}
	check(match, rules.Child(at, "matchLabelKeys"))
	check(mismatch, rules.Child(at, "mismatchLabelKeys"))
	if s != nil {
		last := map[string]int{}
		for i, key := range match {
			last[key] = i
		}
		selected := sets.KeySet(s.MatchLabels)
		for _, e := range s.MatchExpressions {
			if i, ok := last[e.Key]; ok && selected.Has(e.Key) {
				errs.Invalid(rules.Nth(at, i), e.Key, "exists in both matchLabelKeys and labelSelector")
			}
			selected.Insert(e.Key)
		}
	}
	for i, key := range match {
		errs.Add(rules.Unless(!slices.Contains(mismatch, key), rules.Nth(rules.Child(at, "matchLabelKeys"), i), key, "exists in both matchLabelKeys and mismatchLabelKeys"))
	}
	return errs.List()
}

// ValidateTolerations checks the tolerations of objects other than pods, which cannot compare the values of taints.
func ValidateTolerations(list []corev1.Toleration, r *kubeversion.Release, at *field.Path) field.ErrorList {
	return Tolerations(list, false, r, at)
}

// ComparesTaints reports whether tolerations may compare the values of taints as numbers: if the gate is on, or if the
// old object does so.
func ComparesTaints(r rules.Request) bool {
	if r.Release.Enabled("TaintTolerationComparisonOperators") {
		return true
	}
	old := oldSpec(r)
	return old != nil && r.Release.Has(kubeversion.TolerationsCompare) && slices.ContainsFunc(old.Tolerations, isComparison)
}

func isComparison(t corev1.Toleration) bool {
	return t.Operator == corev1.TolerationOpLt || t.Operator == corev1.TolerationOpGt
}

func Tolerations(list []corev1.Toleration, compares bool, r *kubeversion.Release, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, t := range list {
		at := rules.Nth(at, i)
		if t.Key != "" {
			errs.Add(rules.LabelName(t.Key, rules.Child(at, "key")))
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			errs.Invalid(rules.Child(at, "operator"), t.Operator,
				"operator must be Exists when `key` is empty, which means \"match all values and all keys\"")
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs.Invalid(rules.Child(at, "effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
		}
		switch t.Operator {
		case corev1.TolerationOpEqual, "":
			if wrong := utilvalidation.IsValidLabelValue(t.Value); len(wrong) > 0 {
				errs.Invalid(rules.Child(at, "operator"), t.Value, strings.Join(wrong, ";"))
			}
		case corev1.TolerationOpExists:
			if t.Value != "" {
				var shown any = t.Value
				if !r.Has(kubeversion.TolerationValuesShown) {
					shown = rules.AsInternal(t)
				}
				errs.Invalid(rules.Child(at, "operator"), shown, "value must be empty when `operator` is 'Exists'")
			}
		case corev1.TolerationOpLt, corev1.TolerationOpGt:
			if compares {
				at := rules.Child(at, "value")
				errs.Add(rules.Faults(at, t.Value, content.IsDecimalInteger(t.Value)))
				if _, err := strconv.ParseInt(t.Value, 10, 64); err != nil {
					errs.Invalid(at, t.Value, err.Error())
				}
				break
			}
			errs.Append(field.NotSupported(rules.Child(at, "operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists, corev1.TolerationOpLt, corev1.TolerationOpGt}))
		default:
			errs.Append(field.NotSupported(rules.Child(at, "operator"), t.Operator, []corev1.TolerationOperator{corev1.TolerationOpEqual, corev1.TolerationOpExists}))
		}
		if t.Effect != "" {
			errs.Add(rules.Choice(t.Effect, rules.Child(at, "effect"), corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute))
		}
	}
	return errs.List()
}

func validateHostAliases(aliases []corev1.HostAlias, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	for i, a := range aliases {
		if !r.Release.Has(kubeversion.HostAliasesCounted) {
			errs.Add(hostAliasBefore(a, at, r))
			continue
		}
		at := rules.Nth(at, i)
		errs.Add(podAddress(a.IP, rules.Child(at, "ip"), r))
		for j, name := range a.Hostnames {
			errs.Add(rules.Subdomain(name, rules.Nth(rules.Child(at, "hostnames"), j)))
		}
	}
	return errs.List()
}

// podAddress checks an address in the spec of a pod.
func podAddress(ip string, at *field.Path, r rules.Request) field.ErrorList {
	return rules.ExplainedAddress(at, ip, nil, "must be valid IP address", r)
}

// hostAliasBefore checks an alias, as one of those at a path.
func hostAliasBefore(a corev1.HostAlias, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(podAddress(a.IP, rules.Child(at, "ip"), r))
	for _, name := range a.Hostnames {
		errs.Add(rules.Subdomain(name, rules.Child(at, "hostnames")))
	}
	return errs.List()
}

// ValidateTemplate checks a pod template.
func ValidateTemplate(t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) field.ErrorList {
	return rules.Located(at, func(at *field.Path) field.ErrorList { return validateTemplateAt(t, at, r) })
}

func validateTemplateAt(t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(TemplateMetadata(t, at, r))
	errs.Add(ValidateSpec(&t.Spec, nil, rules.Child(at, "spec"), r))
	errs.Add(WorkloadReference(t.Annotations, rules.Child(at, "spec")))
	errs.Add(SeccompAnnotations(&t.ObjectMeta, &t.Spec, rules.Child(at, "spec")))
	errs.Add(AppArmorAnnotations(&t.ObjectMeta, &t.Spec, rules.Child(at, "spec")))
	if len(t.Spec.EphemeralContainers) > 0 {
		errs.Forbidden(rules.Child(at, "spec", "ephemeralContainers"), "ephemeral containers not allowed in pod template")
	}
	return errs.List()
}

// TemplateMetadata checks the metadata of a template. The paths in errors are slightly wrong, as in the server.
func TemplateMetadata(t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(metav1validation.ValidateLabels(t.Labels, rules.Child(at, "labels")))
	errs.Add(apivalidation.ValidateAnnotations(t.Annotations, rules.Child(at, "annotations")))
	errs.Add(Annotations(t.Annotations, &t.Spec, rules.Child(at, "annotations"), r))
	return errs.List()
}

// podResources checks the pod-level resources, and that the containers stay within them.
func (k *podCheck) podResources(at *field.Path) field.ErrorList {
	r := k.spec.Resources
	if r == nil {
		return nil
	}
	if k.spec.OS != nil && k.spec.OS.Name == corev1.Windows {
		return field.ErrorList{field.Forbidden(at, "may not be set for a windows pod")}
	}
	var errs rules.Errors
	if r.Claims != nil {
		errs.Forbidden(rules.Child(at, "claims"), "claims may not be set for Resources at pod-level")
	}
	errs.Add(ValidateResources(r, podResource, k.claims, k.release, at))
	for name, used := range rules.Sorted(podresources.OfContainers(k.spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests })) {
		if has, ok := r.Requests[name]; ok {
			errs.Add(rules.Unless(used.Cmp(has) <= 0, rules.Keyed(rules.Child(at, "requests"), string(name)), has.String(), fmt.Sprintf("must be greater than or equal to aggregate container requests of %s", used.String())))
		}
	}
	for name, used := range rules.Sorted(podresources.OfContainers(k.spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits })) {
		if has, ok := r.Limits[name]; ok && podresources.IsHugePages(name) {
			errs.Add(rules.Unless(used.Cmp(has) <= 0, rules.Keyed(rules.Child(at, "limits"), string(name)), has.String(), fmt.Sprintf("must be greater than or equal to aggregate container limits of %s", used.String())))
		}
	}
	for i, c := range k.spec.Containers {
		for name, limit := range rules.Sorted(c.Resources.Limits) {
			if has, ok := r.Limits[name]; ok {
				errs.Add(rules.Unless(limit.Cmp(has) <= 0, rules.Child(rules.Keyed(rules.Nth(rules.Child(at, "containers"), i), string(name)), "limits"), limit.String(), fmt.Sprintf("must be less than or equal to pod limits of %s", has.String())))
			}
		}
	}
	return errs.List()
}
