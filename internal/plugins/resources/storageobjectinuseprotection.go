package resources

import (
	"context"
	"slices"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// StorageObjectInUseProtection adds a finalizer to new storage objects, which a controller removes once nothing uses
// them any more (SOP-01).
type StorageObjectInUseProtection struct {
	finalizers map[schema.GroupResource]string
}

func NewStorageObjectInUseProtection(r *kubeversion.Release) StorageObjectInUseProtection {
	return StorageObjectInUseProtection{protectionFinalizers(r)}
}

func protectionFinalizers(r *kubeversion.Release) map[schema.GroupResource]string {
	if r.Disabled("StorageObjectInUseProtection") {
		return nil
	}
	finalizers := map[schema.GroupResource]string{
		{Resource: "persistentvolumes"}:      "kubernetes.io/pv-protection",
		{Resource: "persistentvolumeclaims"}: "kubernetes.io/pvc-protection",
	}
	if r.Enabled("VolumeAttributesClass") {
		finalizers[schema.GroupResource{Group: storagev1.GroupName, Resource: "volumeattributesclasses"}] = "kubernetes.io/vac-protection"
	}
	return finalizers
}

func (p StorageObjectInUseProtection) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if p.finalizers == nil {
		return plugin.Skip(step, "the feature gate StorageObjectInUseProtection is off"), nil
	}
	finalizer, ok := p.finalizers[req.Resource.GroupResource()]
	if !ok || req.Subresource != "" {
		return plugin.Skip(step, "not a storage object that can be in use"), nil
	}
	before, err := meta.Accessor(req.Object)
	if err != nil {
		return step, err
	}
	if slices.Contains(before.GetFinalizers(), finalizer) {
		return plugin.Allow(step, "the object has the finalizer "+finalizer), nil
	}
	protected := req.Object.DeepCopyObject()
	m, err := meta.Accessor(protected)
	if err != nil {
		return step, err
	}
	m.SetFinalizers(append(m.GetFinalizers(), finalizer))
	return plugin.Change(step, protected, "a new object gets the finalizer "+finalizer), nil
}
