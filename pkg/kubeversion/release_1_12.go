package kubeversion

import "sync"

// 1.13 switched dry runs and taint-based evictions on, made volume attachments v1, and brought audit sinks and the
// conversion webhooks of CRDs (both alpha).
var release112 = sync.OnceValue(func() *Release {
	return release113().changed("1.12", func(c change) {
		c.withoutGates("BoundServiceAccountTokenVolume")
		c.without("auditregistration.k8s.io/v1alpha1")
		c.without("storage.k8s.io/v1", "volumeattachments")
	})
})
