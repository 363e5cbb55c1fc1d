package objects

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func required(value string, at *field.Path) field.ErrorList {
	if value == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	return nil
}

func notNegative[N int32 | int64](n N, at *field.Path) field.ErrorList {
	return apivalidation.ValidateNonnegativeField(int64(n), at)
}

func notNegativePointer[N int32 | int64](n *N, at *field.Path) field.ErrorList {
	if n == nil {
		return nil
	}
	return notNegative(*n, at)
}

// choice asks for one of some values. An empty one among them stands for: missing is
// an error of its own.
func choice[T ~string](value T, at *field.Path, values ...T) field.ErrorList {
	if values[0] == "" {
		values = values[1:]
		if value == "" {
			return field.ErrorList{field.Required(at, "")}
		}
	}
	if slices.Contains(values, value) {
		return nil
	}
	return field.ErrorList{field.NotSupported(at, value, values)}
}

func subdomain(name string, at *field.Path) field.ErrorList {
	return faults(at, name, dnsSubdomain(name, false))
}

func validateEnv(vars []corev1.EnvVar, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range vars {
		errs = append(errs, given(at.Index(i).Child("name"), v.Name, utilvalidation.IsRelaxedEnvVarName)...)
		if v.ValueFrom != nil {
			errs = append(errs, validateEnvSource(v, at.Index(i).Child("valueFrom"))...)
		}
	}
	return errs
}

func validateEnvSource(v corev1.EnvVar, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	n := 0
	s := v.ValueFrom
	if s.FieldRef != nil {
		n++
		errs = append(errs, validateFieldPath(s.FieldRef, envFields, at.Child("fieldRef"))...)
	}
	if s.ResourceFieldRef != nil {
		n++
		errs = append(errs, required(s.ResourceFieldRef.Resource, at.Child("resourceFieldRef", "resource"))...)
	}
	if r := s.ConfigMapKeyRef; r != nil {
		n++
		errs = append(errs, validateKeyRef(r.Name, r.Key, at.Child("configMapKeyRef"))...)
	}
	if r := s.SecretKeyRef; r != nil {
		n++
		errs = append(errs, validateKeyRef(r.Name, r.Key, at.Child("secretKeyRef"))...)
	}
	if s.FileKeyRef != nil {
		n++
	}
	switch {
	case n == 0:
		errs = append(errs, field.Invalid(at, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
	case v.Value != "":
		errs = append(errs, field.Invalid(at, "", "may not be specified when `value` is not empty"))
	case n > 1:
		errs = append(errs, field.Invalid(at, "", "may not have more than one field specified at a time"))
	}
	return errs
}

func validateKeyRef(name, key string, at *field.Path) field.ErrorList {
	return append(subdomain(name, at.Child("name")), given(at.Child("key"), key, utilvalidation.IsConfigMapKey)...)
}

// The fields of a pod that its containers can be told. In both places labels and annotations
// can be told by key too.
var (
	envFields    = []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}
	volumeFields = []string{"metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"}
)

func validateFieldPath(f *corev1.ObjectFieldSelector, known []string, at *field.Path) field.ErrorList {
	if f.APIVersion == "" {
		return field.ErrorList{field.Required(at.Child("apiVersion"), "")}
	}
	if f.FieldPath == "" {
		return field.ErrorList{field.Required(at.Child("fieldPath"), "")}
	}
	of, key, ok := strings.Cut(f.FieldPath, "['")
	if !ok {
		return choice(f.FieldPath, at.Child("fieldPath"), known...)
	}
	key = strings.TrimSuffix(key, "']")
	switch of {
	case "metadata.annotations":
		return faults(at, key, utilvalidation.IsQualifiedName(strings.ToLower(key)))
	case "metadata.labels":
		return faults(at, key, utilvalidation.IsQualifiedName(key))
	}
	return field.ErrorList{field.Invalid(at, of, "does not support subscript")}
}

func validateEnvFrom(sources []corev1.EnvFromSource, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, s := range sources {
		at := at.Index(i)
		if s.Prefix != "" {
			errs = append(errs, faults(at.Child("prefix"), s.Prefix, utilvalidation.IsRelaxedEnvVarName(s.Prefix))...)
		}
		if s.ConfigMapRef != nil {
			errs = append(errs, subdomain(s.ConfigMapRef.Name, at.Child("configMapRef", "name"))...)
		}
		if s.SecretRef != nil {
			errs = append(errs, subdomain(s.SecretRef.Name, at.Child("secretRef", "name"))...)
		}
		switch {
		case s.ConfigMapRef == nil && s.SecretRef == nil:
			errs = append(errs, field.Invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"))
		case s.ConfigMapRef != nil && s.SecretRef != nil:
			errs = append(errs, field.Invalid(at, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}

func validateResources(r corev1.ResourceRequirements, at *field.Path) field.ErrorList {
	limits, requests := at.Child("limits"), at.Child("requests")
	var errs field.ErrorList
	for name, q := range sorted(r.Limits) {
		errs = append(errs, containerResource(name, q, limits.Key(string(name)))...)
	}
	for name, q := range sorted(r.Requests) {
		errs = append(errs, containerResource(name, q, requests.Key(string(name)))...)
		limit, limited := r.Limits[name]
		switch {
		case limited && !overcommits(name) && q.Cmp(limit) != 0:
			errs = append(errs, field.Invalid(requests, q.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String())))
		case limited && q.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(requests, q.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		case !limited && !overcommits(name):
			errs = append(errs, field.Required(limits, "Limit must be set for non overcommitable resources"))
		}
	}
	if hugePagesAlone(r) {
		errs = append(errs, field.Forbidden(at, "HugePages require cpu or memory"))
	}
	return errs
}

func hugePagesAlone(r corev1.ResourceRequirements) bool {
	huge := false
	for _, list := range []corev1.ResourceList{r.Limits, r.Requests} {
		for name := range list {
			if name == corev1.ResourceCPU || name == corev1.ResourceMemory {
				return false
			}
			huge = huge || isHugePages(name)
		}
	}
	return huge
}

// overcommits tells whether more of a resource can be promised than there is.
func overcommits(name corev1.ResourceName) bool { return isNative(name) && !isHugePages(name) }

func isNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

func containerResource(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	errs := faults(at, string(name), utilvalidation.IsQualifiedName(string(name)))
	if len(errs) == 0 {
		standard := isPodLevel(name) || name == corev1.ResourceEphemeralStorage
		if !strings.Contains(string(name), "/") && !standard {
			errs = append(errs, field.Invalid(at, string(name), "must be a standard resource for containers"))
		}
	}
	return append(errs, quantity(name, q, at)...)
}

func quantity(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	if q.Sign() < 0 {
		return field.ErrorList{field.Invalid(at, q.String(), "must be greater than or equal to 0")}
	}
	if !isNative(name) && q.MilliValue()%1000 != 0 {
		return field.ErrorList{field.Invalid(at, q.String(), "must be an integer")}
	}
	return nil
}

func validateContainerSecurity(s *corev1.SecurityContext, at *field.Path) field.ErrorList {
	if s == nil {
		return nil
	}
	errs := validateIDs(s.RunAsUser, s.RunAsGroup, at)
	if s.ProcMount != nil {
		errs = append(errs, choice(*s.ProcMount, at.Child("procMount"), corev1.DefaultProcMount, corev1.UnmaskedProcMount)...)
	}
	return append(errs, validateSeccomp(s.SeccompProfile, at.Child("seccompProfile"))...)
}

func validateIDs(user, group *int64, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if user != nil {
		errs = append(errs, faults(at.Child("runAsUser"), *user, utilvalidation.IsValidUserID(*user))...)
	}
	if group != nil {
		errs = append(errs, faults(at.Child("runAsGroup"), *group, utilvalidation.IsValidGroupID(*group))...)
	}
	return errs
}

func validateSeccomp(p *corev1.SeccompProfile, at *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	errs := choice(p.Type, at.Child("type"), "", corev1.SeccompProfileTypeLocalhost, corev1.SeccompProfileTypeRuntimeDefault, corev1.SeccompProfileTypeUnconfined)
	switch local := p.Type == corev1.SeccompProfileTypeLocalhost; {
	case local && p.LocalhostProfile == nil:
		errs = append(errs, field.Required(at.Child("localhostProfile"), "must be set when seccomp type is Localhost "))
	case local:
		errs = append(errs, pathWithin(*p.LocalhostProfile, at.Child("localhostProfile"))...)
	case p.LocalhostProfile != nil:
		errs = append(errs, field.Invalid(at.Child("localhostProfile"), *p.LocalhostProfile, "can only be set when seccomp type is Localhost"))
	}
	return errs
}
