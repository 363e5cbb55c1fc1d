package objects

import (
	"fmt"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/deprecation"

	"github.com/admsim/admsim/internal/builtin"
)

// DeprecationWarning returns the server's warning in every answer to a request in that version of a CRD, or "" if the
// version is not deprecated.
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

// replacement returns the most mature version that is served, not deprecated, and more mature than the given one.
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

// Deprecation returns the server's warning to clients that send a built-in kind in that version, or "" if there is
// none. [DeprecationWarning] is for custom resources.
func (t *Types) Deprecation(gvk schema.GroupVersionKind) string {
	goType := builtin.Type(gvk)
	if goType == nil {
		return ""
	}
	// Deprecation is a property of the type, so a nil object suffices here.
	if !deprecation.IsDeprecated(versioned(gvk, reflect.Zero(reflect.PointerTo(goType))), 1, t.options.Release.Minor) {
		return ""
	}
	obj := versioned(gvk, reflect.New(goType))
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return deprecation.WarningMessage(obj)
}

// RemovedRelease returns the release that no longer has a built-in kind in that version, or "" if it is not known.
func (t *Types) RemovedRelease(gvk schema.GroupVersionKind) string {
	goType := builtin.Type(gvk)
	if goType == nil {
		return ""
	}
	return deprecation.RemovedRelease(versioned(gvk, reflect.Zero(reflect.PointerTo(goType))))
}

func versioned(gvk schema.GroupVersionKind, v reflect.Value) runtime.Object {
	obj := v.Interface().(runtime.Object)
	if gvk == apiServiceV1beta1 {
		return deprecatedAPIService{Object: obj}
	}
	return obj
}

var apiServiceV1beta1 = builtin.APIRegistrationV1beta1.WithKind("APIService")

// A deprecatedAPIService is an APIService of v1beta1. It shares its type with v1, so the type cannot say that it was
// deprecated: kubernetes/kube-aggregator:pkg/apis/apiregistration/v1beta1.
type deprecatedAPIService struct{ runtime.Object }

func (deprecatedAPIService) APILifecycleDeprecated() (major, minor int) { return 1, 19 }

func (deprecatedAPIService) APILifecycleRemoved() (major, minor int) { return 1, 22 }

func (deprecatedAPIService) APILifecycleReplacement() schema.GroupVersionKind {
	return builtin.APIRegistrationV1.WithKind("APIService")
}
