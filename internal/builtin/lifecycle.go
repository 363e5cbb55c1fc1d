package builtin

import (
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The lifecycle methods of the types as k8s.io/api had them. Warnings to clients are based on them. Alpha versions were
// often gone before the release that they name.

// APILifecycleIntroduced returns the first release that served the type.
func (*ScalerV2beta1) APILifecycleIntroduced() (major, minor int) { return 1, 8 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*ScalerV2beta1) APILifecycleDeprecated() (major, minor int) { return 1, 22 }

// APILifecycleRemoved returns the first release that no longer served the type.
func (*ScalerV2beta1) APILifecycleRemoved() (major, minor int) { return 1, 25 }

// APILifecycleReplacement returns the kind to use instead.
func (*ScalerV2beta1) APILifecycleReplacement() schema.GroupVersionKind { return scalerV2 }

// APILifecycleIntroduced returns the first release that served the type.
func (*ScalerV2beta2) APILifecycleIntroduced() (major, minor int) { return 1, 12 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*ScalerV2beta2) APILifecycleDeprecated() (major, minor int) { return 1, 23 }

// APILifecycleRemoved returns the first release that no longer served the type.
func (*ScalerV2beta2) APILifecycleRemoved() (major, minor int) { return 1, 26 }

// APILifecycleReplacement returns the kind to use instead.
func (*ScalerV2beta2) APILifecycleReplacement() schema.GroupVersionKind { return scalerV2 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*PodSecurityPolicy) APILifecycleDeprecated() (major, minor int) { return 1, 21 }

// APILifecycleRemoved returns the first release that no longer served the type.
func (*PodSecurityPolicy) APILifecycleRemoved() (major, minor int) { return 1, 25 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*ClusterCIDR) APILifecycleDeprecated() (major, minor int) { return 1, 28 }

// APILifecycleRemoved returns the release that was going to remove the type.
func (*ClusterCIDR) APILifecycleRemoved() (major, minor int) { return 1, 31 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*IPAddress) APILifecycleDeprecated() (major, minor int) { return 1, 30 }

// APILifecycleRemoved returns the release that was going to remove the type.
func (*IPAddress) APILifecycleRemoved() (major, minor int) { return 1, 33 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*ServiceCIDR) APILifecycleDeprecated() (major, minor int) { return 1, 30 }

// APILifecycleRemoved returns the release that was going to remove the type.
func (*ServiceCIDR) APILifecycleRemoved() (major, minor int) { return 1, 33 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*StorageVersionMigration) APILifecycleDeprecated() (major, minor int) { return 1, 33 }

// APILifecycleRemoved returns the release that was going to remove the type.
func (*StorageVersionMigration) APILifecycleRemoved() (major, minor int) { return 1, 36 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*FlowSchema) APILifecycleDeprecated() (major, minor int) { return 1, 20 }

// APILifecycleRemoved returns the first release that no longer served the type.
func (*FlowSchema) APILifecycleRemoved() (major, minor int) { return 1, 21 }

// APILifecycleReplacement returns the kind to use instead.
func (*FlowSchema) APILifecycleReplacement() schema.GroupVersionKind {
	return flowcontrolv1beta1.SchemeGroupVersion.WithKind("FlowSchema")
}

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*PriorityLevelConfiguration) APILifecycleDeprecated() (major, minor int) { return 1, 20 }

// APILifecycleRemoved returns the first release that no longer served the type.
func (*PriorityLevelConfiguration) APILifecycleRemoved() (major, minor int) { return 1, 21 }

// APILifecycleReplacement returns the kind to use instead.
func (*PriorityLevelConfiguration) APILifecycleReplacement() schema.GroupVersionKind {
	return flowcontrolv1beta1.SchemeGroupVersion.WithKind("PriorityLevelConfiguration")
}

var scalerV2 = schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}

// APILifecycleIntroduced returns the first release that served the type.
func (*DeviceTaintRule) APILifecycleIntroduced() (major, minor int) { return 1, 33 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*DeviceTaintRule) APILifecycleDeprecated() (major, minor int) { return 1, 36 }

// APILifecycleRemoved returns the first release that no longer serves the type.
func (*DeviceTaintRule) APILifecycleRemoved() (major, minor int) { return 1, 39 }

// APILifecycleIntroduced returns the first release that served the type.
func (*DeviceTaintRuleList) APILifecycleIntroduced() (major, minor int) { return 1, 33 }

// APILifecycleDeprecated returns the first release that warned about the use of the type.
func (*DeviceTaintRuleList) APILifecycleDeprecated() (major, minor int) { return 1, 36 }

// APILifecycleRemoved returns the first release that no longer serves the type.
func (*DeviceTaintRuleList) APILifecycleRemoved() (major, minor int) { return 1, 39 }
