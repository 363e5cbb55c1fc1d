// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// envName returns what is wrong with the name of a variable: since 1.32 almost any name is allowed.
func (k *podCheck) envName(name string) []string {
	if k.release.Has(kubeversion.RelaxedEnvVarNames) {
		return utilvalidation.IsRelaxedEnvVarName(name)
	}
	return utilvalidation.IsEnvVarName(name)
}

func (k *podCheck) env(vars []corev1.EnvVar, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, v := range vars {
		errs.Add(rules.Given(rules.Child(rules.Nth(at, i), "name"), v.Name, k.envName))
		if v.ValueFrom != nil {
			errs.Add(k.envSource(v, rules.Child(rules.Nth(at, i), "valueFrom")))
		}
	}
	return errs.List()
}

func (k *podCheck) envSource(v corev1.EnvVar, at *field.Path) field.ErrorList {
	var errs rules.Errors
	n := 0
	s := v.ValueFrom
	if s.FieldRef != nil {
		n++
		errs.Add(validateFieldPath(s.FieldRef, envFields, rules.Child(at, "fieldRef")))
	}
	if s.ResourceFieldRef != nil {
		n++
		errs.Add(resourceField(s.ResourceFieldRef, false, rules.Child(at, "resourceFieldRef")))
	}
	if r := s.ConfigMapKeyRef; r != nil {
		n++
		errs.Add(validateKeyRef(r.Name, r.Key, rules.Child(at, "configMapKeyRef")))
	}
	if r := s.SecretKeyRef; r != nil {
		n++
		errs.Add(validateKeyRef(r.Name, r.Key, rules.Child(at, "secretKeyRef")))
	}
	if s.FileKeyRef != nil {
		n++
		errs.Add(k.fileKey(s.FileKeyRef, rules.Child(at, "fileKeyRef")))
	}
	switch {
	case n == 0:
		errs.Invalid(at, "", k.oneEnvSource())
	case v.Value != "":
		errs.Invalid(at, "", "may not be specified when `value` is not empty")
	case n > 1:
		errs.Invalid(at, "", "may not have more than one field specified at a time")
	}
	return errs.List()
}

// oneEnvSource names the sources of a variable: since 1.34 a file is one of them.
func (k *podCheck) oneEnvSource() string {
	if k.release.Has(kubeversion.EnvFileSourceNamed) {
		return "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"
	}
	return "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
}

// fileKey checks a variable that is read from a file in a volume.
func (k *podCheck) fileKey(s *corev1.FileKeySelector, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Given(rules.Child(at, "key"), s.Key, utilvalidation.IsRelaxedEnvVarName))
	errs.Add(rules.Given(rules.Child(at, "volumeName"), s.VolumeName, rules.DNS1123Label))
	errs.Add(rules.Required(s.Path, rules.Child(at, "path")))
	errs.Add(noBacksteps(s.Path, rules.Child(at, "path")))
	i := slices.IndexFunc(k.spec.Volumes, func(v corev1.Volume) bool { return v.Name == s.VolumeName })
	if i < 0 {
		errs.Append(field.NotFound(rules.Child(at, "volumeName"), s.VolumeName))
		return errs.List()
	}
	errs.Add(rules.Unless(k.spec.Volumes[i].EmptyDir != nil, rules.Child(at, "volumeName"), s.VolumeName, "referenced volume must be of type emptyDir"))
	return errs.List()
}

func validateKeyRef(name, key string, at *field.Path) field.ErrorList {
	return append(rules.Subdomain(name, rules.Child(at, "name")), rules.Given(rules.Child(at, "key"), key, utilvalidation.IsConfigMapKey)...)
}

// The fields of a pod that its containers can get in variables and in files. In both, single labels and annotations can
// be selected by key, too.
var (
	envFields    = []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}
	volumeFields = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}
	podFields    = append(slices.Concat(envFields, volumeFields), "spec.restartPolicy", "spec.schedulerName", "spec.hostNetwork", "status.phase", "status.nominatedNodeName")
)

// validateFieldPath checks a reference to a field, which must be one of the known fields.
func validateFieldPath(f *corev1.ObjectFieldSelector, known []string, at *field.Path) field.ErrorList {
	if f.APIVersion == "" {
		return field.ErrorList{field.Required(rules.Child(at, "apiVersion"), "")}
	}
	if f.FieldPath == "" {
		return field.ErrorList{field.Required(rules.Child(at, "fieldPath"), "")}
	}
	path := f.FieldPath
	base, key, ok := subscripted(path)
	switch labelled := ok && (base == "metadata.annotations" || base == "metadata.labels"); {
	case f.APIVersion != "v1":
		return field.ErrorList{field.Invalid(rules.Child(at, "fieldPath"), path, fmt.Sprintf("error converting fieldPath: unsupported pod version: %s", f.APIVersion))}
	case ok && !labelled:
		return field.ErrorList{field.Invalid(rules.Child(at, "fieldPath"), path, "error converting fieldPath: field label does not support subscript: "+path)}
	case !labelled && path != "spec.host" && !slices.Contains(podFields, path):
		return field.ErrorList{field.Invalid(rules.Child(at, "fieldPath"), path, "error converting fieldPath: field label not supported: "+path)}
	case path == "spec.host":
		path = "spec.nodeName"
	}
	switch {
	case !ok:
		return rules.Choice(path, rules.Child(at, "fieldPath"), known...)
	case base == "metadata.annotations":
		key = strings.ToLower(key)
	}
	return rules.Faults(at, key, utilvalidation.IsQualifiedName(key))
}

// subscripted splits a path that ends in a key, as in metadata.labels['app'].
func subscripted(path string) (base, key string, ok bool) {
	if !strings.HasSuffix(path, "']") {
		return "", "", false
	}
	base, key, ok = strings.Cut(strings.TrimSuffix(path, "']"), "['")
	return base, key, ok && base != ""
}

var (
	resourceFields = []string{"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory"}
	amounts        = []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
)

// resourceField checks the reference of a container to an amount of a resource. In a file, the reference has to name
// the container.
func resourceField(f *corev1.ResourceFieldSelector, inFile bool, at *field.Path) field.ErrorList {
	var errs rules.Errors
	huge := strings.HasPrefix(f.Resource, "limits.hugepages-") || strings.HasPrefix(f.Resource, "requests.hugepages-")
	switch {
	case inFile && f.ContainerName == "":
		errs.Required(rules.Child(at, "containerName"), "")
	case f.Resource == "":
		errs.Required(rules.Child(at, "resource"), "")
	case !huge:
		errs.Add(rules.Choice(f.Resource, rules.Child(at, "resource"), resourceFields...))
	}
	if f.Divisor.IsZero() {
		return errs.List()
	}
	_, name, _ := strings.Cut(f.Resource, ".")
	words := map[string]string{"memory": "memory resource", "ephemeral-storage": "local ephemeral storage resource"}
	at = rules.Child(at, "divisor")
	switch divisor := f.Divisor.String(); {
	case !huge && !slices.Contains(resourceFields, f.Resource):
	case name == "cpu":
		errs.Add(rules.Unless(divisor == "1m" || divisor == "1", at, f.Resource, "only divisor's values 1m and 1 are supported with the cpu resource"))
	default:
		errs.Add(rules.Unless(slices.Contains(amounts, divisor), at, f.Resource,
			"only divisor's values "+strings.Join(amounts, ", ")+" are supported with the "+cmp.Or(words[name], "hugepages resource")))
	}
	return errs.List()
}

func (k *podCheck) envFrom(sources []corev1.EnvFromSource, at *field.Path) field.ErrorList {
	var errs rules.Errors
	list := at
	for i, s := range sources {
		at := rules.Nth(at, i)
		if s.Prefix != "" {
			errs.Add(rules.Faults(rules.Child(at, "prefix"), s.Prefix, k.envName(s.Prefix)))
		}
		if s.ConfigMapRef != nil {
			errs.Add(rules.Given(rules.Child(at, "configMapRef", "name"), s.ConfigMapRef.Name, rules.DNS1123Subdomain))
		}
		if s.SecretRef != nil {
			errs.Add(rules.Given(rules.Child(at, "secretRef", "name"), s.SecretRef.Name, rules.DNS1123Subdomain))
		}
		switch {
		case s.ConfigMapRef == nil && s.SecretRef == nil:
			errs.Invalid(list, "", "must specify one of: `configMapRef` or `secretRef`")
		case s.ConfigMapRef != nil && s.SecretRef != nil:
			errs.Invalid(list, "", "may not have more than one field specified at a time")
		}
	}
	return errs.List()
}

// ValidateResources checks the resources of a container or pod; nameOf checks their names.
func ValidateResources(r *corev1.ResourceRequirements, nameOf func(corev1.ResourceName, *field.Path) field.ErrorList, claims []string, release *kubeversion.Release, at *field.Path) field.ErrorList {
	if len(r.Limits)+len(r.Requests)+len(r.Claims) == 0 {
		return nil
	}
	limits, requests := rules.Child(at, "limits"), rules.Child(at, "requests")
	var errs rules.Errors
	check := func(name corev1.ResourceName, q resource.Quantity, at *field.Path) {
		errs.Add(nameOf(name, at))
		errs.Add(rules.Quantity(name, q, at))
		if release.Has(kubeversion.HugePagesWhole) {
			errs.Add(indivisiblePages.Of(wholePages(name, q, at)))
		}
	}
	for name, q := range rules.Sorted(r.Limits) {
		check(name, q, rules.Keyed(limits, string(name)))
	}
	for name, q := range rules.Sorted(r.Requests) {
		check(name, q, rules.Keyed(requests, string(name)))
		limit, limited := r.Limits[name]
		switch {
		case limited && !overcommits(name) && q.Cmp(limit) != 0:
			errs.Invalid(requests, q.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String()))
		case limited && q.Cmp(limit) > 0:
			errs.Invalid(requests, q.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String()))
		case !limited && !overcommits(name):
			errs.Required(limits, "Limit must be set for non overcommitable resources")
		}
	}
	if hugePagesAlone(*r) {
		errs.Forbidden(at, "HugePages require cpu or memory")
	}
	errs.Add(usedClaims(r.Claims, claims, rules.Child(at, "claims")))
	return errs.List()
}

const indivisiblePages rules.Excuse = "whole huge pages"

// wholePages requires an amount of memory in whole pages.
func wholePages(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	if !podresources.IsHugePages(name) {
		return nil
	}
	size, err := resource.ParseQuantity(strings.TrimPrefix(string(name), corev1.ResourceHugePagesPrefix))
	if err != nil || size.Value() <= 0 {
		return nil
	}
	return rules.Unless(q.Value()%size.Value() == 0, at, q.String(), fmt.Sprintf("%s is not positive integer multiple of %s", q.String(), name))
}

// usedClaims checks which claims of the pod a container uses, and which requests of these.
func usedClaims(used []corev1.ResourceClaim, claims []string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	seen := map[string]bool{}
	whole := func(name string) bool { // or a part of it, by its request
		for key := range seen {
			if of, _, ok := strings.Cut(key, "/"); ok && of == name {
				return true
			}
		}
		return false
	}
	for i, c := range used {
		at, key := rules.Nth(at, i), c.Name
		if c.Name == "" {
			errs.Required(at, "")
			continue
		}
		if seen[c.Name] {
			errs.Duplicate(at, c.Name)
		} else {
			if c.Request != "" {
				errs.Add(rules.Faults(rules.Child(at, "request"), c.Request, rules.DNSLabel(c.Request, false)))
				key += "/" + c.Request
			}
			if seen[key] || c.Request == "" && whole(c.Name) {
				errs.Duplicate(at, key)
			}
			seen[key] = true
		}
		if !slices.Contains(claims, c.Name) {
			unknown := field.NotFound(at, c.Name)
			unknown.Detail = "must be one of the names in pod.spec.resourceClaims: " + strings.Join(claims, ", ")
			if len(claims) == 0 {
				unknown.Detail = "must be one of the names in pod.spec.resourceClaims which is empty"
			}
			errs.Append(unknown)
		}
	}
	return errs.List()
}

func hugePagesAlone(r corev1.ResourceRequirements) bool {
	huge := false
	for _, list := range []corev1.ResourceList{r.Limits, r.Requests} {
		for name := range list {
			if name == corev1.ResourceCPU || name == corev1.ResourceMemory {
				return false
			}
			huge = huge || podresources.IsHugePages(name)
		}
	}
	return huge
}

// overcommits reports whether limits of a resource may exceed its requests.
func overcommits(name corev1.ResourceName) bool {
	return rules.IsNative(name) && !podresources.IsHugePages(name)
}

// ContainerResource checks whether containers may have a resource.
func ContainerResource(name corev1.ResourceName, at *field.Path) field.ErrorList {
	return append(rules.NameOfResource(string(name), at), ResourceOfContainers(name, at)...)
}

// ResourceOfContainers is [ContainerResource] without the check of the name itself.
func ResourceOfContainers(name corev1.ResourceName, at *field.Path) field.ErrorList {
	standard := name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage || podresources.IsHugePages(name)
	switch {
	case !strings.Contains(string(name), "/"):
		return rules.Unless(standard, at, name, "must be a standard resource for containers")
	case !rules.IsNative(name):
		return rules.Unless(rules.IsExtended(name), at, name, "doesn't follow extended resource name standard")
	}
	return nil
}

// podResource checks whether a resource may be requested at pod level.
func podResource(name corev1.ResourceName, at *field.Path) field.ErrorList {
	if errs := rules.NameOfResource(string(name), at); len(errs) > 0 {
		return errs
	}
	if !podresources.IsPodLevel(name) {
		return field.ErrorList{field.NotSupported(at, name, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceHugePagesPrefix, corev1.ResourceMemory})}
	}
	return nil
}

// isSysAdmin reports whether a container adds CAP_SYS_ADMIN without explicitly allowing privilege escalation.
func isSysAdmin(c *corev1.Container) bool {
	s := c.SecurityContext
	return s != nil && !rules.IsTrue(s.AllowPrivilegeEscalation) && s.Capabilities != nil && slices.Contains(s.Capabilities.Add, "CAP_SYS_ADMIN")
}

func (k *podCheck) containerSecurity(s *corev1.SecurityContext, at *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	var errs rules.Errors
	errs.Add(validateIDs(s.RunAsUser, s.RunAsGroup, at))
	if s.ProcMount != nil {
		errs.Add(rules.Choice(*s.ProcMount, rules.Child(at, "procMount"), corev1.DefaultProcMount, corev1.UnmaskedProcMount))
		ownUsers := k.spec.HostUsers != nil && !*k.spec.HostUsers
		errs.Add(rules.Unless(ownUsers || *s.ProcMount != corev1.UnmaskedProcMount, rules.Child(at, "procMount"), *s.ProcMount, "`hostUsers` must be false to use `Unmasked`"))
	}
	errs.Add(validateSeccomp(s.SeccompProfile, rules.Child(at, "seccompProfile")))
	if s.AllowPrivilegeEscalation != nil && !*s.AllowPrivilegeEscalation {
		errs.Add(rules.Unless(!rules.IsTrue(s.Privileged), at, rules.AsInternal(*s), "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"))
		if s.Capabilities != nil && !k.keepsSysAdmin {
			for _, c := range s.Capabilities.Add {
				errs.Add(rules.Unless(c != "CAP_SYS_ADMIN", at, rules.AsInternal(*s), "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"))
			}
		}
	}
	errs.Add(windowsOptions(s.WindowsOptions, rules.Child(at, "windowsOptions")))
	errs.Add(validateAppArmor(s.AppArmorProfile, rules.Child(at, "appArmorProfile")))
	return errs.List()
}

func validateIDs(user, group *int64, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if user != nil {
		errs.Add(rules.Faults(rules.Child(at, "runAsUser"), *user, utilvalidation.IsValidUserID(*user)))
	}
	if group != nil {
		errs.Add(rules.Faults(rules.Child(at, "runAsGroup"), *group, utilvalidation.IsValidGroupID(*group)))
	}
	return errs.List()
}

func validateSeccomp(p *corev1.SeccompProfile, at *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	if p.Type == "" {
		return append(field.ErrorList{field.Required(rules.Child(at, "type"), "type is required when seccompProfile is set")}, rules.Unless(p.LocalhostProfile == nil, rules.Child(at, "localhostProfile"), rules.AsInternal(*p), "can only be set when seccomp type is Localhost")...)
	}
	var errs rules.Errors
	errs.Add(rules.Choice(p.Type, rules.Child(at, "type"), corev1.SeccompProfileTypeLocalhost, corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeUnconfined))
	switch local := p.Type == corev1.SeccompProfileTypeLocalhost; {
	case local && p.LocalhostProfile == nil:
		errs.Required(rules.Child(at, "localhostProfile"), "must be set when seccomp type is Localhost")
	case local:
		errs.Add(pathWithin(*p.LocalhostProfile, rules.Child(at, "localhostProfile")))
	case p.LocalhostProfile != nil:
		errs.Invalid(rules.Child(at, "localhostProfile"), rules.AsInternal(*p), "can only be set when seccomp type is Localhost")
	}
	return errs.List()
}
