package objects

import (
	"github.com/admsim/admsim/internal/removed"
)

// storagemigrationKinds are those of the group.
func storagemigrationKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(removed.StorageMigrationV1alpha1, "StorageVersionMigration", storageVersionMigrationV1alpha1),
		},
	}
}
