package kubeversion

import "sync"

// 1.23 switched Pod Security on, and brought field validation (alpha), v2 of autoscaling and
// v1beta2 of flow control. Pod Security was behind a gate in 1.22, which is told here by its
// being off. Ephemeral containers became a beta.
var release122 = sync.OnceValue(func() *Release {
	return release123().changed("1.22", func(c change) {
		c.withoutPlugins("PodSecurity")
		c.pluginsBefore("PodNodeSelector", "PodSecurity V CU off")
		c.withoutGates("RecoverVolumeExpansionFailure", "ServerSideFieldValidation")
		c.gatesAre(map[string]bool{"EphemeralContainers": false})
		c.without("autoscaling/v2")
		c.without("flowcontrol.apiserver.k8s.io/v1beta2")
		c.withoutFeatures(FieldValidation)
		c.resourcesAre(`
v1
  pods  Pod  namespaced  all  short=po  status binding eviction ephemeralcontainers[EphemeralContainers] log attach exec portforward proxy
`)
	})
})
