package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A StorageVersionMigration is one of storagemigration.k8s.io/v1alpha1 (1.30 to 1.34): objects
// of a resource that are to be stored anew. It belongs to no namespace.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type StorageVersionMigration struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              StorageVersionMigrationSpec   `json:"spec,omitempty"`
	Status            StorageVersionMigrationStatus `json:"status,omitempty"`
}

// A StorageVersionMigrationList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type StorageVersionMigrationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []StorageVersionMigration `json:"items"`
}

// A StorageVersionMigrationSpec is what to store anew, and where to go on.
type StorageVersionMigrationSpec struct {
	Resource      MigratedResource `json:"resource"`
	ContinueToken string           `json:"continueToken,omitempty"`
}

// A MigratedResource is a resource, with the version by which it is asked for.
type MigratedResource struct {
	Group    string `json:"group,omitempty"`
	Version  string `json:"version,omitempty"`
	Resource string `json:"resource,omitempty"`
}

// A StorageVersionMigrationStatus is how far it got.
type StorageVersionMigrationStatus struct {
	Conditions      []MigrationCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
	ResourceVersion string               `json:"resourceVersion,omitempty"`
}

// A MigrationCondition is one thing known of a migration: Running, Succeeded or Failed.
type MigrationCondition struct {
	Type           string                 `json:"type"`
	Status         corev1.ConditionStatus `json:"status"`
	LastUpdateTime metav1.Time            `json:"lastUpdateTime,omitempty"`
	Reason         string                 `json:"reason,omitempty"`
	Message        string                 `json:"message,omitempty"`
}
