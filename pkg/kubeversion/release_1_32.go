package kubeversion

import "sync"

// 1.33 switched in-place resize on, showed invalid values as JSON, made service CIDRs v1 and brought pod topology labels.
var release132 = sync.OnceValue(func() *Release {
	return release133().changed("1.32", func(c change) {
		c.gatesAre(map[string]bool{
			"InPlacePodVerticalScaling":             false,
			"MultiCIDRServiceAllocator":             false,
			"ServiceAccountNodeAudienceRestriction": false,
		})
		c.withoutGates("DeclarativeValidation", "DeclarativeValidationTakeover", "PodTopologyLabelsAdmission")
		c.without("certificates.k8s.io/v1beta1")
		c.without("coordination.k8s.io/v1beta1")
		c.without("networking.k8s.io/v1", "ipaddresses", "servicecidrs")
		c.without("resource.k8s.io/v1beta2")
		c.without("resource.k8s.io/v1alpha3", "devicetaintrules")
		c.resourcesAre(`
v1
  pods  Pod  namespaced  all  short=po  status binding eviction ephemeralcontainers resize[InPlacePodVerticalScaling] log attach exec portforward proxy
authentication.k8s.io/v1beta1 off
  selfsubjectreviews  SelfSubjectReview  cluster  create  hub=authentication.k8s.io/v1
certificates.k8s.io/v1alpha1 off
  clustertrustbundles  ClusterTrustBundle  cluster  all  gate=ClusterTrustBundle
coordination.k8s.io/v1alpha2 off
  leasecandidates  LeaseCandidate  namespaced  all
networking.k8s.io/v1beta1 off
  ipaddresses   IPAddress    cluster  all  short=ip
  servicecidrs  ServiceCIDR  cluster  all  status
resource.k8s.io/v1beta1 off
  deviceclasses           DeviceClass            cluster     all
  resourceclaims          ResourceClaim          namespaced  all  status
  resourceclaimtemplates  ResourceClaimTemplate  namespaced  all
  resourceslices          ResourceSlice          cluster     all
resource.k8s.io/v1alpha3 off
  deviceclasses           DeviceClass            cluster     all  hub=resource.k8s.io/v1beta1
  resourceclaims          ResourceClaim          namespaced  all  hub=resource.k8s.io/v1beta1  status
  resourceclaimtemplates  ResourceClaimTemplate  namespaced  all  hub=resource.k8s.io/v1beta1
  resourceslices          ResourceSlice          cluster     all  hub=resource.k8s.io/v1beta1
`)
	})
})
