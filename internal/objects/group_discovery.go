package objects

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"
)

// discoveryGroup is what the server has of the group.
func discoveryGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(discoveryv1.SchemeGroupVersion, "EndpointSlice", endpointSlice),
		},
		Versions: []*spoke{
			extended(reshape[*discoveryv1beta1.EndpointSlice](discoveryv1beta1.SchemeGroupVersion, discoveryv1.SchemeGroupVersion, "EndpointSlice", nil), sliceToHub, sliceFromHub),
			endpointSliceV1alpha1(),
		},
	}
}
