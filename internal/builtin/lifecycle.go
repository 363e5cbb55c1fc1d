package builtin

import (
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The lifecycle methods that the types had in k8s.io/api: clients are warned by them. Those of
// alphas were often gone before the release that they name.

// APILifecycleIntroduced is the release that served it first.
func (*ScalerV2beta1) APILifecycleIntroduced() (major, minor int) { return 1, 8 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*ScalerV2beta1) APILifecycleDeprecated() (major, minor int) { return 1, 22 }

// APILifecycleRemoved is the release that no longer served it.
func (*ScalerV2beta1) APILifecycleRemoved() (major, minor int) { return 1, 25 }

// APILifecycleReplacement is what to use instead.
func (*ScalerV2beta1) APILifecycleReplacement() schema.GroupVersionKind { return scalerV2 }

// APILifecycleIntroduced is the release that served it first.
func (*ScalerV2beta2) APILifecycleIntroduced() (major, minor int) { return 1, 12 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*ScalerV2beta2) APILifecycleDeprecated() (major, minor int) { return 1, 23 }

// APILifecycleRemoved is the release that no longer served it.
func (*ScalerV2beta2) APILifecycleRemoved() (major, minor int) { return 1, 26 }

// APILifecycleReplacement is what to use instead.
func (*ScalerV2beta2) APILifecycleReplacement() schema.GroupVersionKind { return scalerV2 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*PodSecurityPolicy) APILifecycleDeprecated() (major, minor int) { return 1, 21 }

// APILifecycleRemoved is the release that no longer served it.
func (*PodSecurityPolicy) APILifecycleRemoved() (major, minor int) { return 1, 25 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*ClusterCIDR) APILifecycleDeprecated() (major, minor int) { return 1, 28 }

// APILifecycleRemoved is the release that was to serve it no longer.
func (*ClusterCIDR) APILifecycleRemoved() (major, minor int) { return 1, 31 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*IPAddress) APILifecycleDeprecated() (major, minor int) { return 1, 30 }

// APILifecycleRemoved is the release that was to serve it no longer.
func (*IPAddress) APILifecycleRemoved() (major, minor int) { return 1, 33 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*ServiceCIDR) APILifecycleDeprecated() (major, minor int) { return 1, 30 }

// APILifecycleRemoved is the release that was to serve it no longer.
func (*ServiceCIDR) APILifecycleRemoved() (major, minor int) { return 1, 33 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*StorageVersionMigration) APILifecycleDeprecated() (major, minor int) { return 1, 33 }

// APILifecycleRemoved is the release that was to serve it no longer.
func (*StorageVersionMigration) APILifecycleRemoved() (major, minor int) { return 1, 36 }

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*FlowSchema) APILifecycleDeprecated() (major, minor int) { return 1, 20 }

// APILifecycleRemoved is the release that no longer served it.
func (*FlowSchema) APILifecycleRemoved() (major, minor int) { return 1, 21 }

// APILifecycleReplacement is what to use instead.
func (*FlowSchema) APILifecycleReplacement() schema.GroupVersionKind {
	return flowcontrolv1beta1.SchemeGroupVersion.WithKind("FlowSchema")
}

// APILifecycleDeprecated is the release from which on its use is warned of.
func (*PriorityLevelConfiguration) APILifecycleDeprecated() (major, minor int) { return 1, 20 }

// APILifecycleRemoved is the release that no longer served it.
func (*PriorityLevelConfiguration) APILifecycleRemoved() (major, minor int) { return 1, 21 }

// APILifecycleReplacement is what to use instead.
func (*PriorityLevelConfiguration) APILifecycleReplacement() schema.GroupVersionKind {
	return flowcontrolv1beta1.SchemeGroupVersion.WithKind("PriorityLevelConfiguration")
}

var scalerV2 = schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}
