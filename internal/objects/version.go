package objects

import (
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// sameShape returns the conversion for a version that is not listed. If its kind has a later version, both are taken to
// have the same fields. It is nil for the latest version.
func sameShape(gvk schema.GroupVersionKind) *rules.Version {
	latest := builtin.LatestVersion(gvk.GroupKind())
	if latest == gvk.Version {
		return nil
	}
	return rules.Reshaped(gvk, gvk.GroupKind().WithVersion(latest))
}

// unknownConversion returns the server's error for a body whose kind differs from the kind of the URL. The server tries
// to convert the body to the internal version of the latter; the events of all groups share one internal version.
func (k *typed) unknownConversion(obj runtime.Object) error {
	from, to := obj.GetObjectKind().GroupVersionKind(), k.hub.GVK()
	if !k.types.options.Release.Has(kubeversion.NamedConversionsOnly) {
		if of, known := k.types.kindFor(obj, schema.GroupVersionKind{}); known {
			obj = of.VersionDefaults(obj.DeepCopyObject())
		}
		c := fieldwise{release: k.types.options.Release}
		if err := c.convert(reflect.ValueOf(obj).Elem(), builtin.Type(to)); err != nil {
			return err
		}
	}
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", from.Version, from.Kind, internalPackage(to.Group), to.Kind)
}

// internalPackage returns the Go package of a group's internal types.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}
