package kubeversion

import "sync"

// 1.37 made trust bundles, pod certificates, device taint rules and storage version migrations v1, stopped sending
// reviews of authentication and authorization to webhooks, and removed the plugins for workloads again, whose checks
// moved into the kinds.
var release136 = sync.OnceValue(func() *Release {
	return release137().changed("1.36", func(c change) {
		c.withoutPlugins("NodeDeclaredFeatureValidator") // checks new objects since 1.37
		c.pluginsBefore("PodResizeValidator", `
PodGroupWorkloadExists        V  C  on   since=1.36
NodeDeclaredFeatureValidator  V  U  on   since=1.35
JobValidation                 V  U  on   since=1.36
`)
		c.gatesAre(map[string]bool{
			"ClusterTrustBundle":                  false,
			"DRADeviceTaintRules":                 false,
			"HPAScaleToZero":                      false,
			"ManifestBasedAdmissionControlConfig": false,
			"MaxUnavailableStatefulSet":           false,
			"PodCertificateRequest":               false,
			"StorageVersionMigrator":              false,
			"VolumeLimitScaling":                  false,
			"WorkloadAwarePreemption":             false,
		})
		c.withoutGates("CompositePodGroup", "EvictionRequestAPI", "ExcludeAdmissionWebhookVirtualResources", "HPAGeneration", "PodLevelResourcesFixDefaulting")
		c.without("certificates.k8s.io/v1", "clustertrustbundles", "podcertificaterequests")
		c.without("lifecycle.k8s.io/v1alpha1")
		c.without("resource.k8s.io/v1", "devicetaintrules")
		c.without("scheduling.k8s.io/v1beta1")
		c.without("scheduling.k8s.io/v1alpha3")
		c.without("storagemigration.k8s.io/v1")
		c.resourcesAre(`
certificates.k8s.io/v1beta1 off
  clustertrustbundles         ClusterTrustBundle         cluster     all  gate=ClusterTrustBundle
certificates.k8s.io/v1alpha1 off
  clustertrustbundles         ClusterTrustBundle         cluster     all  gate=ClusterTrustBundle  hub=certificates.k8s.io/v1beta1
networking.k8s.io/v1beta1 off
  ipaddresses      IPAddress      cluster     all  short=ip  hub=networking.k8s.io/v1
  servicecidrs     ServiceCIDR    cluster     all  status  hub=networking.k8s.io/v1
resource.k8s.io/v1beta2 off
  devicetaintrules  DeviceTaintRule  cluster  all  status
resource.k8s.io/v1alpha3 off
  devicetaintrules  DeviceTaintRule  cluster  all  status  hub=resource.k8s.io/v1beta2
scheduling.k8s.io/v1alpha2 off
  podgroups        PodGroup       namespaced  all  status  gate=GenericWorkload
  workloads        Workload       namespaced  all          gate=GenericWorkload
storage.k8s.io/v1
  csinodes                 CSINode                cluster     all
storage.k8s.io/v1beta1 off
  volumeattributesclasses  VolumeAttributesClass  cluster     all  short=vac  hub=storage.k8s.io/v1
storagemigration.k8s.io/v1beta1 off
  storageversionmigrations  StorageVersionMigration  cluster  all  status  gate=StorageVersionMigrator
`)
	})
})
