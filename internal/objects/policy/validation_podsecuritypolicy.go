// kubernetes/kubernetes@v1.15.12:pkg/apis/policy/validation/validation.go

package policy

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	seccompOfPolicies  = "seccomp.security.alpha.kubernetes.io/"
	appArmorOfPolicies = "apparmor.security.beta.kubernetes.io/"

	defaultProfile  = "defaultProfileName"
	allowedProfiles = "allowedProfileNames"
)

func validatePodSecurityPolicy(p *builtin.PodSecurityPolicy, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(profilesOfPolicy(p.Annotations, field.NewPath("metadata", "annotations")))
	at, s := rules.SpecPath, &p.Spec

	errs.Add(strategy(s.RunAsUser.Rule, at.Child("runAsUser"), builtin.MustRunAs, builtin.MustRunAsNonRoot, builtin.RunAsAny))
	errs.Add(idRanges(s.RunAsUser.Ranges, at.Child("runAsUser")))
	errs.Add(runAsGroup(s.RunAsGroup, at.Child("runAsGroup")))
	errs.Add(strategy(s.SELinux.Rule, at.Child("seLinux"), builtin.MustRunAs, builtin.RunAsAny))
	for _, groups := range []struct {
		name string
		builtin.IDStrategyOptions
	}{{"supplementalGroups", s.SupplementalGroups}, {"fsGroup", s.FSGroup}} {
		errs.Add(strategy(groups.Rule, at.Child(groups.name), builtin.MayRunAs, builtin.MustRunAs, builtin.RunAsAny))
		errs.Add(idRanges(groups.Ranges, at.Child(groups.name)))
	}
	known := volumesOfPolicies(r)
	for _, volume := range s.Volumes {
		if !slices.Contains(known, volume) {
			errs.Append(field.NotSupported(at.Child("volumes"), volume, known))
		}
	}
	errs.Add(capabilities(s))
	if byDefault := s.DefaultAllowEscalation; byDefault != nil && *byDefault && (s.AllowEscalation == nil || !*s.AllowEscalation) {
		errs.Invalid(at.Child("defaultAllowPrivilegeEscalation"), byDefault,
			"Cannot set DefaultAllowPrivilegeEscalation to true without also setting AllowPrivilegeEscalation to true")
	}
	for i, mount := range s.AllowedProcMountTypes {
		errs.Add(rules.Choice(mount, at.Child("allowedProcMountTypes").Index(i), corev1.DefaultProcMount, corev1.UnmaskedProcMount))
	}
	errs.Add(hostPaths(s.AllowedHostPaths, at.Child("allowedHostPaths")))
	for i, volume := range s.AllowedFlexVolumes {
		if volume.Driver == "" {
			errs.Required(at.Child("allowedFlexVolumes", "allowedFlexVolumes").Index(i).Child("driver"), "must specify a driver")
		}
	}
	for i, driver := range s.AllowedCSIDrivers {
		errs.Add(rules.DriverName(driver.Name, at.Child("allowedCSIDrivers", "allowedCSIDriver").Index(i).Child("name")))
	}
	errs.Add(sysctlPatterns(s.AllowedUnsafeSysctls, at.Child("allowedUnsafeSysctls")))
	errs.Add(sysctlPatterns(s.ForbiddenSysctls, at.Child("forbiddenSysctls")))
	errs.Add(overlaps(s.AllowedUnsafeSysctls, s.ForbiddenSysctls, at))
	errs.Add(runtimeClasses(s.RuntimeClass, at.Child("runtimeClass")))
	return errs.List()
}

// profilesOfPolicy checks the annotations with the default and the allowed profiles of seccomp and AppArmor.
func profilesOfPolicy(annotations map[string]string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for _, name := range []string{defaultProfile, allowedProfiles} {
		value := annotations[appArmorOfPolicies+name]
		if value == "" {
			continue
		}
		profiles := []string{value}
		if name == allowedProfiles {
			profiles = strings.Split(value, ",")
		}
		for _, profile := range profiles {
			if !isAppArmorProfile(profile) {
				errs.Invalid(at.Key(appArmorOfPolicies+name), value, fmt.Sprintf("invalid AppArmor profile name: %q", profile))
			}
		}
	}
	if profile := annotations[seccompOfPolicies+defaultProfile]; profile != "" {
		errs.Add(pod.SeccompAnnotation(profile, at.Key(seccompOfPolicies+defaultProfile)))
	}
	if allowed := annotations[seccompOfPolicies+allowedProfiles]; allowed != "" {
		for _, profile := range strings.Split(allowed, ",") {
			if profile != "*" {
				errs.Add(pod.SeccompAnnotation(profile, at.Key(seccompOfPolicies+allowedProfiles)))
			}
		}
	}
	return errs.List()
}

// isAppArmorProfile follows kubernetes/kubernetes@v1.15.12:pkg/security/apparmor/validate.go.
func isAppArmorProfile(profile string) bool {
	return profile == "" || profile == corev1.DeprecatedAppArmorBetaProfileRuntimeDefault ||
		profile == corev1.DeprecatedAppArmorBetaProfileNameUnconfined ||
		strings.HasPrefix(profile, corev1.DeprecatedAppArmorBetaProfileNamePrefix)
}

func strategy(rule builtin.Strategy, at *field.Path, known ...builtin.Strategy) field.ErrorList {
	if slices.Contains(known, rule) {
		return nil
	}
	return field.ErrorList{field.NotSupported(at.Child("rule"), rule, known)}
}

func runAsGroup(o *builtin.IDStrategyOptions, at *field.Path) field.ErrorList {
	if o == nil {
		return nil
	}
	ranges := at.Child("ranges")
	switch o.Rule {
	case builtin.RunAsAny:
		return rules.Unless(len(o.Ranges) == 0, ranges, rules.AsInternal(o.Ranges), "Ranges must be empty")
	case builtin.MustRunAs, builtin.MayRunAs:
		if len(o.Ranges) == 0 {
			return field.ErrorList{field.Invalid(ranges, rules.AsInternal(o.Ranges), "must provide at least one range")}
		}
		return idRanges(o.Ranges, at)
	}
	return strategy(o.Rule, at, builtin.MustRunAs, builtin.RunAsAny, builtin.MayRunAs)
}

func idRanges(all []builtin.IDRange, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, r := range all {
		at := at.Child("ranges").Index(i)
		errs.Add(rules.Unless(r.Min >= 0, at.Child("min"), r.Min, "min cannot be negative"))
		errs.Add(rules.Unless(r.Max >= 0, at.Child("max"), r.Max, "max cannot be negative"))
		errs.Add(rules.Unless(r.Min <= r.Max, at.Child("min"), r.Min, "min cannot be greater than max"))
	}
	return errs.List()
}

func capabilities(s *builtin.PodSecurityPolicySpec) field.ErrorList {
	var errs rules.Errors
	if len(s.RequiredDropCapabilities) > 0 && slices.Contains(s.AllowedCapabilities, "*") {
		errs.Invalid(field.NewPath("requiredDropCapabilities"), s.RequiredDropCapabilities,
			"must be empty when all capabilities are allowed by a wildcard")
	}
	for _, list := range []struct {
		name  string
		items []corev1.Capability
	}{{"defaultAddCapabilities", s.DefaultAddCapabilities}, {"allowedCapabilities", s.AllowedCapabilities}} {
		for _, capability := range list.items {
			if slices.Contains(s.RequiredDropCapabilities, capability) {
				errs.Invalid(field.NewPath(list.name), capability, fmt.Sprintf("capability is listed in %s and requiredDropCapabilities", list.name))
			}
		}
	}
	return errs.List()
}

func hostPaths(all []builtin.AllowedHostPath, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, path := range all {
		if path.PathPrefix == "" {
			errs.Required(at.Index(i), "is required")
			break
		}
		if slices.Contains(strings.Split(path.PathPrefix, "/"), "..") {
			errs.Invalid(at.Index(i), path.PathPrefix, "must not contain '..'")
		}
	}
	return errs.List()
}

const (
	longestSysctl     = 253
	sysctlPatternForm = `([a-z0-9]([-_a-z0-9]*[a-z0-9])?\.)*([a-z0-9][-_a-z0-9]*)?[a-z0-9*]`
)

var sysctlPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^" + sysctlPatternForm + "$") })

func sysctlPatterns(all []string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	everything := false
	for i, sysctl := range all {
		switch {
		case sysctl == "":
			errs.Invalid(at.Index(i), sysctl, "empty sysctl not allowed")
		case len(sysctl) > longestSysctl || !sysctlPattern().MatchString(sysctl):
			errs.Invalid(at.Index(i), sysctl, fmt.Sprintf("must have at most %d characters and match regex %s", longestSysctl, sysctlPatternForm))
		case sysctl[0] == '*':
			everything = true
		}
	}
	if everything && len(all) > 1 {
		errs.Forbidden(at.Child("items"), "if '*' is present, must not specify other sysctls")
	}
	return errs.List()
}

// overlaps reports sysctls that are in both lists. The error is about the narrower of two patterns.
func overlaps(allowed, forbidden []string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, a := range allowed {
		allowedPrefix, ofAllowed := strings.CutSuffix(a, "*")
		for j, f := range forbidden {
			forbiddenPrefix, ofForbidden := strings.CutSuffix(f, "*")
			switch {
			case ofForbidden && strings.HasPrefix(allowedPrefix, forbiddenPrefix), !ofAllowed && !ofForbidden && a == f:
				errs.Invalid(at.Child("allowedUnsafeSysctls").Index(i), a, "sysctl overlaps with "+f)
			case ofAllowed && strings.HasPrefix(forbiddenPrefix, allowedPrefix):
				errs.Invalid(at.Child("forbiddenSysctls").Index(j), f, "sysctl overlaps with "+a)
			}
		}
	}
	return errs.List()
}

func runtimeClasses(o *builtin.RuntimeClassStrategyOptions, at *field.Path) field.ErrorList {
	if o == nil {
		return nil
	}
	var errs rules.Errors
	allowedAt := at.Child("allowedRuntimeClassNames")
	allowed := map[string]bool{}
	for i, name := range o.Allowed {
		if name != "*" {
			errs.Add(rules.Faults(allowedAt.Index(i), name, validation.IsDNS1123Subdomain(name)))
		}
		if allowed[name] {
			errs.Duplicate(allowedAt.Index(i), name)
		}
		allowed[name] = true
	}
	if o.Default != nil {
		errs.Add(rules.Faults(at.Child("defaultRuntimeClassName"), *o.Default, validation.IsDNS1123Subdomain(*o.Default)))
		if !allowed[*o.Default] && !allowed["*"] {
			errs.Required(allowedAt, fmt.Sprintf("default %q must be allowed", *o.Default))
		}
	}
	if allowed["*"] && len(o.Allowed) > 1 {
		errs.Invalid(allowedAt, o.Allowed, "if '*' is present, must not specify other RuntimeClass names")
	}
	return errs.List()
}

// volumesOfPolicies returns the kinds of volumes that a policy may name, sorted. In some releases, ephemeral volumes need a
// gate, unless the old policy names them, too.
func volumesOfPolicies(r rules.Request) []string {
	known := strings.Fields(`* awsElasticBlockStore azureDisk azureFile cephFS cinder configMap csi downwardAPI emptyDir ephemeral
		fc flexVolume flocker gcePersistentDisk gitRepo glusterfs hostPath iscsi nfs persistentVolumeClaim photonPersistentDisk
		portworxVolume projected quobyte rbd scaleIO secret storageos vsphereVolume`)
	old := rules.OldOf[*builtin.PodSecurityPolicy](r)
	kept := !r.Release.Has(kubeversion.EphemeralVolumesGated) || old != nil && slices.Contains(old.Spec.Volumes, "ephemeral")
	if kept && rules.HasField(r.Release, corev1.VolumeSource{}.OpenAPIModelName(), "ephemeral") || r.Release.Enabled("GenericEphemeralVolume") {
		return known
	}
	return slices.DeleteFunc(known, func(kind string) bool { return kind == "ephemeral" })
}
