package kubeversion

import "sync"

// 1.17 made endpoint slices a beta and CSI nodes v1, and brought flow control (alpha).
var release116 = sync.OnceValue(func() *Release {
	return release117().changed("1.16", func(c change) {
		c.gatesAre(map[string]bool{"TaintNodesByCondition": true})
		c.pluginBehind("TaintNodesByCondition", "TaintNodesByCondition")
		c.without("flowcontrol.apiserver.k8s.io/v1alpha1")
		c.without("storage.k8s.io/v1", "csinodes")
		c.resourcesAre(`
discovery.k8s.io/v1alpha1 off
  endpointslices  EndpointSlice  namespaced  all  hub=discovery.k8s.io/v1
`)
		c.without("discovery.k8s.io/v1beta1")
	})
})
