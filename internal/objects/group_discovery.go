package objects

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
)

// discoveryKinds are those of the group.
func discoveryKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(discoveryv1.SchemeGroupVersion, "EndpointSlice", endpointSlice),
		},
		Versions: []*spoke{
			extended(reshape[*discoveryv1beta1.EndpointSlice](discoveryv1beta1.SchemeGroupVersion, discoveryv1.SchemeGroupVersion, "EndpointSlice", nil), sliceToHub, sliceFromHub),
			endpointSliceV1alpha1(),
		},
	}
}
