package kubeversion

import "sync"

// 1.18 brought ingress classes and the plugins for certificates, and moved RuntimeClass before the webhooks. From then
// on all objects have managed fields. The resources of apps and extensions that 1.16 no longer served by default could
// not be switched on any more.
var release117 = sync.OnceValue(func() *Release {
	return release118().changed("1.17", func(c change) {
		c.withoutPlugins("RuntimeClass")
		c.pluginsBefore("ResourceQuota", "RuntimeClass MV C on")
		c.without("networking.k8s.io/v1beta1", "ingressclasses")
		c.without("storage.k8s.io/v1", "csidrivers")
		c.resourcesAre(`
apps/v1beta2 off
  controllerrevisions  ControllerRevision  namespaced  all  hub=apps/v1
  daemonsets           DaemonSet           namespaced  all  short=ds      status                           hub=apps/v1
  deployments          Deployment          namespaced  all  short=deploy  status scale=apps/v1beta2.Scale  hub=apps/v1
  replicasets          ReplicaSet          namespaced  all  short=rs      status scale=apps/v1beta2.Scale  hub=apps/v1
  statefulsets         StatefulSet         namespaced  all  short=sts     status scale=apps/v1beta2.Scale  hub=apps/v1
apps/v1beta1 off
  controllerrevisions  ControllerRevision  namespaced  all  hub=apps/v1
  deployments          Deployment          namespaced  all  short=deploy  status scale=apps/v1beta1.Scale rollback=apps/v1beta1.DeploymentRollback  hub=apps/v1
  statefulsets         StatefulSet         namespaced  all  short=sts     status scale=apps/v1beta1.Scale  hub=apps/v1
extensions/v1beta1 off
  daemonsets           DaemonSet          namespaced  all  short=ds      status                                 hub=apps/v1  alone
  deployments          Deployment         namespaced  all  short=deploy  status scale=extensions/v1beta1.Scale rollback=extensions/v1beta1.DeploymentRollback  hub=apps/v1  alone
  networkpolicies      NetworkPolicy      namespaced  all  short=netpol  hub=networking.k8s.io/v1  alone
  podsecuritypolicies  PodSecurityPolicy  cluster     all  short=psp     prefix=podsecuritypolicy  hub=policy/v1beta1  alone
  replicasets          ReplicaSet         namespaced  all  short=rs      status scale=extensions/v1beta1.Scale  hub=apps/v1  alone
  replicationcontrollers  ReplicationControllerDummy  namespaced  none  scale=extensions/v1beta1.Scale  of=v1.ReplicationController  prefix=controllers  alone
`)
	})
})
