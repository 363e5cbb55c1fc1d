package kubeversion

import "sync"

// 1.31 removed the plugin PersistentVolumeLabel and made NodeRestriction check the certificates that kubelets request.
// IP addresses and service CIDRs became betas, and device claims got another form, v1alpha3 instead of v1alpha2.
var release130 = sync.OnceValue(func() *Release {
	return release131().changed("1.30", func(c change) {
		c.pluginsBefore("DefaultStorageClass", "PersistentVolumeLabel M C off")
		c.gatesAre(map[string]bool{"AllowInsecureKubeletCertificateSigningRequests": true, "RetryGenerateName": false})
		c.withoutGates("AuthorizeWithSelectors", "CoordinatedLeaderElection")
		c.without("coordination.k8s.io/v1alpha1")
		c.without("networking.k8s.io/v1beta1")
		c.without("storage.k8s.io/v1beta1")
		c.resourcesAre(`
storage.k8s.io/v1alpha1 off
  volumeattributesclasses  VolumeAttributesClass  cluster  all  short=vac
networking.k8s.io/v1alpha1 off
  ipaddresses              IPAddress              cluster     all  short=ip
  servicecidrs             ServiceCIDR            cluster     all  status
resource.k8s.io/v1alpha2 off
  podschedulingcontexts    PodSchedulingContext     namespaced  all  status
  resourceclaimparameters  ResourceClaimParameters  namespaced  all
  resourceclaims           ResourceClaim            namespaced  all  status
  resourceclaimtemplates   ResourceClaimTemplate    namespaced  all
  resourceclasses          ResourceClass            cluster     all
  resourceclassparameters  ResourceClassParameters  namespaced  all
  resourceslices           ResourceSlice            cluster     all
`)
		c.without("resource.k8s.io/v1alpha3")
	})
})
