package rest

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/version"
)

// deprecationOf is the warning that comes with every request to a version that its
// definition calls deprecated (W-253:
// kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
func deprecationOf(crd *apiextensionsv1.CustomResourceDefinition, name string) (warning string, deprecated bool) {
	if crd == nil {
		return "", false
	}
	for _, v := range crd.Spec.Versions {
		switch {
		case v.Name != name || !v.Deprecated:
		case v.DeprecationWarning != nil:
			return *v.DeprecationWarning, true
		default:
			return insteadOf(crd, name), true
		}
	}
	return "", false
}

// insteadOf names the newest version that is served and not deprecated, if it is newer.
func insteadOf(crd *apiextensionsv1.CustomResourceDefinition, name string) string {
	text := fmt.Sprintf("%s/%s %s is deprecated", crd.Spec.Group, name, crd.Spec.Names.Kind)
	best := name
	for _, v := range crd.Spec.Versions {
		if v.Served && !v.Deprecated && version.CompareKubeAwareVersionStrings(v.Name, best) > 0 {
			best = v.Name
		}
	}
	if best == name {
		return text
	}
	return text + fmt.Sprintf("; use %s/%s %s", crd.Spec.Group, best, crd.Spec.Names.Kind)
}
