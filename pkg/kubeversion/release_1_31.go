package kubeversion

import "sync"

// 1.32 brought mutating policies and the subresource resize (both alpha), and dropped v1beta3 of flow control, the last
// beta that was on by default. Device claims became a beta, and no longer need the scheduling context of a pod.
var release131 = sync.OnceValue(func() *Release {
	return release132().changed("1.31", func(c change) {
		c.gatesAre(map[string]bool{"AuthorizeWithSelectors": false, "RecoverVolumeExpansionFailure": false})
		c.withoutGates("MutatingAdmissionPolicy", "PodLevelResources", "ServiceAccountNodeAudienceRestriction")
		c.without("admissionregistration.k8s.io/v1alpha1")
		c.without("coordination.k8s.io/v1alpha2")
		c.without("resource.k8s.io/v1beta1")
		c.resourcesAre(`
v1
  pods  Pod  namespaced  all  short=po  status binding eviction ephemeralcontainers log attach exec portforward proxy
admissionregistration.k8s.io/v1alpha1 off
  validatingadmissionpolicies        ValidatingAdmissionPolicy         cluster  all  status  hub=admissionregistration.k8s.io/v1
  validatingadmissionpolicybindings  ValidatingAdmissionPolicyBinding  cluster  all          hub=admissionregistration.k8s.io/v1
authentication.k8s.io/v1alpha1 off
  selfsubjectreviews           SelfSubjectReview           cluster  create  hub=authentication.k8s.io/v1
flowcontrol.apiserver.k8s.io/v1beta3
  flowschemas                  FlowSchema                  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
coordination.k8s.io/v1alpha1 off
  leasecandidates              LeaseCandidate              namespaced  all
resource.k8s.io/v1alpha3 off
  deviceclasses                DeviceClass                 cluster     all
  podschedulingcontexts        PodSchedulingContext        namespaced  all  status
  resourceclaims               ResourceClaim               namespaced  all  status
  resourceclaimtemplates       ResourceClaimTemplate       namespaced  all
  resourceslices               ResourceSlice               cluster     all
`)
	})
})
