package builtin

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A WorkloadV1alpha2 is one of scheduling.k8s.io/v1alpha2 (1.36): templates of groups of pods.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WorkloadSpecV1alpha2 `json:"spec"`
}

// A WorkloadListV1alpha2 is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type WorkloadListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WorkloadV1alpha2 `json:"items"`
}

// A WorkloadSpecV1alpha2 is templates of groups of pods, and who made them.
type WorkloadSpecV1alpha2 struct {
	ControllerRef     *WorkloadController `json:"controllerRef,omitempty"`
	PodGroupTemplates []PodGroupTemplate  `json:"podGroupTemplates"`
}

// A PodGroupTemplate is how the groups that are made of it are scheduled.
type PodGroupTemplate struct {
	Name                  string                         `json:"name"`
	SchedulingPolicy      WorkloadPodGroupPolicy         `json:"schedulingPolicy"`
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints"`
	ResourceClaims        []PodGroupResourceClaim        `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	DisruptionMode        *PodGroupDisruptionMode        `json:"disruptionMode,omitempty"`
	PriorityClassName     string                         `json:"priorityClassName,omitempty"`
	Priority              *int32                         `json:"priority,omitempty"`
}

// A PodGroup is one of scheduling.k8s.io/v1alpha2 (1.36): pods that are scheduled together.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodGroup struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodGroupSpec   `json:"spec"`
	Status            PodGroupStatus `json:"status,omitempty"`
}

// A PodGroupList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodGroupList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodGroup `json:"items"`
}

// A PodGroupSpec is how a group is scheduled, and the template that it was made of.
type PodGroupSpec struct {
	PodGroupTemplateRef   *PodGroupTemplateReference     `json:"podGroupTemplateRef"`
	SchedulingPolicy      WorkloadPodGroupPolicy         `json:"schedulingPolicy"`
	SchedulingConstraints *PodGroupSchedulingConstraints `json:"schedulingConstraints,omitempty"`
	ResourceClaims        []PodGroupResourceClaim        `json:"resourceClaims,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
	DisruptionMode        *PodGroupDisruptionMode        `json:"disruptionMode,omitempty"`
	PriorityClassName     string                         `json:"priorityClassName,omitempty"`
	Priority              *int32                         `json:"priority,omitempty"`
}

// A PodGroupStatus is what became of a group.
type PodGroupStatus struct {
	Conditions            []metav1.Condition            `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
	ResourceClaimStatuses []PodGroupResourceClaimStatus `json:"resourceClaimStatuses,omitempty" patchStrategy:"merge,retainKeys" patchMergeKey:"name"`
}

// A PodGroupResourceClaimStatus is the claim that was made for a group.
type PodGroupResourceClaimStatus struct {
	Name              string  `json:"name"`
	ResourceClaimName *string `json:"resourceClaimName,omitempty"`
}

// A PodGroupTemplateReference is the template of a workload.
type PodGroupTemplateReference struct {
	Workload *WorkloadTemplateReference `json:"workload"`
}

// A WorkloadTemplateReference is a template in a workload.
type WorkloadTemplateReference struct {
	WorkloadName         string `json:"workloadName"`
	PodGroupTemplateName string `json:"podGroupTemplateName"`
}

// A PodGroupSchedulingConstraints is where the pods of a group have to be.
type PodGroupSchedulingConstraints struct {
	Topology []TopologyConstraint `json:"topology,omitempty"`
}

// A TopologyConstraint is the label of nodes that has to be one for all pods.
type TopologyConstraint struct {
	Key string `json:"key"`
}

// A PodGroupResourceClaim is a claim that the pods of a group share, or what it is made of.
type PodGroupResourceClaim struct {
	Name                      string  `json:"name"`
	ResourceClaimName         *string `json:"resourceClaimName,omitempty"`
	ResourceClaimTemplateName *string `json:"resourceClaimTemplateName,omitempty"`
}

// A PodGroupDisruptionMode is what of a group goes when one of its pods has to.
type PodGroupDisruptionMode string
