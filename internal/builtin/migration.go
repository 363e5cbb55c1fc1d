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
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              StorageVersionMigrationSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            StorageVersionMigrationStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A StorageVersionMigrationList is a list of StorageVersionMigrations.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type StorageVersionMigrationList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []StorageVersionMigration `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A StorageVersionMigrationSpec says what to store again, and where to continue.
type StorageVersionMigrationSpec struct {
	Resource      MigratedResource `json:"resource" protobuf:"bytes,1,opt,name=resource"`
	ContinueToken string           `json:"continueToken,omitempty" protobuf:"bytes,2,opt,name=continueToken"`
}

// A MigratedResource is a resource with the version in which it is requested.
type MigratedResource struct {
	Group    string `json:"group,omitempty" protobuf:"bytes,1,opt,name=group"`
	Version  string `json:"version,omitempty" protobuf:"bytes,2,opt,name=version"`
	Resource string `json:"resource,omitempty" protobuf:"bytes,3,opt,name=resource"`
}

// A StorageVersionMigrationStatus is the progress of a migration.
type StorageVersionMigrationStatus struct {
	Conditions      []MigrationCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`
	ResourceVersion string               `json:"resourceVersion,omitempty" protobuf:"bytes,2,opt,name=resourceVersion"`
}

// A MigrationCondition is one condition of a migration: Running, Succeeded or Failed.
type MigrationCondition struct {
	Type           string                 `json:"type" protobuf:"bytes,1,opt,name=type"`
	Status         corev1.ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status"`
	LastUpdateTime metav1.Time            `json:"lastUpdateTime,omitempty" protobuf:"bytes,3,opt,name=lastUpdateTime"`
	Reason         string                 `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`
	Message        string                 `json:"message,omitempty" protobuf:"bytes,5,opt,name=message"`
}
