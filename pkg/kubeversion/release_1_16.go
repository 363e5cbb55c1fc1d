package kubeversion

import "sync"

// 1.17 switched endpoint slices on and made CSI nodes v1.
var release116 = sync.OnceValue(func() *Release {
	return release117().changed("1.16", func(c change) {
		c.without("storage.k8s.io/v1", "csinodes")
		c.resourcesAre(`
discovery.k8s.io/v1beta1 off
  endpointslices  EndpointSlice  namespaced  all  hub=discovery.k8s.io/v1
`)
	})
})
