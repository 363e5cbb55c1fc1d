package builtin

import (
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LeaseCandidate is the LeaseCandidate of coordination.k8s.io/v1alpha1 (1.31): a process that wants to lead. It may
// prefer several strategies, while later versions allow one.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type LeaseCandidate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              LeaseCandidateSpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// A LeaseCandidateList is a list of LeaseCandidates.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type LeaseCandidateList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []LeaseCandidate `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A LeaseCandidateSpec says what the candidate would lead, and how it compares to others.
type LeaseCandidateSpec struct {
	LeaseName           string                                    `json:"leaseName" protobuf:"bytes,1,name=leaseName"`
	PingTime            *metav1.MicroTime                         `json:"pingTime,omitempty" protobuf:"bytes,2,opt,name=pingTime"`
	RenewTime           *metav1.MicroTime                         `json:"renewTime,omitempty" protobuf:"bytes,3,opt,name=renewTime"`
	BinaryVersion       string                                    `json:"binaryVersion,omitempty" protobuf:"bytes,4,opt,name=binaryVersion"`
	EmulationVersion    string                                    `json:"emulationVersion,omitempty" protobuf:"bytes,5,opt,name=emulationVersion"`
	PreferredStrategies []coordinationv1.CoordinatedLeaseStrategy `json:"preferredStrategies,omitempty" protobuf:"bytes,6,opt,name=preferredStrategies"`
}
