package kubeversion

import "sync"

// 1.18 brought ingress classes and the plugins for certificates, and put RuntimeClass before
// the webhooks. From then on all objects have managed fields.
var release117 = sync.OnceValue(func() *Release {
	return release118().changed("1.17", func(c change) {
		c.withoutPlugins("RuntimeClass", "CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction", "DefaultIngressClass")
		c.pluginsBefore("ResourceQuota", "RuntimeClass MV C on")
		c.withoutFeatures(ManagedFields)
		c.without("networking.k8s.io/v1beta1", "ingressclasses")
		c.without("storage.k8s.io/v1", "csidrivers")
	})
})
