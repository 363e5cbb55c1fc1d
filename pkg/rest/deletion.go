package rest

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// returnsDeleted tells whether a DELETE returns the object itself
// (kubernetes/kubernetes:pkg/registry/*/*/storage/storage.go, ReturnDeletedObject). Those of
// resource.k8s.io and storage.k8s.io were all written so, but for one.
func returnsDeleted(gr schema.GroupResource) bool {
	switch gr.Group {
	case "":
		return slices.Contains([]string{"persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates", "resourcequotas", "serviceaccounts", "services"}, gr.Resource)
	case "policy":
		return gr.Resource == "podsecuritypolicies"
	case "resource.k8s.io":
		return true
	case "storage.k8s.io":
		return gr.Resource != "csistoragecapacities"
	}
	return false
}
