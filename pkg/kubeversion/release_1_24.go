package kubeversion

import "sync"

// 1.25 removed pod security policies, the betas of batch, discovery, events, node and policy, and the first beta of
// autoscaling, made Pod Security v1, and switched field validation on. Since then, mutating webhooks do not see
// metadata in a new object that only the server may set.
var release124 = sync.OnceValue(func() *Release {
	return release125().changed("1.24", func(c change) {
		c.pluginsBefore("PodNodeSelector", "PodSecurityPolicy MV CU off")
		c.gatesAre(map[string]bool{"EphemeralContainers": true, "PodSecurity": true, "ServerSideFieldValidation": false})
		c.without("networking.k8s.io/v1alpha1")
		c.pluginBehind("PodSecurity", "PodSecurity")
		c.versionBefore("autoscaling/v2beta2", `
autoscaling/v2beta1
  horizontalpodautoscalers  HorizontalPodAutoscaler  namespaced  all  short=hpa  status  hub=autoscaling/v1
`)
		c.resourcesAre(`
v1
  pods                  Pod                  namespaced  all  short=po   status binding eviction ephemeralcontainers[EphemeralContainers] log attach exec portforward proxy
batch/v1beta1
  cronjobs              CronJob              namespaced  all  short=cj   status  hub=batch/v1
discovery.k8s.io/v1beta1
  endpointslices        EndpointSlice        namespaced  all  hub=discovery.k8s.io/v1
events.k8s.io/v1beta1
  events                Event                namespaced  all  short=ev   hub=v1
node.k8s.io/v1beta1
  runtimeclasses        RuntimeClass         cluster     all  hub=node.k8s.io/v1
policy/v1beta1
  poddisruptionbudgets  PodDisruptionBudget  namespaced  all  short=pdb  status  hub=policy/v1
  podsecuritypolicies   PodSecurityPolicy    cluster     all  short=psp  prefix=podsecuritypolicy
`)
	})
})
