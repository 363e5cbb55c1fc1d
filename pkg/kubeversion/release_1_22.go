package kubeversion

import "sync"

// 1.23 switched Pod Security on, before pod security policies in the chain, and brought field validation (alpha), v2 of
// autoscaling and v1beta2 of flow control. Ephemeral containers became a beta; the alphas of roles, priority classes
// and volume attachments were removed. Since then, a DELETE can delete all services.
var release122 = sync.OnceValue(func() *Release {
	return release123().changed("1.22", func(c change) {
		c.withoutPlugins("PodSecurityPolicy")
		c.pluginsBefore("PodSecurity", "PodSecurityPolicy MV CU off")
		c.withoutGates("RecoverVolumeExpansionFailure", "ServerSideFieldValidation")
		c.gatesAre(map[string]bool{"EphemeralContainers": false, "PodSecurity": false, "StorageObjectInUseProtection": true})
		c.without("autoscaling/v2")
		c.without("flowcontrol.apiserver.k8s.io/v1beta2")
		c.resourcesAre(`
v1
  services  Service  namespaced  all-deletecollection  short=svc  status proxy  prefix=services/specs
rbac.authorization.k8s.io/v1alpha1 off
  clusterrolebindings  ClusterRoleBinding  cluster     all  hub=rbac.authorization.k8s.io/v1
  clusterroles         ClusterRole         cluster     all  hub=rbac.authorization.k8s.io/v1
  rolebindings         RoleBinding         namespaced  all  hub=rbac.authorization.k8s.io/v1
  roles                Role                namespaced  all  hub=rbac.authorization.k8s.io/v1
scheduling.k8s.io/v1alpha1 off
  priorityclasses      PriorityClass       cluster     all  short=pc  hub=scheduling.k8s.io/v1
storage.k8s.io/v1alpha1 off
  volumeattachments    VolumeAttachment    cluster     all  hub=storage.k8s.io/v1
`)
	})
})
