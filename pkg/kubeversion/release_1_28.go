package kubeversion

import "sync"

// 1.29 made flow control v1 and brought volume attributes classes (alpha).
var release128 = sync.OnceValue(func() *Release {
	return release129().changed("1.28", func(c change) {
		c.withoutGates("VolumeAttributesClass")
		c.without("flowcontrol.apiserver.k8s.io/v1")
		c.without("storage.k8s.io/v1alpha1")
		c.resourcesAre(`
flowcontrol.apiserver.k8s.io/v1beta2
  flowschemas                  FlowSchema                  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
`)
	})
})
