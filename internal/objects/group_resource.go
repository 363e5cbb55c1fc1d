package objects

import (
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/admsim/admsim/internal/removed"
)

// resourceKinds are those of the group.
func resourceKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(resourcev1.SchemeGroupVersion, "DeviceClass", deviceClass),
			hub(resourcev1.SchemeGroupVersion, "ResourceClaim", resourceClaim),
			hub(resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", resourceClaimTemplate),
			hub(resourcev1.SchemeGroupVersion, "ResourceSlice", resourceSlice),
			hub(removed.ResourceV1alpha3, "PodSchedulingContext", podSchedulingContext),
			hub(removed.ResourceV1alpha2, "ResourceClaim", resourceClaimV1alpha2),
			hub(removed.ResourceV1alpha2, "ResourceClaimParameters", resourceClaimParameters),
			hub(removed.ResourceV1alpha2, "ResourceClaimTemplate", resourceClaimTemplateV1alpha2),
			hub(removed.ResourceV1alpha2, "ResourceClass", resourceClassV1alpha2),
			hub(removed.ResourceV1alpha2, "ResourceClassParameters", resourceClassParameters),
			hub(removed.ResourceV1alpha2, "ResourceSlice", resourceSliceV1alpha2),
		},
		Versions: deviceVersions(),
	}
}
