package kubeversion

import "sync"

// 1.35 brought node declared features and workloads, switched pod topology labels on, and made pod certificate requests
// and storage version migrations betas.
var release134 = sync.OnceValue(func() *Release {
	return release135().changed("1.34", func(c change) {
		c.gatesAre(map[string]bool{
			"PodTopologyLabelsAdmission": false,
		})
		c.withoutGates("DRADeviceTaintRules", "GenericWorkload", "InPlacePodLevelResourcesVerticalScaling", "NodeDeclaredFeatures", "VolumeLimitScaling")
		c.without("certificates.k8s.io/v1beta1", "podcertificaterequests")
		c.without("scheduling.k8s.io/v1alpha1")
		c.resourcesAre(`
certificates.k8s.io/v1alpha1 off
  podcertificaterequests   PodCertificateRequest    namespaced  all  status  gate=PodCertificateRequest
storagemigration.k8s.io/v1alpha1 off
  storageversionmigrations StorageVersionMigration  cluster     all  status  gate=StorageVersionMigrator
resource.k8s.io/v1alpha3 off
  devicetaintrules         DeviceTaintRule        cluster  all
storage.k8s.io/v1alpha1 off
  volumeattributesclasses  VolumeAttributesClass  cluster  all  short=vac  hub=storage.k8s.io/v1
`)
		c.without("storagemigration.k8s.io/v1beta1")
	})
})
