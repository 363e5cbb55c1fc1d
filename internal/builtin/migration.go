package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// StorageVersionMigration is the StorageVersionMigration of storagemigration.k8s.io/v1alpha1 (1.30 to 1.34): a request
// to store the objects of a resource again. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type StorageVersionMigration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              StorageVersionMigrationSpec   `json:"spec,omitempty"`
	Status            StorageVersionMigrationStatus `json:"status,omitempty"`
}

// A StorageVersionMigrationList is a list of StorageVersionMigrations.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type StorageVersionMigrationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []StorageVersionMigration `json:"items"`
}

// A StorageVersionMigrationSpec says what to store again, and where to continue.
type StorageVersionMigrationSpec struct {
	Resource      MigratedResource `json:"resource"`
	ContinueToken string           `json:"continueToken,omitempty"`
}

// A MigratedResource is a resource with the version in which it is requested.
type MigratedResource struct {
	Group    string `json:"group,omitempty"`
	Version  string `json:"version,omitempty"`
	Resource string `json:"resource,omitempty"`
}

// A StorageVersionMigrationStatus is the progress of a migration.
type StorageVersionMigrationStatus struct {
	Conditions      []MigrationCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
	ResourceVersion string               `json:"resourceVersion,omitempty"`
}

// A MigrationCondition is one condition of a migration: Running, Succeeded or Failed.
type MigrationCondition struct {
	Type           string                 `json:"type"`
	Status         corev1.ConditionStatus `json:"status"`
	LastUpdateTime metav1.Time            `json:"lastUpdateTime,omitempty"`
	Reason         string                 `json:"reason,omitempty"`
	Message        string                 `json:"message,omitempty"`
}
