package kubeversion

import "sync"

// 1.34 made dynamic resource allocation and volume attributes classes v1, switched pod-level resources on, and dropped
// v1beta1 of validating policies. It no longer writes creationTimestamp: null, and treats a patch that is not JSON like
// other failures. In resource.k8s.io/v1alpha3 it kept only the taint rules.
var release133 = sync.OnceValue(func() *Release {
	return release134().changed("1.33", func(c change) {
		c.gatesAre(map[string]bool{
			"AuthorizeWithSelectors":    true,
			"DynamicResourceAllocation": false,
			"PodLevelResources":         false,
			"VolumeAttributesClass":     false,
		})
		c.withoutGates("DRAExtendedResource", "PodCertificateRequest")
		c.without("admissionregistration.k8s.io/v1beta1")
		c.without("certificates.k8s.io/v1alpha1", "podcertificaterequests")
		c.without("resource.k8s.io/v1")
		c.without("storage.k8s.io/v1", "volumeattributesclasses")
		c.resourcesAre(`
admissionregistration.k8s.io/v1beta1 off
  validatingadmissionpolicies        ValidatingAdmissionPolicy         cluster  all  status  hub=admissionregistration.k8s.io/v1
  validatingadmissionpolicybindings  ValidatingAdmissionPolicyBinding  cluster  all          hub=admissionregistration.k8s.io/v1
admissionregistration.k8s.io/v1alpha1 off
  mutatingadmissionpolicies          MutatingAdmissionPolicy           cluster  all
  mutatingadmissionpolicybindings    MutatingAdmissionPolicyBinding    cluster  all
resource.k8s.io/v1beta2 off
  deviceclasses            DeviceClass            cluster     all
  resourceclaims           ResourceClaim          namespaced  all  status
  resourceclaimtemplates   ResourceClaimTemplate  namespaced  all
  resourceslices           ResourceSlice          cluster     all
resource.k8s.io/v1beta1 off
  deviceclasses            DeviceClass            cluster     all  hub=resource.k8s.io/v1beta2
  resourceclaims           ResourceClaim          namespaced  all  hub=resource.k8s.io/v1beta2  status
  resourceclaimtemplates   ResourceClaimTemplate  namespaced  all  hub=resource.k8s.io/v1beta2
  resourceslices           ResourceSlice          cluster     all  hub=resource.k8s.io/v1beta2
resource.k8s.io/v1alpha3 off
  deviceclasses            DeviceClass            cluster     all  hub=resource.k8s.io/v1beta2
  resourceclaims           ResourceClaim          namespaced  all  hub=resource.k8s.io/v1beta2  status
  resourceclaimtemplates   ResourceClaimTemplate  namespaced  all  hub=resource.k8s.io/v1beta2
  resourceslices           ResourceSlice          cluster     all  hub=resource.k8s.io/v1beta2
storage.k8s.io/v1beta1 off
  volumeattributesclasses  VolumeAttributesClass  cluster     all  short=vac
storage.k8s.io/v1alpha1 off
  volumeattributesclasses  VolumeAttributesClass  cluster     all  short=vac  hub=storage.k8s.io/v1beta1
`)
	})
})
