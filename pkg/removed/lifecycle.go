package removed

import "k8s.io/apimachinery/pkg/runtime/schema"

// The lifecycle methods that the types had in k8s.io/api: clients are warned by them.

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

var scalerV2 = schema.GroupVersionKind{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler"}
