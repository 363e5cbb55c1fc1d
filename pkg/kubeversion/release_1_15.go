package kubeversion

import "sync"

// 1.16 stopped serving workloads through extensions/v1beta1, apps/v1beta1 and apps/v1beta2
// (and network policies and pod security policies through the first), made webhooks and CRDs
// v1, and brought the plugin RuntimeClass and ephemeral containers (alpha). Apply became a beta and was switched on.
//
// As the oldest one here, 1.15 stands for those before it in one thing: it has, off, the
// plugins that were gone by then, InitialResources since 1.11 and Initializers since 1.14,
// and the configurations of the latter, for those who want to see what they did.
var release115 = sync.OnceValue(func() *Release {
	return release116().changed("1.15", func(c change) {
		c.withoutPlugins("RuntimeClass")
		c.pluginsBefore("PodPreset", "InitialResources M C off")
		c.pluginsBefore("ValidatingAdmissionWebhook", "Initializers M CU off")
		c.gatesAre(map[string]bool{"ServerSideApply": false})
		c.withoutFeatures(NamedCreates, RequestDeadline, ServicePorts, WebhookAnnotations, WebhookFailureReasons, WebhooksV1)
		c.without("admissionregistration.k8s.io/v1")
		c.without("apiextensions.k8s.io/v1")
		c.without("discovery.k8s.io/v1beta1")
		c.withoutGates("EphemeralContainers")
		c.resourcesAre(`
v1
  pods  Pod  namespaced  all  short=po  status binding eviction=policy/v1beta1.Eviction log attach exec portforward proxy
admissionregistration.k8s.io/v1alpha1 off
  initializerconfigurations  InitializerConfiguration  cluster  all
apps/v1beta2
  controllerrevisions  ControllerRevision  namespaced  all  hub=apps/v1
  daemonsets           DaemonSet           namespaced  all  short=ds      status                           hub=apps/v1
  deployments          Deployment          namespaced  all  short=deploy  status scale=apps/v1beta2.Scale  hub=apps/v1
  replicasets          ReplicaSet          namespaced  all  short=rs      status scale=apps/v1beta2.Scale  hub=apps/v1
  statefulsets         StatefulSet         namespaced  all  short=sts     status scale=apps/v1beta2.Scale  hub=apps/v1
apps/v1beta1
  controllerrevisions  ControllerRevision  namespaced  all  hub=apps/v1
  deployments          Deployment          namespaced  all  short=deploy  status scale=apps/v1beta1.Scale  hub=apps/v1
  statefulsets         StatefulSet         namespaced  all  short=sts     status scale=apps/v1beta1.Scale  hub=apps/v1
extensions/v1beta1
  daemonsets           DaemonSet          namespaced  all  short=ds      status                                 hub=apps/v1
  deployments          Deployment         namespaced  all  short=deploy  status scale=extensions/v1beta1.Scale  hub=apps/v1
  networkpolicies      NetworkPolicy      namespaced  all  short=netpol  hub=networking.k8s.io/v1
  podsecuritypolicies  PodSecurityPolicy  cluster     all  short=psp     prefix=podsecuritypolicy  hub=policy/v1beta1
  replicasets          ReplicaSet         namespaced  all  short=rs      status scale=extensions/v1beta1.Scale  hub=apps/v1
`)
	})
})
