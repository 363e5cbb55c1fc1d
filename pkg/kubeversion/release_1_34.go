package kubeversion

import "sync"

// 1.35 brought node declared features, and switched pod topology labels on. Not known here,
// since the API library of 1.36 no longer has them: certificates.k8s.io/v1alpha1
// podcertificaterequests, storagemigration.k8s.io/v1alpha1.
var release134 = sync.OnceValue(func() *Release {
	return release135().changed("1.34", func(c change) {
		c.withoutPlugins("NodeDeclaredFeatureValidator")
		c.gatesAre(map[string]bool{
			"DRADeviceTaints":            false,
			"PodTopologyLabelsAdmission": false,
		})
		c.withoutGates("DRADeviceTaintRules", "GenericWorkload", "NodeDeclaredFeatures")
		c.without("certificates.k8s.io/v1beta1", "podcertificaterequests")
		c.without("storagemigration.k8s.io/v1beta1")
		c.resourcesAre(`
resource.k8s.io/v1alpha3 off
  devicetaintrules         DeviceTaintRule        cluster  all  status  gate=DRADeviceTaints
storage.k8s.io/v1alpha1 off
  volumeattributesclasses  VolumeAttributesClass  cluster  all  short=vac  gate=VolumeAttributesClass  hub=storage.k8s.io/v1
`)
	})
})
