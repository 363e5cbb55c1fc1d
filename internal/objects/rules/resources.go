package rules

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func IsNative(name corev1.ResourceName) bool {
	return !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
}

// IsExtended reports whether a name fits something that a device plugin can offer.
func IsExtended(name corev1.ResourceName) bool {
	return !IsNative(name) && !strings.HasPrefix(string(name), corev1.DefaultResourceRequestsPrefix) &&
		len(utilvalidation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+string(name))) == 0
}

func Quantity(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	if q.Sign() < 0 {
		return field.ErrorList{field.Invalid(at, q.String(), "must be greater than or equal to 0")}
	}
	if !IsNative(name) && q.MilliValue()%1000 != 0 {
		return field.ErrorList{field.Invalid(at, q.String(), "must be an integer")}
	}
	return nil
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
