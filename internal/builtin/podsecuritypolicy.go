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
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              PodSecurityPolicySpec `json:"spec,omitempty"`
}

// A PodSecurityPolicyList is a list of PodSecurityPolicies.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type PodSecurityPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []PodSecurityPolicy `json:"items"`
}

// A PodSecurityPolicySpec says what the policy allows and sets.
type PodSecurityPolicySpec struct {
	Privileged               bool                         `json:"privileged,omitempty"`
	DefaultAddCapabilities   []corev1.Capability          `json:"defaultAddCapabilities,omitempty"`
	RequiredDropCapabilities []corev1.Capability          `json:"requiredDropCapabilities,omitempty"`
	AllowedCapabilities      []corev1.Capability          `json:"allowedCapabilities,omitempty"`
	Volumes                  []string                     `json:"volumes,omitempty"`
	HostNetwork              bool                         `json:"hostNetwork,omitempty"`
	HostPorts                []HostPortRange              `json:"hostPorts,omitempty"`
	HostPID                  bool                         `json:"hostPID,omitempty"`
	HostIPC                  bool                         `json:"hostIPC,omitempty"`
	SELinux                  SELinuxStrategyOptions       `json:"seLinux"`
	RunAsUser                IDStrategyOptions            `json:"runAsUser"`
	RunAsGroup               *IDStrategyOptions           `json:"runAsGroup,omitempty"`
	SupplementalGroups       IDStrategyOptions            `json:"supplementalGroups"`
	FSGroup                  IDStrategyOptions            `json:"fsGroup"`
	ReadOnlyRootFilesystem   bool                         `json:"readOnlyRootFilesystem,omitempty"`
	DefaultAllowEscalation   *bool                        `json:"defaultAllowPrivilegeEscalation,omitempty"`
	AllowEscalation          *bool                        `json:"allowPrivilegeEscalation,omitempty"`
	AllowedHostPaths         []AllowedHostPath            `json:"allowedHostPaths,omitempty"`
	AllowedFlexVolumes       []AllowedFlexVolume          `json:"allowedFlexVolumes,omitempty"`
	AllowedCSIDrivers        []AllowedCSIDriver           `json:"allowedCSIDrivers,omitempty"`
	AllowedUnsafeSysctls     []string                     `json:"allowedUnsafeSysctls,omitempty"`
	ForbiddenSysctls         []string                     `json:"forbiddenSysctls,omitempty"`
	AllowedProcMountTypes    []corev1.ProcMountType       `json:"allowedProcMountTypes,omitempty"`
	RuntimeClass             *RuntimeClassStrategyOptions `json:"runtimeClass,omitempty"`
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
	Rule   Strategy  `json:"rule,omitempty"`
	Ranges []IDRange `json:"ranges,omitempty"`
}

// An IDRange is the range of IDs from Min to Max.
type IDRange struct {
	Min int64 `json:"min"`
	Max int64 `json:"max"`
}

// SELinuxStrategyOptions are the labels to run with.
type SELinuxStrategyOptions struct {
	Rule    Strategy               `json:"rule"`
	Options *corev1.SELinuxOptions `json:"seLinuxOptions,omitempty"`
}

// A HostPortRange is the range of ports from Min to Max.
type HostPortRange struct {
	Min int32 `json:"min"`
	Max int32 `json:"max"`
}

// An AllowedHostPath allows paths that start with its prefix.
type AllowedHostPath struct {
	PathPrefix string `json:"pathPrefix,omitempty"`
	ReadOnly   bool   `json:"readOnly,omitempty"`
}

// An AllowedFlexVolume allows a driver.
type AllowedFlexVolume struct {
	Driver string `json:"driver"`
}

// An AllowedCSIDriver allows a driver for inline volumes.
type AllowedCSIDriver struct {
	Name string `json:"name"`
}

// RuntimeClassStrategyOptions are the runtime classes that pods may request.
type RuntimeClassStrategyOptions struct {
	Allowed []string `json:"allowedRuntimeClassNames"`
	Default *string  `json:"defaultRuntimeClassName,omitempty"`
}
