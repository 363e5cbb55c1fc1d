package kubeversion

import "sync"

// 1.31 removed the plugin PersistentVolumeLabel and made NodeRestriction look at the
// certificates that kubelets ask for. networking.k8s.io/v1alpha1 is not known here: the API
// library of 1.36 no longer has it.
var release130 = sync.OnceValue(func() *Release {
	return release131().changed("1.30", func(c change) {
		c.pluginsBefore("DefaultStorageClass", "PersistentVolumeLabel M C off")
		c.gatesAre(map[string]bool{"AllowInsecureKubeletCertificateSigningRequests": true})
		c.withoutFeatures(AuthorizerSelectors)
		c.withoutGates("AuthorizeWithSelectors", "CoordinatedLeaderElection")
		c.without("networking.k8s.io/v1beta1")
		c.without("storage.k8s.io/v1beta1")
		c.resourcesAre(`
storage.k8s.io/v1alpha1 off
  volumeattributesclasses  VolumeAttributesClass  cluster  all  short=vac  gate=VolumeAttributesClass
`)
	})
})
