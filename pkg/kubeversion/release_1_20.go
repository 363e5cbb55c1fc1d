package kubeversion

import "sync"

// 1.21 made cron jobs, disruption budgets and endpoint slices v1, gave pods bound tokens,
// brought DenyServiceExternalIPs, and removed the plugins that deny exec.
var release120 = sync.OnceValue(func() *Release {
	return release121().changed("1.20", func(c change) {
		c.pluginsBefore("EventRateLimit", `
DenyEscalatingExec    V  X  off
DenyExecOnPrivileged  V  X  off
`)
		c.gatesAre(map[string]bool{"BoundServiceAccountTokenVolume": false})
		c.withoutGates("CSIVolumeHealth")
		c.without("batch/v1", "cronjobs")
		c.resourcesAre(`
batch/v2alpha1 off
  cronjobs                     CronJob                     namespaced  all  short=cj  status  hub=batch/v1
flowcontrol.apiserver.k8s.io/v1alpha1 off
  flowschemas                  FlowSchema                  cluster     all  status  hub=flowcontrol.apiserver.k8s.io/v1
  prioritylevelconfigurations  PriorityLevelConfiguration  cluster     all  status  hub=flowcontrol.apiserver.k8s.io/v1
storage.k8s.io/v1alpha1 off
  csistoragecapacities         CSIStorageCapacity          namespaced  all  gate=CSIStorageCapacity  hub=storage.k8s.io/v1
`)
		c.without("discovery.k8s.io/v1")
		c.without("policy/v1")
		c.without("storage.k8s.io/v1beta1", "csistoragecapacities")
	})
})
