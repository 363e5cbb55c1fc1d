package kubeversion

import "sync"

// 1.11 made the priorities of pods a beta, with their plugin, and switched on growing claims, with their plugin.
// PersistentVolumeLabel, on until then, was left to cloud controllers, and InitialResources was removed. Before, the
// status of certificate requests, CRDs and aggregated APIs could only be replaced.
var release110 = sync.OnceValue(func() *Release {
	return release111().changed("1.10", func(c change) {
		c.gatesAre(map[string]bool{"PodPriority": false})
		c.pluginBehind("Priority", "")
		c.switchedOff("Priority", "PersistentVolumeClaimResize")
		c.switchedOn("PersistentVolumeLabel")
		c.pluginsBefore("PodPreset", "InitialResources M C off")
		c.without("scheduling.k8s.io/v1beta1")
		c.verbsAre("update", "certificates.k8s.io/v1beta1/certificatesigningrequests/status",
			"apiextensions.k8s.io/v1beta1/customresourcedefinitions/status",
			"apiregistration.k8s.io/v1/apiservices/status",
			"apiregistration.k8s.io/v1beta1/apiservices/status")
	})
})
