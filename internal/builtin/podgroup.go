package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A WorkloadV1alpha2 is a Workload of scheduling.k8s.io/v1alpha2 (1.36): templates for groups of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WorkloadSpecV1alpha2 `json:"spec"`
}

// A WorkloadListV1alpha2 is a list of WorkloadV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WorkloadV1alpha2 `json:"items"`
}

// A WorkloadSpecV1alpha2 has the templates, and says who created them.
type WorkloadSpecV1alpha2 struct {
	ControllerRef     *WorkloadController `json:"controllerRef,omitempty"`
	PodGroupTemplates []PodGroupTemplate  `json:"podGroupTemplates"`
}

// A PodGroupTemplate says how the groups created from it are scheduled.
type PodGroupTemplate struct {
	Name                  string                         `json:"name"`
	SchedulingPolicy      WorkloadPodGroupPolicy         `json:"schedulingPolicy"`
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints"`
	ResourceClaims        []PodGroupResourceClaim        `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	DisruptionMode        *PodGroupDisruptionMode        `json:"disruptionMode,omitempty"`
	PriorityClassName     string                         `json:"priorityClassName,omitempty"`
	Priority              *int32                         `json:"priority,omitempty"`
}

// PodGroup is the PodGroup of scheduling.k8s.io/v1alpha2 (1.36): pods that are scheduled together.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodGroupSpec   `json:"spec"`
	Status            PodGroupStatus `json:"status,omitempty"`
}

// A PodGroupList is a list of PodGroups.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodGroup `json:"items"`
}

// A PodGroupSpec says how a group is scheduled, and which template it was created from.
type PodGroupSpec struct {
	PodGroupTemplateRef   *PodGroupTemplateReference     `json:"podGroupTemplateRef"`
	SchedulingPolicy      WorkloadPodGroupPolicy         `json:"schedulingPolicy"`
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints,omitempty"`
	ResourceClaims        []PodGroupResourceClaim        `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	DisruptionMode        *PodGroupDisruptionMode        `json:"disruptionMode,omitempty"`
	PriorityClassName     string                         `json:"priorityClassName,omitempty"`
	Priority              *int32                         `json:"priority,omitempty"`
}

// A PodGroupStatus is the status of a group.
type PodGroupStatus struct {
	Conditions            []metav1.Condition            `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
	ResourceClaimStatuses []PodGroupResourceClaimStatus `json:"resourceClaimStatuses,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
}

// A PodGroupResourceClaimStatus is the claim that was created for a group.
type PodGroupResourceClaimStatus struct {
	Name              string  `json:"name"`
	ResourceClaimName *string `json:"resourceClaimName,omitempty"`
}

// A PodGroupTemplateReference refers to a template.
type PodGroupTemplateReference struct {
	Workload *WorkloadTemplateReference `json:"workload"`
}

// A WorkloadTemplateReference refers to a template in a workload.
type WorkloadTemplateReference struct {
	WorkloadName         string `json:"workloadName"`
	PodGroupTemplateName string `json:"podGroupTemplateName"`
}

// A PodGroupSchedulingConstraints says where the pods of a group must be placed.
type PodGroupSchedulingConstraints struct {
	Topology []TopologyConstraint `json:"topology,omitempty"`
}

// A TopologyConstraint is a label of nodes that must have the same value for all pods.
type TopologyConstraint struct {
	Key string `json:"key"`
}

// A PodGroupResourceClaim is a claim that the pods of a group share, or the template of the claim.
type PodGroupResourceClaim struct {
	Name                      string  `json:"name"`
	ResourceClaimName         *string `json:"resourceClaimName,omitempty"`
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty"`
}

// A PodGroupDisruptionMode says how much of a group is disrupted together with one of its pods.
type PodGroupDisruptionMode string
