package declared

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// custom holds the checks of the fields with a custom validation (customValidation).
var custom = map[string]func(at *field.Path, v reflect.Value) field.ErrorList{
	"core/v1 EvictionResponder.name":                   notOfKubernetes,
	"core/v1 EvictionResponder.priority":               noReservedPriority,
	"lifecycle/v1alpha1 EvictionRequestSpec.requester": notOfKubernetes,
}

// notOfKubernetes refuses names in the domains of Kubernetes.
func notOfKubernetes(at *field.Path, v reflect.Value) field.ErrorList {
	domain, _, _ := strings.Cut(v.String(), "/")
	domain = strings.TrimRight(strings.TrimSpace(strings.ToLower(domain)), ".")
	if slices.ContainsFunc([]string{".k8s.io", ".kubernetes.io"}, func(reserved string) bool {
		return strings.HasSuffix("."+domain, reserved)
	}) {
		return field.ErrorList{field.Invalid(at, v.String(), "domain names *.k8s.io, *.kubernetes.io are reserved")}
	}
	return nil
}

func noReservedPriority(at *field.Path, v reflect.Value) field.ErrorList {
	if n := v.Int(); n >= 0 && n < 1000 {
		return field.ErrorList{field.Invalid(at, n, "priorities 0-999 are reserved for responders with *.k8s.io suffix")}
	}
	return nil
}
