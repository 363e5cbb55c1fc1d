package rest

import (
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// returnsDeleted reports whether a DELETE returns the object itself
// (kubernetes/kubernetes:pkg/registry/*/*/storage/storage.go, ReturnDeletedObject). All resources of resource.k8s.io
// and storage.k8s.io do so, except one, and v1 of another one.
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

// forget removes an object from the cluster, and up to 1.36 the endpoints of a service with it:
// kubernetes/kubernetes:pkg/registry/core/service/storage/storage.go, afterDelete. This is not admitted (PL-21d).
func (x *exchange) forget(name string) {
	k := x.key(name)
	x.state = x.state.Without(k)
	if x.resource.CRD != nil {
		if !x.server.DefinitionsKept {
			x.finishDefinition(x.resource.CRD.Name)
		}
		return
	}
	if k.GroupKind != (schema.GroupKind{Kind: "Service"}) || x.server.release().Has(kubeversion.EndpointsOutliveServices) {
		return
	}
	k.GroupKind.Kind = "Endpoints"
	kept, ok := x.state.Find(k)
	if !ok {
		return
	}
	if m, err := meta.Accessor(kept.Object); err == nil && len(m.GetFinalizers()) == 0 {
		x.state = x.state.Without(k)
	}
}

// refuseToDelete refuses to delete objects that a kind keeps for good, whether they exist or not. As part of a
// collection such objects can be deleted.
func (x *exchange) refuseToDelete() error {
	keeps := x.server.Types.Behaviour(x.resource.Kind).Keeps
	if keeps == nil {
		return nil
	}
	if why := keeps(x.req.Name); why != "" {
		return refuse(apierrors.NewForbidden(x.req.Resource.GroupResource(), x.req.Name, errors.New(why)))
	}
	return nil
}
