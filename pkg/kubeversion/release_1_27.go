package kubeversion

import "sync"

// 1.28 made validating policies beta and switched the match conditions of webhooks on; v1 of SelfSubjectReview was
// added, and the status of network policies, always an alpha, was removed.
var release127 = sync.OnceValue(func() *Release {
	return release128().changed("1.27", func(c change) {
		c.gatesAre(map[string]bool{"AdmissionWebhookMatchConditions": false, "NetworkPolicyStatus": false})
		c.withoutGates("CRDValidationRatcheting")
		c.without("admissionregistration.k8s.io/v1beta1")
		c.resourcesAre(`
networking.k8s.io/v1
  networkpolicies  NetworkPolicy  namespaced  all  short=netpol  status
`)
		c.without("authentication.k8s.io/v1", "selfsubjectreviews")
	})
})
