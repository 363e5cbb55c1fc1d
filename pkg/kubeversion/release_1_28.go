package kubeversion

import "sync"

// 1.29 made flow control v1, brought volume attributes classes and service CIDRs (both alpha), and dropped cluster
// CIDRs.
var release128 = sync.OnceValue(func() *Release {
	return release129().changed("1.28", func(c change) {
		c.withoutGates("VolumeAttributesClass")
		c.without("flowcontrol.apiserver.k8s.io/v1")
		c.without("networking.k8s.io/v1alpha1", "servicecidrs")
		c.without("storage.k8s.io/v1alpha1")
		c.resourcesAre(`
networking.k8s.io/v1alpha1 off
  clustercidrs                 ClusterCIDR                 cluster  all  short=cc
flowcontrol.apiserver.k8s.io/v1beta2
  flowschemas                  FlowSchema                  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
`)
	})
})
