package kubeversion

import "sync"

// 1.19 made ingresses, certificate requests and events v1, and introduced warnings: about deprecated APIs, and by
// webhooks. Audit sinks, always an alpha, were removed.
var release118 = sync.OnceValue(func() *Release {
	return release119().changed("1.18", func(c change) {
		c.groupBefore("authentication.k8s.io", `
auditregistration.k8s.io/v1alpha1 off
  auditsinks  AuditSink  cluster  all
`)
		c.without("certificates.k8s.io/v1")
		c.without("events.k8s.io/v1")
		c.without("networking.k8s.io/v1", "ingressclasses", "ingresses")
		c.without("storage.k8s.io/v1alpha1", "csistoragecapacities")
		c.verbsAre("update", "certificates.k8s.io/v1beta1/certificatesigningrequests/approval")
	})
})
