package serve

import (
	"net/http"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/table"
	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// shown converts an object to the kind that the client asked for.
func (x *exchange) shown(media wire.Media, resource discovery.Resource, object runtime.Object) (runtime.Object, error) {
	if _, isStatus := object.(*metav1.Status); isStatus || media.As == "" {
		return object, nil
	}
	if media.As == wire.Table {
		if _, scale := object.(*autoscalingv1.Scale); scale && resource.CRD != nil && !x.sim.Release().Has(kubeversion.TableSubresources) {
			panic(http.ErrAbortHandler) // as the server does: it takes the scale for a custom resource
		}
		t := x.newTable(media, resource)
		err := t.Add(object)
		return t.Table(), err
	}
	return x.partial(media, object)
}

// checkTable refuses options of a table that do not exist: kubernetes/apiserver:pkg/endpoints/handlers/response.go,
// optionsForTransform.
func (x *exchange) checkTable(media wire.Media) error {
	if media.As != wire.Table {
		return nil
	}
	include := metav1.IncludeObjectPolicy(x.r.URL.Query().Get("includeObject"))
	if errs := validation.ValidateTableOptions(&metav1.TableOptions{IncludeObject: include}); len(errs) > 0 {
		return apierrors.NewBadRequest("Unable to convert to Table as requested: " + errs[0].Error())
	}
	return nil
}

// newTable returns an empty table of a resource, with the options of the request.
func (x *exchange) newTable(media wire.Media, resource discovery.Resource) *table.Builder {
	t := table.New(resource, x.sim.View().Types(), x.sim.Release(), x.began)
	t.APIVersion = media.Kind().GroupVersion().String()
	t.Include = metav1.IncludeObjectPolicy(x.r.URL.Query().Get("includeObject"))
	if !x.r.URL.Query().Has("dryRun") {
		t.Stored = x.stored
	}
	return t
}

// stored returns an object of a table as the cluster keeps it, unless the cluster has another version by now.
func (x *exchange) stored(object runtime.Object) runtime.Object {
	kept, ok := x.sim.State().Find(cluster.KeyOf(object))
	if !ok {
		return nil
	}
	now, err := meta.Accessor(kept.Object)
	shown, otherErr := meta.Accessor(object)
	if err != nil || otherErr != nil || now.GetResourceVersion() != shown.GetResourceVersion() {
		return nil
	}
	return kept.Object
}

// partial returns the metadata of an object.
func (x *exchange) partial(media wire.Media, object runtime.Object) (*metav1.PartialObjectMetadata, error) {
	p, err := table.Metadata(object, x.sim.View().Types())
	if err != nil {
		return nil, err
	}
	p.TypeMeta = metav1.TypeMeta{APIVersion: media.Kind().GroupVersion().String(), Kind: wire.PartialObject}
	return p, nil
}
