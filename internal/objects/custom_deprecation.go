package objects

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
)

// DeprecationWarning is what the server warns of in every answer to a request in that
// version of a CRD; empty if the version is not deprecated.
func DeprecationWarning(crd *apiextensionsv1.CustomResourceDefinition, name string) string {
	for _, v := range crd.Spec.Versions {
		switch {
		case v.Name != name || !v.Deprecated:
			continue
		case v.DeprecationWarning != nil:
			return *v.DeprecationWarning
		}
		warning := fmt.Sprintf("%s/%s %s is deprecated", crd.Spec.Group, name, crd.Spec.Names.Kind)
		if better := replacement(crd, name); better != "" {
			warning += fmt.Sprintf("; use %s/%s %s", crd.Spec.Group, better, crd.Spec.Names.Kind)
		}
		return warning
	}
	return ""
}

// replacement is the most mature version that is served, not deprecated, and more mature
// than the one given.
func replacement(crd *apiextensionsv1.CustomResourceDefinition, than string) string {
	best := than
	for _, v := range crd.Spec.Versions {
		if v.Served && !v.Deprecated && version.CompareKubeAwareVersionStrings(best, v.Name) < 0 {
			best = v.Name
		}
	}
	if best == than {
		return ""
	}
	return best
}
