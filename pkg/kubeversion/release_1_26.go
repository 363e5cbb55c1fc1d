package kubeversion

import "sync"

// 1.27 brought match conditions of webhooks, in-place resize and trust bundles (all alpha),
// and dropped v1beta1 of CSIStorageCapacity. Since then, autoscalers are stored as v2.
var release126 = sync.OnceValue(func() *Release {
	return release127().changed("1.26", func(c change) {
		c.gatesAre(map[string]bool{"ServerSideFieldValidation": true})
		c.withoutGates(
			"AdmissionWebhookMatchConditions",
			"ClusterTrustBundle",
			"InPlacePodVerticalScaling",
			"MultiCIDRServiceAllocator",
		)
		c.without("authentication.k8s.io/v1beta1")
		c.without("networking.k8s.io/v1alpha1", "ipaddresses")
		c.without("certificates.k8s.io/v1alpha1")
		c.resourcesAre(`
autoscaling/v2
  horizontalpodautoscalers  HorizontalPodAutoscaler  namespaced  all  short=hpa  status  hub=autoscaling/v1
autoscaling/v1
  horizontalpodautoscalers  HorizontalPodAutoscaler  namespaced  all  short=hpa  status
storage.k8s.io/v1beta1
  csistoragecapacities  CSIStorageCapacity  namespaced  all  hub=storage.k8s.io/v1
admissionregistration.k8s.io/v1alpha1 off
  validatingadmissionpolicies  ValidatingAdmissionPolicy  cluster  all  hub=admissionregistration.k8s.io/v1
resource.k8s.io/v1alpha1 off
  podschedulings          PodScheduling          namespaced  all  status
  resourceclaims          ResourceClaim          namespaced  all  status
  resourceclaimtemplates  ResourceClaimTemplate  namespaced  all
  resourceclasses         ResourceClass          cluster     all
`)
		c.without("resource.k8s.io/v1alpha2")
	})
})
