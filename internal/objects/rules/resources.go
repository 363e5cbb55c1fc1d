package rules

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func IsNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// IsExtended reports whether a name can be that of a resource of a device plugin.
func IsExtended(name corev1.ResourceName) bool {
	return !IsNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) &&
		len(utilvalidation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+string(name))) == 0
}

// countedResources are counted in whole numbers. Their names have no domain.
var countedResources = []string{
	"pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps",
	"persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
}

// QuotaResources are the resources of quotas whose names need no domain.
var QuotaResources = append([]string{
	"cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.storage",
	"requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage",
}, countedResources...)

// IsQuotaResource reports whether a quota may limit a resource whose name has no domain.
func IsQuotaResource(name string) bool {
	return slices.Contains(QuotaResources, name) || strings.HasPrefix(name, corev1.ResourceHugePagesPrefix) || strings.HasPrefix(name, "requests.hugepages-")
}

// NameOfResource checks the name of a resource. A name without a domain must be known to the server.
func NameOfResource(name string, path *field.Path) field.ErrorList {
	if errs := Faults(path, corev1.ResourceName(name), content.IsLabelKey(name)); len(errs) > 0 {
		return errs
	}
	known := IsQuotaResource(name) || name == "storage"
	return Unless(known || strings.Contains(name, "/"), path, corev1.ResourceName(name), "must be a standard resource type or fully qualified")
}

// Quantity returns what is wrong with the amount of a resource in a container.
func Quantity(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	asRead := q
	errs := Unless(q.Sign() >= 0, at, q.String(), "must be greater than or equal to 0")
	if q.MilliValue()%1000 != 0 && (slices.Contains(countedResources, string(name)) || IsExtended(name)) {
		errs = append(errs, field.Invalid(at, asRead, "must be an integer"))
	}
	return errs
}

// ReadQuantity is Quantity for an amount that was written as a text before it is checked. Up to 1.33, messages show that it
// keeps the text.
func ReadQuantity(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	_ = q.String()
	return Quantity(name, q, at)
}

// RoundUp rounds quantities up to milli.
func RoundUp(lists ...corev1.ResourceList) {
	for _, list := range lists {
		for name, q := range list {
			if !q.RoundUp(resource.Milli) {
				list[name] = q
			}
		}
	}
}
