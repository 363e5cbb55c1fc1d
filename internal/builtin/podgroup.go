package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A WorkloadV1alpha2 is a Workload of scheduling.k8s.io/v1alpha2 (1.36): templates for groups of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              WorkloadSpecV1alpha2 `json:"spec" protobuf:"bytes,2,opt,name=spec"`
}

// A WorkloadListV1alpha2 is a list of WorkloadV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []WorkloadV1alpha2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A WorkloadSpecV1alpha2 has the templates, and says who created them.
type WorkloadSpecV1alpha2 struct {
	ControllerRef     *WorkloadController `json:"controllerRef,omitempty" protobuf:"bytes,1,opt,name=controllerRef"`
	PodGroupTemplates []PodGroupTemplate  `json:"podGroupTemplates" protobuf:"bytes,2,rep,name=podGroupTemplates"`
}

// A PodGroupTemplate says how the groups created from it are scheduled.
type PodGroupTemplate struct {
	Name                  string                         `json:"name" protobuf:"bytes,1,opt,name=name"`
	SchedulingPolicy      PodGroupSchedulingPolicy       `json:"schedulingPolicy" protobuf:"bytes,2,opt,name=schedulingPolicy"`
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints" protobuf:"bytes,3,opt,name=schedulingConstraints"`
	ResourceClaims        []PodGroupResourceClaim        `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,4,rep,name=resourceClaims"`
	DisruptionMode        *PodGroupDisruptionMode        `json:"disruptionMode,omitempty" protobuf:"bytes,5,opt,name=disruptionMode"`
	PriorityClassName     string                         `json:"priorityClassName,omitempty" protobuf:"bytes,6,opt,name=priorityClassName"`
	Priority              *int32                         `json:"priority,omitempty" protobuf:"varint,7,opt,name=priority"`
}

// A PodGroupSchedulingPolicy has exactly one of its fields, as a [WorkloadPodGroupPolicy].
type PodGroupSchedulingPolicy struct {
	Basic *WorkloadBasicPolicy `json:"basic,omitempty" protobuf:"bytes,1,opt,name=basic"`
	Gang  *WorkloadGangPolicy  `json:"gang,omitempty" protobuf:"bytes,2,opt,name=gang"`
}

// PodGroup is the PodGroup of scheduling.k8s.io/v1alpha2 (1.36): pods that are scheduled together.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              PodGroupSpec   `json:"spec" protobuf:"bytes,2,opt,name=spec"`
	Status            PodGroupStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
}

// A PodGroupList is a list of PodGroups.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodGroup `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A PodGroupSpec says how a group is scheduled, and which template it was created from.
type PodGroupSpec struct {
	PodGroupTemplateRef   *PodGroupTemplateReference     `json:"podGroupTemplateRef" protobuf:"bytes,1,opt,name=podGroupTemplateRef"`
	SchedulingPolicy      PodGroupSchedulingPolicy       `json:"schedulingPolicy" protobuf:"bytes,2,opt,name=schedulingPolicy"`
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints,omitempty" protobuf:"bytes,3,opt,name=schedulingConstraints"`
	ResourceClaims        []PodGroupResourceClaim        `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,4,rep,name=resourceClaims"`
	DisruptionMode        *PodGroupDisruptionMode        `json:"disruptionMode,omitempty" protobuf:"bytes,5,opt,name=disruptionMode"`
	PriorityClassName     string                         `json:"priorityClassName,omitempty" protobuf:"bytes,6,opt,name=priorityClassName"`
	Priority              *int32                         `json:"priority,omitempty" protobuf:"varint,7,opt,name=priority"`
}

// A PodGroupStatus is the status of a group.
type PodGroupStatus struct {
	Conditions            []metav1.Condition            `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`
	ResourceClaimStatuses []PodGroupResourceClaimStatus `json:"resourceClaimStatuses,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name" protobuf:"bytes,2,rep,name=resourceClaimStatuses"`
}

// A PodGroupResourceClaimStatus is the claim that was created for a group.
type PodGroupResourceClaimStatus struct {
	Name              string  `json:"name" protobuf:"bytes,1,name=name"`
	ResourceClaimName *string `json:"resourceClaimName,omitempty" protobuf:"bytes,2,opt,name=resourceClaimName"`
}

// A PodGroupTemplateReference refers to a template.
type PodGroupTemplateReference struct {
	Workload *WorkloadTemplateReference `json:"workload" protobuf:"bytes,1,opt,name=workload"`
}

// A WorkloadTemplateReference refers to a template in a workload.
type WorkloadTemplateReference struct {
	WorkloadName         string `json:"workloadName" protobuf:"bytes,1,opt,name=workloadName"`
	PodGroupTemplateName string `json:"podGroupTemplateName" protobuf:"bytes,2,opt,name=podGroupTemplateName"`
}

// A PodGroupSchedulingConstraints says where the pods of a group must be placed.
type PodGroupSchedulingConstraints struct {
	Topology []TopologyConstraint `json:"topology,omitempty" protobuf:"bytes,1,rep,name=topology"`
}

// A TopologyConstraint is a label of nodes that must have the same value for all pods.
type TopologyConstraint struct {
	Key string `json:"key" protobuf:"bytes,1,opt,name=key"`
}

// A PodGroupResourceClaim is a claim that the pods of a group share, or the template of the claim.
type PodGroupResourceClaim struct {
	Name                      string  `json:"name" protobuf:"bytes,1,opt,name=name"`
	ResourceClaimName         *string `json:"resourceClaimName,omitempty" protobuf:"bytes,2,opt,name=resourceClaimName"`
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty" protobuf:"bytes,3,opt,name=resourceClaimTemplateName"`
}

// A PodGroupDisruptionMode says how much of a group is disrupted together with one of its pods.
type PodGroupDisruptionMode string
