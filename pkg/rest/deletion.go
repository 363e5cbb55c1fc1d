package rest

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/scheduling"
)

// returnsDeleted reports whether a DELETE returns the object itself
// (kubernetes/kubernetes:pkg/registry/*/*/storage/storage.go, ReturnDeletedObject). Those of
// resource.k8s.io and storage.k8s.io were all written so, but for one and for the v1 of another.
func returnsDeleted(gr schema.GroupVersionResource) bool {
	switch gr.Group {
	case "":
		return slices.Contains([]string{"persistentvolumeclaims", "persistentvolumes", "pods", "podtemplates", "resourcequotas", "serviceaccounts", "services"}, gr.Resource)
	case "policy", "extensions":
		return gr.Resource == "podsecuritypolicies"
	case "resource.k8s.io":
		return gr.Resource != "devicetaintrules" || gr.Version != "v1"
	case "storage.k8s.io":
		return gr.Resource != "csistoragecapacities"
	}
	return false
}

// refuseToDelete keeps the server's own priority classes, whether they are there or not. As
// parts of a collection they go (kubernetes/kubernetes:pkg/registry/scheduling/priorityclass/storage/storage.go).
func (x *exchange) refuseToDelete() error {
	gr := x.req.Resource.GroupResource()
	if gr != (schema.GroupResource{Group: "scheduling.k8s.io", Resource: "priorityclasses"}) {
		return nil
	}
	if _, own := scheduling.SystemPriority(x.req.Name); !own {
		return nil
	}
	return refuse(apierrors.NewForbidden(gr, x.req.Name, errors.New("this is a system priority class and cannot be deleted")))
}
