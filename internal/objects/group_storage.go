package objects

import (
	storagev1 "k8s.io/api/storage/v1"
)

// storageKinds are those of the group.
func storageKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(storagev1.SchemeGroupVersion, "CSIDriver", csiDriver),
			hub(storagev1.SchemeGroupVersion, "CSINode", csiNode),
			hub(storagev1.SchemeGroupVersion, "CSIStorageCapacity", csiStorageCapacity),
			hub(storagev1.SchemeGroupVersion, "StorageClass", storageClass),
			hub(storagev1.SchemeGroupVersion, "VolumeAttachment", volumeAttachment),
			hub(storagev1.SchemeGroupVersion, "VolumeAttributesClass", volumeAttributesClass),
		},
	}
}
