package objects

import (
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
)

// nodeKinds are those of the group.
func nodeKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClass),
		},
		Versions: []*spoke{
			moved(nodev1alpha1.SchemeGroupVersion, nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClassFromSpec, runtimeClassToSpec),
		},
	}
}
