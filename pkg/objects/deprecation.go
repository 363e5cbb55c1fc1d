package objects

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
)

// Deprecation is what the server warns of whoever sends a built-in kind in that version;
// empty where there is nothing to say. [DeprecationWarning] is for custom resources.
func (t *Types) Deprecation(gvk schema.GroupVersionKind) string {
	obj, err := scheme().New(gvk)
	if err != nil || !deprecation.IsDeprecated(obj, 1, t.options.Release.Minor) {
		return ""
	}
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return deprecation.WarningMessage(obj)
}
