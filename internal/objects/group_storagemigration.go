package objects

import (
	"github.com/admsim/admsim/internal/removed"
)

// storagemigrationGroup is what the server has of the group.
func storagemigrationGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(removed.StorageMigrationV1alpha1, "StorageVersionMigration", storageVersionMigrationV1alpha1),
		},
	}
}
