package kubeversion

import "sync"

// 1.14 brought timeouts, scopes and review versions of webhooks, v1 of leases and priority classes, v1beta1 of
// ingresses, and server-side apply (alpha). It moved RuntimeClass, CSIDriver and CSINode from custom resources into
// the server, and removed initializers, which were never more than an alpha.
var release113 = sync.OnceValue(func() *Release {
	return release114().changed("1.13", func(c change) {
		c.pluginsBefore("ValidatingAdmissionWebhook", "Initializers M CU off")
		c.pluginsAre("PodNodeSelector MV CU off") // updates: of pods that are not initialized
		c.withoutGates("ServerSideApply")
		c.without("coordination.k8s.io/v1")
		c.without("networking.k8s.io/v1beta1")
		c.without("node.k8s.io/v1alpha1")
		c.without("node.k8s.io/v1beta1")
		c.without("scheduling.k8s.io/v1")
		c.without("storage.k8s.io/v1beta1", "csidrivers", "csinodes")
		c.resourcesAre(`
admissionregistration.k8s.io/v1alpha1 off
  initializerconfigurations  InitializerConfiguration  cluster  all
`)
	})
})
