// Package resource has the rules of devices and of claims for them. It follows kubernetes/kubernetes:pkg/apis/resource
// and the strategies of pkg/registry.
package resource

import (
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(resourcev1.SchemeGroupVersion, "DeviceClass", deviceClass),
			rules.Hub(builtin.ResourceV1alpha3, "DeviceTaintRule", deviceTaintRule),
			rules.Hub(resourcev1.SchemeGroupVersion, "ResourceClaim", resourceClaim),
			rules.Hub(resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", resourceClaimTemplate),
			rules.Hub(resourcev1.SchemeGroupVersion, "ResourceSlice", resourceSlice),
			rules.Hub(resourcev1alpha3.SchemeGroupVersion, "ResourcePoolStatusRequest", resourcePoolStatusRequest),
			rules.Hub(builtin.ResourceV1alpha3, "PodSchedulingContext", podSchedulingContext),
			rules.Hub(builtin.ResourceV1alpha3, "DeviceClass", deviceClassV1alpha3),
			rules.Hub(builtin.ResourceV1alpha3, "ResourceClaim", resourceClaimV1alpha3),
			rules.Hub(builtin.ResourceV1alpha3, "ResourceClaimTemplate", resourceClaimTemplateV1alpha3),
			rules.Hub(builtin.ResourceV1alpha2, "ResourceClaim", resourceClaimV1alpha2),
			rules.Hub(builtin.ResourceV1alpha2, "ResourceClaimParameters", resourceClaimParameters),
			rules.Hub(builtin.ResourceV1alpha2, "ResourceClaimTemplate", resourceClaimTemplateV1alpha2),
			rules.Hub(builtin.ResourceV1alpha2, "ResourceClass", resourceClassV1alpha2),
			rules.Hub(builtin.ResourceV1alpha2, "ResourceClassParameters", resourceClassParameters),
			rules.Hub(builtin.ResourceV1alpha2, "ResourceSlice", resourceSliceV1alpha2),
		},
		Versions: deviceVersions(),
	}
}
