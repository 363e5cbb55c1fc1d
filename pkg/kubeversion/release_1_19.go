package kubeversion

import "sync"

// 1.20 removed pod presets, made runtime classes v1 and switched flow control on. It evaluates the selectors of
// webhooks before their rules, and its answers have no selfLink.
var release119 = sync.OnceValue(func() *Release {
	return release120().changed("1.19", func(c change) {
		c.pluginsBefore("LimitRanger", "PodPreset M C off")
		c.withoutGates("StorageVersionAPI")
		c.gatesAre(map[string]bool{"RemoveSelfLink": false})
		c.without("internal.apiserver.k8s.io/v1alpha1")
		c.without("flowcontrol.apiserver.k8s.io/v1beta1")
		c.without("node.k8s.io/v1")
		c.groupBefore("storage.k8s.io", `
settings.k8s.io/v1alpha1 off
  podpresets      PodPreset     namespaced  all
`)
	})
})
