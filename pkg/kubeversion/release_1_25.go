package kubeversion

import "sync"

// 1.26 brought validating policies (alpha), v1beta3 of flow control instead of v1beta1, and
// dropped the last beta of autoscaling, which is not known here: the API library of 1.36 no
// longer has it.
var release125 = sync.OnceValue(func() *Release {
	return release126().changed("1.25", func(c change) {
		c.withoutPlugins("ValidatingAdmissionPolicy")
		c.withoutGates("DynamicResourceAllocation", "ValidatingAdmissionPolicy")
		c.without("admissionregistration.k8s.io/v1alpha1")
		c.without("authentication.k8s.io/v1alpha1")
		c.without("flowcontrol.apiserver.k8s.io/v1beta3")
		c.resourcesAre(`
flowcontrol.apiserver.k8s.io/v1beta1
  flowschemas                  FlowSchema                  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
`)
	})
})
