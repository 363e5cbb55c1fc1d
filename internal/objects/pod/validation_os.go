// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A placedContainer is a container with its position.
type placedContainer struct {
	*corev1.Container
	spec  *field.Path
	list  string
	index int
}

// at returns its path, which is only needed for errors.
func (c placedContainer) at() *field.Path { return rules.Nth(rules.Child(c.spec, c.list), c.index) }

// placedContainers returns all containers of a pod with their paths, in the server's order.
func placedContainers(s *corev1.PodSpec, at *field.Path) []placedContainer {
	all := make([]placedContainer, 0, len(s.InitContainers)+len(s.Containers)+len(s.EphemeralContainers))
	for i := range s.InitContainers {
		all = append(all, placedContainer{&s.InitContainers[i], at, "initContainers", i})
	}
	for i := range s.Containers {
		all = append(all, placedContainer{&s.Containers[i], at, "containers", i})
	}
	for i := range s.EphemeralContainers {
		all = append(all, placedContainer{(*corev1.Container)(&s.EphemeralContainers[i].EphemeralContainerCommon), at, "ephemeralContainers", i})
	}
	return all
}

// operatingSystem checks that a pod has no fields that its operating system does not support.
func operatingSystem(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	if s.OS == nil {
		return nil
	}
	switch s.OS.Name {
	case "":
		return field.ErrorList{field.Required(rules.Child(at, "os", "name"), "")}
	case corev1.Linux:
		return onLinux(s, at)
	case corev1.Windows:
		return onWindows(s, at)
	}
	return field.ErrorList{field.NotSupported(rules.Child(at, "os"), s.OS.Name, []corev1.OSName{corev1.Linux, corev1.Windows})}
}

func onLinux(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	const no = "windows options cannot be set for a linux pod"
	var errs rules.Errors
	if c := s.SecurityContext; c != nil && c.WindowsOptions != nil {
		errs.Forbidden(rules.Child(at, "securityContext", "windowsOptions"), no)
	}
	for _, c := range placedContainers(s, at) {
		if c.SecurityContext != nil && c.SecurityContext.WindowsOptions != nil {
			errs.Forbidden(rules.Child(c.at(), "securityContext", "windowsOptions"), no)
		}
	}
	return errs.List()
}

func onWindows(s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs rules.Errors
	no := func(at *field.Path, set map[string]bool) {
		for name, is := range rules.Sorted(set) {
			if is {
				errs.Forbidden(rules.Child(at, name), "cannot be set for a windows pod")
			}
		}
	}
	no(at, map[string]bool{"hostUsers": s.HostUsers != nil, "hostPID": s.HostPID, "hostIPC": s.HostIPC, "shareProcessNamespace": s.ShareProcessNamespace != nil})
	if c := s.SecurityContext; c != nil {
		no(rules.Child(at, "securityContext"), map[string]bool{
			"appArmorProfile": c.AppArmorProfile != nil, "seLinuxOptions": c.SELinuxOptions != nil, "seccompProfile": c.SeccompProfile != nil,
			"fsGroup": c.FSGroup != nil, "fsGroupChangePolicy": c.FSGroupChangePolicy != nil, "sysctls": len(c.Sysctls) > 0,
			"runAsUser": c.RunAsUser != nil, "runAsGroup": c.RunAsGroup != nil, "supplementalGroups": c.SupplementalGroups != nil,
			"supplementalGroupsPolicy": c.SupplementalGroupsPolicy != nil, "seLinuxChangePolicy": c.SELinuxChangePolicy != nil,
		})
	}
	for _, p := range placedContainers(s, at) {
		if c := p.SecurityContext; c != nil {
			no(rules.Child(p.at(), "securityContext"), map[string]bool{
				"appArmorProfile": c.AppArmorProfile != nil, "seLinuxOptions": c.SELinuxOptions != nil, "seccompProfile": c.SeccompProfile != nil,
				"capabilities": c.Capabilities != nil, "readOnlyRootFilesystem": c.ReadOnlyRootFilesystem != nil, "privileged": c.Privileged != nil,
				"allowPrivilegeEscalation": c.AllowPrivilegeEscalation != nil, "procMount": c.ProcMount != nil,
				"runAsUser": c.RunAsUser != nil, "runAsGroup": c.RunAsGroup != nil,
			})
		}
	}
	return errs.List()
}

const (
	hostNetworkUsers rules.Excuse = "no users of its own in the network of the host"
	userDevices      rules.Excuse = "no volume devices with users of its own"
)

// ownUsers checks a pod in a user namespace of its own.
func ownUsers(s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	const when = "when `hostUsers` is false"
	if s.HostUsers == nil || *s.HostUsers {
		return nil
	}
	var errs rules.Errors
	if s.HostNetwork && !r.Release.Enabled("UserNamespacesHostNetworkSupport") {
		errs.Add(hostNetworkUsers.Of(field.ErrorList{field.Forbidden(rules.Child(at, "hostNetwork"), when)}))
	}
	if s.HostPID {
		errs.Forbidden(rules.Child(at, "HostPID"), when)
	}
	if s.HostIPC {
		errs.Forbidden(rules.Child(at, "HostIPC"), when)
	}
	if !r.Release.Has(kubeversion.UserNamespaceDevicesRefused) {
		return errs.List()
	}
	for _, c := range placedContainers(s, at) {
		if len(c.VolumeDevices) > 0 {
			errs.Add(userDevices.Of(field.ErrorList{field.Forbidden(rules.Child(c.at(), "volumeDevices"), when)}))
		}
	}
	return errs.List()
}

// hostProcesses checks containers that are processes of a Windows host: all or none of them. While the gate is off, they
// are refused, not dropped.
func hostProcesses(s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	const off = "when feature gate 'WindowsHostProcessContainers' is not enabled"
	refused := !r.Release.Has(kubeversion.HostProcesses) && !setsHostProcess(oldSpec(r))
	var errs rules.Errors
	var ofPod *bool
	if c := s.SecurityContext; c != nil && c.WindowsOptions != nil {
		ofPod = c.WindowsOptions.HostProcess
	}
	if refused && ofPod != nil {
		errs.Forbidden(rules.Child(at, "securityContext", "windowsOptions", "hostProcess"), "not allowed "+off)
		return errs.List()
	}
	all := placedContainers(s, at)
	n := 0
	for _, c := range all {
		hostProcess := ofPod
		if own := ownHostProcess(c.Container); own != nil {
			hostProcess = own
			if refused {
				errs.Forbidden(rules.Child(c.at(), "securityContext", "windowsOptions", "hostProcess"), "not allowed "+off)
			}
		}
		if ofPod != nil && *hostProcess != *ofPod {
			errs.Invalid(rules.Child(c.at(), "securityContext", "windowsOptions", "hostProcess"), *hostProcess, fmt.Sprintf("pod hostProcess value must be identical if both are specified, was %v", *ofPod))
		}
		if rules.IsTrue(hostProcess) {
			n++
		}
	}
	switch {
	case n == 0:
		return errs.List()
	case refused:
		errs.Forbidden(at, "pod must not contain Windows hostProcess containers "+off)
		return errs.List()
	}
	errs.Add(rules.Unless(n == len(all), at, "", "If pod contains any hostProcess containers then all containers must be HostProcess containers"))
	errs.Add(rules.Unless(s.HostNetwork, rules.Child(at, "hostNetwork"), false, "hostNetwork must be true if pod contains any hostProcess containers"))
	return errs.List()
}

// setsHostProcess reports whether a spec says which containers are processes of the host; s may be nil.
func setsHostProcess(s *corev1.PodSpec) bool {
	if s == nil {
		return false
	}
	if c := s.SecurityContext; c != nil && c.WindowsOptions != nil && c.WindowsOptions.HostProcess != nil {
		return true
	}
	return slices.ContainsFunc(Containers(s), func(c *corev1.Container) bool { return ownHostProcess(c) != nil })
}

func ownHostProcess(c *corev1.Container) *bool {
	if c.SecurityContext == nil || c.SecurityContext.WindowsOptions == nil {
		return nil
	}
	return c.SecurityContext.WindowsOptions.HostProcess
}

const (
	maxCredentialSpecKiB = 64
	maxWindowsDomain     = 256
	maxWindowsUser       = 104
)

// The names of Windows users and of their domains.
var (
	controlCharacter  = regexp.MustCompile(`[[:cntrl:]]+`)
	netBIOSName       = regexp.MustCompile(`^[^\\/:\*\?"<>|\.][^\\/:\*\?"<>|]{0,14}$`)
	windowsDomainName = regexp.MustCompile(`^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$`)
	noWindowsUser     = regexp.MustCompile(`["/\\:;|=,\+\*\?<>@\[\]]`)
	dotsAndSpaces     = regexp.MustCompile(`^[\. ]+$`)
)

func windowsOptions(o *corev1.WindowsSecurityContextOptions, at *field.Path) field.ErrorList {
	if o == nil {
		return nil
	}
	var errs rules.Errors
	if n := o.GMSACredentialSpecName; n != nil {
		errs.Add(rules.Faults(rules.Child(at, "gmsaCredentialSpecName"), *n, rules.DNS1123Subdomain(*n)))
	}
	if s := o.GMSACredentialSpec; s != nil {
		errs.Add(rules.Unless(*s != "", rules.Child(at, "gmsaCredentialSpec"), *s, "gmsaCredentialSpec cannot be an empty string"))
		errs.Add(rules.Unless(len(*s) <= maxCredentialSpecKiB*1024, rules.Child(at, "gmsaCredentialSpec"), *s, fmt.Sprintf("gmsaCredentialSpec size must be under %d KiB", maxCredentialSpecKiB)))
	}
	if u := o.RunAsUserName; u != nil {
		errs.Add(rules.Faults(rules.Child(at, "runAsUserName"), *u, windowsUser(*u)))
	}
	return errs.List()
}

// windowsUser returns what is wrong with a name of the form DOMAIN\User.
func windowsUser(name string) (wrong []string) {
	parts := strings.Split(name, `\`)
	switch {
	case name == "":
		return []string{"runAsUserName cannot be an empty string"}
	case controlCharacter.MatchString(name):
		return []string{"runAsUserName cannot contain control characters"}
	case len(parts) > 2:
		return []string{"runAsUserName cannot contain more than one backslash"}
	}
	user := parts[len(parts)-1]
	if domain := parts[0]; len(parts) == 2 {
		if len(domain) >= maxWindowsDomain {
			wrong = append(wrong, fmt.Sprintf("runAsUserName's Domain length must be under %d characters", maxWindowsDomain))
		}
		if !netBIOSName.MatchString(domain) && !windowsDomainName.MatchString(domain) {
			wrong = append(wrong, "runAsUserName's Domain doesn't match the NetBios nor the DNS format")
		}
	}
	switch {
	case user == "":
		wrong = append(wrong, "runAsUserName's User cannot be empty")
	case len(user) > maxWindowsUser:
		wrong = append(wrong, fmt.Sprintf("runAsUserName's User length must not be longer than %d characters", maxWindowsUser))
	}
	if dotsAndSpaces.MatchString(user) {
		wrong = append(wrong, "runAsUserName's User cannot contain only periods or spaces")
	}
	if noWindowsUser.MatchString(user) {
		wrong = append(wrong, `runAsUserName's User cannot contain the following characters: "/\:;|=,+*?<>@[]`)
	}
	return wrong
}

const maxNameservers = 3

// searchLimits are limits of the search paths of a pod's DNS: their number, and the length of the list with its spaces.
type searchLimits struct{ paths, characters int }

var expandedSearches, legacySearches = searchLimits{32, 2048}, searchLimits{6, 256}

// searchLimitsOf returns the limits for c. An update may keep what an old pod has beyond the smaller limits.
func searchLimitsOf(c *corev1.PodDNSConfig, r rules.Request) searchLimits {
	old := oldSpec(r)
	if r.Release.Has(kubeversion.ExpandedSearches) || old != nil && old.DNSConfig != nil && slices.Equal(c.Searches, old.DNSConfig.Searches) {
		return expandedSearches
	}
	return legacySearches
}

// relaxedSearches reports whether a search path may have underscores, or be a single dot.
func relaxedSearches(r rules.Request) bool {
	if r.Release.Has(kubeversion.SearchesRelaxed) {
		return true
	}
	old := oldSpec(r)
	_, known := r.Release.Gate("RelaxedDNSSearchValidation")
	return known && old != nil && old.DNSConfig != nil && slices.ContainsFunc(old.DNSConfig.Searches, func(search string) bool {
		return search == "." || strings.Contains(search, "_")
	})
}

func dnsConfig(s *corev1.PodSpec, at *field.Path, r rules.Request) field.ErrorList {
	c := s.DNSConfig
	if s.DNSPolicy == corev1.DNSNone && c == nil {
		return field.ErrorList{field.Required(at, fmt.Sprintf("must provide `dnsConfig` when `dnsPolicy` is %s", corev1.DNSNone))}
	}
	if s.DNSPolicy == corev1.DNSNone && len(c.Nameservers) == 0 {
		return field.ErrorList{field.Required(rules.Child(at, "nameservers"), fmt.Sprintf("must provide at least one DNS nameserver when `dnsPolicy` is %s", corev1.DNSNone))}
	}
	if c == nil {
		return nil
	}
	var errs rules.Errors
	errs.Add(rules.Unless(len(c.Nameservers) <= maxNameservers, rules.Child(at, "nameservers"), c.Nameservers, fmt.Sprintf("must not have more than %v nameservers", maxNameservers)))
	for i, n := range c.Nameservers {
		errs.Add(podAddress(n, rules.Nth(rules.Child(at, "nameservers"), i), r))
	}
	searches := rules.Child(at, "searches")
	most := searchLimitsOf(c, r)
	errs.Add(rules.Unless(len(c.Searches) <= most.paths, searches, c.Searches, fmt.Sprintf("must not have more than %v search paths", most.paths)))
	errs.Add(rules.Unless(len(strings.Join(c.Searches, " ")) <= most.characters, searches, c.Searches, fmt.Sprintf("must not have more than %v characters (including spaces) in the search list", most.characters)))
	relaxed := relaxedSearches(r)
	for i, search := range c.Searches {
		at, name := rules.Nth(searches, i), strings.TrimSuffix(search, ".")
		switch {
		case !relaxed:
			errs.Add(rules.Subdomain(name, at))
		case search != ".":
			errs.Add(rules.Faults(at, name, utilvalidation.IsDNS1123SubdomainWithUnderscore(name)))
		}
	}
	for i, o := range c.Options {
		if o.Name == "" {
			errs.Required(rules.Nth(rules.Child(at, "options"), i), "must not be empty")
		}
	}
	return errs.List()
}
