package kubeversion

import "sync"

// 1.26 brought validating policies and claims of resources (both alpha), v1beta3 of flow control instead of v1beta1, and
// dropped the last beta of autoscaling.
var release125 = sync.OnceValue(func() *Release {
	return release126().changed("1.25", func(c change) {
		c.gatesAre(map[string]bool{"ServerSideApply": true})
		c.withoutGates("DynamicResourceAllocation", "ValidatingAdmissionPolicy")
		c.without("admissionregistration.k8s.io/v1alpha1")
		c.without("authentication.k8s.io/v1alpha1")
		c.without("flowcontrol.apiserver.k8s.io/v1beta3")
		c.without("resource.k8s.io/v1alpha1")
		c.resourcesAre(`
autoscaling/v2beta2
  horizontalpodautoscalers     HorizontalPodAutoscaler     namespaced  all  short=hpa  status  hub=autoscaling/v1
flowcontrol.apiserver.k8s.io/v1beta1
  flowschemas                  FlowSchema                  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster  all  status  hub=flowcontrol.apiserver.k8s.io/v1
`)
	})
})
