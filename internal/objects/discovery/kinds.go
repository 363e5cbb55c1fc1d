// Package discovery has the rules of EndpointSlice. It follows
// kubernetes/kubernetes:pkg/apis/discovery and the strategies of pkg/registry.
package discovery

import (
	discoveryv1 "k8s.io/api/discovery/v1"
	discoveryv1beta1 "k8s.io/api/discovery/v1beta1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(discoveryv1.SchemeGroupVersion, "EndpointSlice", endpointSlice),
		},
		Versions: []*rules.Version{
			rules.Extended(rules.Reshape[*discoveryv1beta1.EndpointSlice](discoveryv1beta1.SchemeGroupVersion, discoveryv1.SchemeGroupVersion, "EndpointSlice", nil), sliceToHub, sliceFromHub),
			endpointSliceV1alpha1(),
		},
	}
}
