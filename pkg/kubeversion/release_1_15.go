package kubeversion

import "sync"

// 1.16 stopped serving workloads through extensions/v1beta1, apps/v1beta1 and apps/v1beta2 by
// default (and network policies and pod security policies through the first), made webhooks and
// CRDs v1, and brought the plugin RuntimeClass, endpoint slices and ephemeral containers (the
// last two alphas). Apply became a beta and was switched on.
var release115 = sync.OnceValue(func() *Release {
	return release116().changed("1.15", func(c change) {
		c.withoutGates("HPAScaleToZero")
		c.withoutPlugins("RuntimeClass")
		c.gatesAre(map[string]bool{"PodPriority": true, "ServerSideApply": false})
		c.pluginBehind("Priority", "PodPriority")
		c.without("admissionregistration.k8s.io/v1")
		c.without("apiextensions.k8s.io/v1")
		c.without("discovery.k8s.io/v1alpha1")
		c.servedByDefault("apps/v1beta2", "apps/v1beta1", "extensions/v1beta1")
		c.withoutGates("EphemeralContainers", "RemoveSelfLink")
		c.resourcesAre(`
v1
  pods  Pod  namespaced  all  short=po  status binding eviction=policy/v1beta1.Eviction log attach exec portforward proxy
`)
	})
})
