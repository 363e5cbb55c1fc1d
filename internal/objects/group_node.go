package objects

import (
	nodev1 "k8s.io/api/node/v1"
	nodev1alpha1 "k8s.io/api/node/v1alpha1"
)

// nodeGroup is what the server has of the group.
func nodeGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClass),
		},
		Versions: []*spoke{
			moved(nodev1alpha1.SchemeGroupVersion, nodev1.SchemeGroupVersion, "RuntimeClass", runtimeClassFromSpec, runtimeClassToSpec),
		},
	}
}
