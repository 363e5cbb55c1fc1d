// Package storagemigration has the rules of StorageVersionMigration, and of StorageVersion, which says in which version
// servers store the migrated objects. It follows kubernetes/kubernetes:pkg/apis/storagemigration,
// pkg/apis/apiserverinternal and the strategies of pkg/registry.
package storagemigration

import (
	apiserverinternalv1alpha1 "k8s.io/api/apiserverinternal/v1alpha1"
	storagemigrationv1 "k8s.io/api/storagemigration/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the two groups.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(apiserverinternalv1alpha1.SchemeGroupVersion, "StorageVersion", storageVersion),
			rules.Hub(storagemigrationv1.SchemeGroupVersion, "StorageVersionMigration", storageVersionMigration),
			rules.Hub(builtin.StorageMigrationV1alpha1, "StorageVersionMigration", storageVersionMigrationV1alpha1),
		},
	}
}
