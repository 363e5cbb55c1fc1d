package kubeversion

import "sync"

// 1.36 made MutatingAdmissionPolicy v1 and on by default, and brought the plugins for pod groups and pod resize. The
// workloads of scheduling.k8s.io/v1alpha1, which 1.35 had, were replaced by those of v1alpha2.
var release135 = sync.OnceValue(func() *Release {
	return release136().changed("1.35", func(c change) {
		c.gatesAre(map[string]bool{
			"DeclarativeValidation":                   true,
			"DeclarativeValidationTakeover":           false,
			"DRAExtendedResource":                     false,
			"InPlacePodLevelResourcesVerticalScaling": false,
			"MutatingAdmissionPolicy":                 false,
			"NodeDeclaredFeatures":                    false,
		})
		c.withoutGates(
			"DRAResourcePoolStatus",
			"InPlacePodVerticalScalingInitContainers",
			"ManifestBasedAdmissionControlConfig",
			"WorkloadAwarePreemption",
			"WorkloadWithJob",
		)
		c.without("admissionregistration.k8s.io/v1", "mutatingadmissionpolicies", "mutatingadmissionpolicybindings")
		c.without("resource.k8s.io/v1beta2", "devicetaintrules")
		c.without("resource.k8s.io/v1alpha3", "resourcepoolstatusrequests")
		c.resourcesAre(`
scheduling.k8s.io/v1alpha1 off
  workloads  Workload  namespaced  all  gate=GenericWorkload
admissionregistration.k8s.io/v1beta1 off
  mutatingadmissionpolicies        MutatingAdmissionPolicy         cluster  all
  mutatingadmissionpolicybindings  MutatingAdmissionPolicyBinding  cluster  all
admissionregistration.k8s.io/v1alpha1 off
  mutatingadmissionpolicies        MutatingAdmissionPolicy         cluster  all  hub=admissionregistration.k8s.io/v1beta1
  mutatingadmissionpolicybindings  MutatingAdmissionPolicyBinding  cluster  all  hub=admissionregistration.k8s.io/v1beta1
resource.k8s.io/v1alpha3 off
  devicetaintrules  DeviceTaintRule  cluster  all  status
`)
		c.without("scheduling.k8s.io/v1alpha2")
	})
})
