// Package storage has the rules of storage classes, CSI drivers and attachments. It follows
// kubernetes/kubernetes:pkg/apis/storage and the strategies of pkg/registry.
package storage

import (
	storagev1 "k8s.io/api/storage/v1"
	storagev1alpha1 "k8s.io/api/storage/v1alpha1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(storagev1.SchemeGroupVersion, "CSIDriver", csiDriver),
			rules.Hub(storagev1.SchemeGroupVersion, "CSINode", csiNode),
			rules.Hub(storagev1.SchemeGroupVersion, "CSIStorageCapacity", csiStorageCapacity),
			rules.Hub(storagev1.SchemeGroupVersion, "StorageClass", storageClass),
			rules.Hub(storagev1.SchemeGroupVersion, "VolumeAttachment", volumeAttachment),
			rules.Hub(storagev1.SchemeGroupVersion, "VolumeAttributesClass", volumeAttributesClass),
		},
		Versions: []*rules.Version{
			// Nothing registers the defaults of v1alpha1: kubernetes/kubernetes:pkg/apis/storage/v1alpha1/register.go.
			rules.ReshapeApart(storagev1alpha1.SchemeGroupVersion, storagev1.SchemeGroupVersion, "VolumeAttachment",
				func(*storagev1alpha1.VolumeAttachment, *kubeversion.Release) {}),
		},
	}
}
