package builtin

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A PodSecurityPolicy says what pods may require of their node. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSecurityPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              PodSecurityPolicySpec `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
}

// A PodSecurityPolicyList is a list of PodSecurityPolicies.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSecurityPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []PodSecurityPolicy `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A PodSecurityPolicySpec says what the policy allows and sets.
type PodSecurityPolicySpec struct {
	Privileged               bool                         `json:"privileged,omitempty" protobuf:"varint,1,opt,name=privileged"`
	DefaultAddCapabilities   []corev1.Capability          `json:"defaultAddCapabilities,omitempty" protobuf:"bytes,2,rep,name=defaultAddCapabilities"`
	RequiredDropCapabilities []corev1.Capability          `json:"requiredDropCapabilities,omitempty" protobuf:"bytes,3,rep,name=requiredDropCapabilities"`
	AllowedCapabilities      []corev1.Capability          `json:"allowedCapabilities,omitempty" protobuf:"bytes,4,rep,name=allowedCapabilities"`
	Volumes                  []string                     `json:"volumes,omitempty" protobuf:"bytes,5,rep,name=volumes"`
	HostNetwork              bool                         `json:"hostNetwork,omitempty" protobuf:"varint,6,opt,name=hostNetwork"`
	HostPorts                []HostPortRange              `json:"hostPorts,omitempty" protobuf:"bytes,7,rep,name=hostPorts"`
	HostPID                  bool                         `json:"hostPID,omitempty" protobuf:"varint,8,opt,name=hostPID"`
	HostIPC                  bool                         `json:"hostIPC,omitempty" protobuf:"varint,9,opt,name=hostIPC"`
	SELinux                  SELinuxStrategyOptions       `json:"seLinux" protobuf:"bytes,10,opt,name=seLinux"`
	RunAsUser                IDStrategyOptions            `json:"runAsUser" protobuf:"bytes,11,opt,name=runAsUser"`
	RunAsGroup               *IDStrategyOptions           `json:"runAsGroup,omitempty" protobuf:"bytes,22,opt,name=runAsGroup"`
	SupplementalGroups       IDStrategyOptions            `json:"supplementalGroups" protobuf:"bytes,12,opt,name=supplementalGroups"`
	FSGroup                  IDStrategyOptions            `json:"fsGroup" protobuf:"bytes,13,opt,name=fsGroup"`
	ReadOnlyRootFilesystem   bool                         `json:"readOnlyRootFilesystem,omitempty" protobuf:"varint,14,opt,name=readOnlyRootFilesystem"`
	DefaultAllowEscalation   *bool                        `json:"defaultAllowPrivilegeEscalation,omitempty" protobuf:"varint,15,opt,name=defaultAllowPrivilegeEscalation"`
	AllowEscalation          *bool                        `json:"allowPrivilegeEscalation,omitempty" protobuf:"varint,16,opt,name=allowPrivilegeEscalation"`
	AllowedHostPaths         []AllowedHostPath            `json:"allowedHostPaths,omitempty" protobuf:"bytes,17,rep,name=allowedHostPaths"`
	AllowedFlexVolumes       []AllowedFlexVolume          `json:"allowedFlexVolumes,omitempty" protobuf:"bytes,18,rep,name=allowedFlexVolumes"`
	AllowedCSIDrivers        []AllowedCSIDriver           `json:"allowedCSIDrivers,omitempty" protobuf:"bytes,23,rep,name=allowedCSIDrivers"`
	AllowedUnsafeSysctls     []string                     `json:"allowedUnsafeSysctls,omitempty" protobuf:"bytes,19,rep,name=allowedUnsafeSysctls"`
	ForbiddenSysctls         []string                     `json:"forbiddenSysctls,omitempty" protobuf:"bytes,20,rep,name=forbiddenSysctls"`
	AllowedProcMountTypes    []corev1.ProcMountType       `json:"allowedProcMountTypes,omitempty" protobuf:"bytes,21,opt,name=allowedProcMountTypes"`
	RuntimeClass             *RuntimeClassStrategyOptions `json:"runtimeClass,omitempty" protobuf:"bytes,24,opt,name=runtimeClass"`
}

// A Strategy says how a policy treats a value: MustRunAs, MayRunAs, MustRunAsNonRoot, RunAsAny.
type Strategy string

// The strategies. Not all of them exist for every value.
const (
	MustRunAs        Strategy = "MustRunAs"
	MayRunAs         Strategy = "MayRunAs"
	MustRunAsNonRoot Strategy = "MustRunAsNonRoot"
	RunAsAny         Strategy = "RunAsAny"
)

// IDStrategyOptions are the users or groups to run as. In the API, runAsUser, runAsGroup, fsGroup and
// supplementalGroups have separate types, which are all the same.
type IDStrategyOptions struct {
	Rule   Strategy  `json:"rule,omitempty" protobuf:"bytes,1,opt,name=rule"`
	Ranges []IDRange `json:"ranges,omitempty" protobuf:"bytes,2,rep,name=ranges"`
}

// An IDRange is the range of IDs from Min to Max.
type IDRange struct {
	Min int64 `json:"min" protobuf:"varint,1,opt,name=min"`
	Max int64 `json:"max" protobuf:"varint,2,opt,name=max"`
}

// SELinuxStrategyOptions are the labels to run with.
type SELinuxStrategyOptions struct {
	Rule    Strategy               `json:"rule" protobuf:"bytes,1,opt,name=rule"`
	Options *corev1.SELinuxOptions `json:"seLinuxOptions,omitempty" protobuf:"bytes,2,opt,name=seLinuxOptions"`
}

// A HostPortRange is the range of ports from Min to Max.
type HostPortRange struct {
	Min int32 `json:"min" protobuf:"varint,1,opt,name=min"`
	Max int32 `json:"max" protobuf:"varint,2,opt,name=max"`
}

// An AllowedHostPath allows paths that start with its prefix.
type AllowedHostPath struct {
	PathPrefix string `json:"pathPrefix,omitempty" protobuf:"bytes,1,rep,name=pathPrefix"`
	ReadOnly   bool   `json:"readOnly,omitempty" protobuf:"varint,2,opt,name=readOnly"`
}

// An AllowedFlexVolume allows a driver.
type AllowedFlexVolume struct {
	Driver string `json:"driver" protobuf:"bytes,1,opt,name=driver"`
}

// An AllowedCSIDriver allows a driver for inline volumes.
type AllowedCSIDriver struct {
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`
}

// RuntimeClassStrategyOptions are the runtime classes that pods may request.
type RuntimeClassStrategyOptions struct {
	Allowed []string `json:"allowedRuntimeClassNames" protobuf:"bytes,1,rep,name=allowedRuntimeClassNames"`
	Default *string  `json:"defaultRuntimeClassName,omitempty" protobuf:"bytes,2,opt,name=defaultRuntimeClassName"`
}
