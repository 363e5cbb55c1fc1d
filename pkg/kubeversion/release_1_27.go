package kubeversion

import "sync"

// 1.28 made validating policies beta and switched the match conditions of webhooks on;
// v1 of SelfSubjectReview came too.
var release127 = sync.OnceValue(func() *Release {
	return release128().changed("1.27", func(c change) {
		c.gatesAre(map[string]bool{"AdmissionWebhookMatchConditions": false})
		c.without("admissionregistration.k8s.io/v1beta1")
		c.without("authentication.k8s.io/v1", "selfsubjectreviews")
	})
})
