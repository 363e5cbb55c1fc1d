package kubeversion

import "sync"

// From 1.24 on, new betas are off by default. CSIStorageCapacity became v1, and its alpha was removed, like that of
// RuntimeClass. Webhooks see the namespace of an object that does not specify it.
var release123 = sync.OnceValue(func() *Release {
	return release124().changed("1.23", func(c change) {
		c.gatesAre(map[string]bool{"RemoveSelfLink": true})
		c.withoutGates("MaxUnavailableStatefulSet", "NetworkPolicyStatus")
		c.without("storage.k8s.io/v1", "csistoragecapacities")
		c.resourcesAre(`
networking.k8s.io/v1
  networkpolicies       NetworkPolicy       namespaced  all  short=netpol
node.k8s.io/v1alpha1 off
  runtimeclasses        RuntimeClass        cluster     all  hub=node.k8s.io/v1
storage.k8s.io/v1alpha1 off
  csistoragecapacities  CSIStorageCapacity  namespaced  all  hub=storage.k8s.io/v1
`)
	})
})
