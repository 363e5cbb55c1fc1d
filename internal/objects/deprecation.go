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
	if !deprecation.IsDeprecated(t.withLifecycle(gvk, reflect.Zero(reflect.PointerTo(goType))), 1, t.options.Release.Minor) {
		return ""
	}
	obj := t.withLifecycle(gvk, reflect.New(goType))
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return deprecation.WarningMessage(obj)
}

// RemovedRelease returns the release that no longer has a built-in kind in that version, or "" if it is not known.
func (t *Types) RemovedRelease(gvk schema.GroupVersionKind) string {
	goType := builtin.Type(gvk)
	if goType == nil {
		return ""
	}
	return deprecation.RemovedRelease(t.withLifecycle(gvk, reflect.Zero(reflect.PointerTo(goType))))
}

// withLifecycle returns an object of a kind, with methods that say what the release warns about that kind.
func (t *Types) withLifecycle(gvk schema.GroupVersionKind, v reflect.Value) runtime.Object {
	obj := v.Interface().(runtime.Object)
	deprecated, removed, better, ok := t.options.Release.Lifecycle(gvk)
	switch {
	case !ok:
		return obj
	case deprecated == 0:
		return withoutLifecycle{obj}
	}
	return withLifecycle{obj, deprecated, removed, better}
}

type withoutLifecycle struct{ runtime.Object }

type withLifecycle struct {
	runtime.Object
	deprecated, removed int
	better              schema.GroupVersionKind
}

func (o withLifecycle) APILifecycleDeprecated() (major, minor int) { return 1, o.deprecated }

func (o withLifecycle) APILifecycleRemoved() (major, minor int) { return 1, o.removed }

func (o withLifecycle) APILifecycleReplacement() schema.GroupVersionKind { return o.better }
