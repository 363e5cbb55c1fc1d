package objects

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// sameShape is the spoke of a version of which nothing is listed: where its kind has a
// later version, both are taken to have the same fields. Nil for the latest.
func sameShape(gvk schema.GroupVersionKind) *rules.Version {
	latest := builtin.LatestVersion(gvk.GroupKind())
	if latest == gvk.Version {
		return nil
	}
	return rules.Reshaped(gvk, gvk.GroupKind().WithVersion(latest))
}

// unknownConversion is the server's error for a body of another kind than the URL's, which it
// wants to convert to the internal version of that: the events of all groups have the same.
func (k *typed) unknownConversion(obj runtime.Object) error {
	from, to := obj.GetObjectKind().GroupVersionKind(), k.hub.GVK()
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", from.Version, from.Kind, internalPackage(to.Group), to.Kind)
}

// internalPackage is the Go package of a group's internal types.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}
