package kubeversion

import "sync"

// 1.12 brought dry runs (alpha) and the side effects of webhooks, leases, v2beta2 of autoscaling and the plugin
// TaintNodesByCondition, and switched token requests on. Since then, admission gets the options of connections as
// objects with kinds of their own.
var release111 = sync.OnceValue(func() *Release {
	return release112().changed("1.11", func(c change) {
		c.withoutPlugins("TaintNodesByCondition")
		c.gatesAre(map[string]bool{"TaintNodesByCondition": false, "TokenRequest": false})
		c.without("autoscaling/v2beta2")
		c.without("coordination.k8s.io/v1beta1")
		c.resourcesAre(`
v1
  nodes            Node            cluster     all  short=no   status proxy=v1.Node  prefix=minions
  pods             Pod             namespaced  all  short=po   status binding eviction=policy/v1beta1.Eviction log attach=v1.Pod exec=v1.Pod portforward=v1.Pod proxy=v1.Pod
  serviceaccounts  ServiceAccount  namespaced  all  short=sa   token[TokenRequest]
  services         Service         namespaced  all-deletecollection  short=svc  status proxy=v1.Service  prefix=services/specs
`)
	})
})
