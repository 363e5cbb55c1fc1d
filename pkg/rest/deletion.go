package rest

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/cluster"
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

// forget removes an object from the cluster. From 1.23 to 1.36 the endpoints of a service go with it, which is not
// admitted (PL-21d), and its addresses are free: kubernetes/kubernetes:pkg/registry/core/service/storage/storage.go,
// afterDelete. Up to 1.22 only the DELETE of a service does that (PL-21e).
func (x *exchange) forget(ctx context.Context, name string) error {
	k := x.key(name)
	kept, _ := x.state.Find(k)
	x.state = x.state.Without(k)
	if x.resource.CRD != nil {
		if !x.server.DefinitionsKept {
			x.finishDefinition(x.resource.CRD.Name)
		}
		return nil
	}
	service, ok := kept.Object.(*corev1.Service)
	if !ok {
		return nil
	}
	if !x.server.release().Has(kubeversion.ServicesReleasedWhenGone) {
		x.state = change.Leak(x.state, service) // a DELETE frees them
		return nil
	}
	x.state = change.Release(x.state, service)
	if !x.server.release().Has(kubeversion.EndpointsOutliveServices) {
		x.forgetEndpoints(k)
	}
	return x.deleteIPAddresses(ctx, x.allocation(service).Held(service))
}

// removeService deletes a service as releases up to 1.22 did: its endpoints go, and its addresses and ports are free, even if
// finalizers hold it, and the answer does not show it (PL-21e):
// kubernetes/kubernetes@v1.22.17:pkg/registry/core/service/storage/rest.go, Delete.
func (r *removal) removeService(ctx context.Context, service *corev1.Service) (answer runtime.Object, gone bool, err error) {
	if _, _, err := r.remove(ctx); err != nil {
		return nil, false, err
	}
	if !r.dryRun() {
		r.forgetEndpoints(r.key(r.name))
		r.state = change.Release(r.state, service)
	}
	return r.success(r.object), true, nil
}

func (x *exchange) forgetEndpoints(k cluster.Key) {
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
