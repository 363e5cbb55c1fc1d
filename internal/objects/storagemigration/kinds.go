// Package storagemigration has the rules of StorageVersionMigration. It follows
// kubernetes/kubernetes:pkg/apis/storagemigration and the strategies of pkg/registry.
package storagemigration

import (
	storagemigrationv1 "k8s.io/api/storagemigration/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds are those of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(storagemigrationv1.SchemeGroupVersion, "StorageVersionMigration", storageVersionMigration),
			rules.Hub(builtin.StorageMigrationV1alpha1, "StorageVersionMigration", storageVersionMigrationV1alpha1),
		},
	}
}
