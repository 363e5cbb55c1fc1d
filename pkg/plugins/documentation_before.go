package plugins

import (
	"github.com/admsim/admsim/internal/plugins/access"
	"github.com/admsim/admsim/internal/plugins/pods"
	"github.com/admsim/admsim/internal/plugins/resources"
	"github.com/admsim/admsim/internal/plugins/security"
)

const notRecorded = "judged by its source and documents only: no server that had it was recorded"

// documentedBefore has the plugins that only earlier releases had.
var documentedBefore = map[string]Documentation{
	"SecurityContextDeny": {
		make: plain(security.SecurityContextDeny{}),
		Does: "Denied pods that choose their user, groups or SELinux labels. Pod Security Standards took its place.",
	},
	"InitialResources": {
		make:  configured(pods.NewInitialResources),
		Does:  "Had containers request what others of their image used before.",
		Reads: []string{"the usage in its configuration, which stands for a time series database"},
		Configuration: `apiVersion: admsim.dev/v1beta1
kind: UsageHistory
percentile: 90        # --ir-percentile
namespaceOnly: false  # --ir-namespace-only
samples:
- {image: "nginx:1.7", namespace: shop, age: 24h, times: 30, cpu: 200m, memory: 100Mi}
- {image: "nginx:1.6", namespace: web, age: 480h, cpu: 300m}
`,
		Gaps: []string{notRecorded, "it was gone before the oldest release that admsim knows, where it can be switched on instead"},
	},
	"PodPreset": {
		make:  released(pods.NewPodPreset),
		Does:  "Gave pods variables, volumes and mounts of the PodPresets of their namespace that select them.",
		Reads: []string{"PodPresets (settings.k8s.io/v1alpha1)"},
		Needs: []string{"--runtime-config settings.k8s.io/v1alpha1=true"},
		Gaps:  []string{"several presets apply in the order of their names; the server's order was not determined"},
	},
	"PodSecurityPolicy": {
		make: func(o Options) (any, error) { return security.NewPodSecurityPolicy(o.Release, o.Authorizer), nil },
		Does: "Let pods in that fit one of the policies that their author or their account may use, and filled in what it wanted of them. " +
			"PodSecurity took its place.",
		Reads: []string{"PodSecurityPolicies (policy/v1beta1)", authorization},
		Gaps:  []string{"what several policies have against a pod is listed in the order of their names; the server's order was not determined"},
	},
	"DenyEscalatingExec": {
		make:  plain(security.DenyExec{Host: true}),
		Does:  "Kept people out of containers with power over their node: privileged ones, and those with a namespace of the host.",
		Reads: []string{"Pods"},
	},
	"DenyExecOnPrivileged": {
		make:  plain(security.DenyExec{}),
		Does:  "Kept people out of privileged containers. DenyEscalatingExec looks at more.",
		Reads: []string{"Pods"},
	},
	"PersistentVolumeLabel": {
		make:  func(o Options) (any, error) { return resources.NewPersistentVolumeLabel(o.Release, o.Configuration) },
		Does:  "Gave volumes of a cloud the labels of their zone and region, and kept their pods there.",
		Reads: []string{"the volumes in its configuration, which stands for the cloud"},
		Configuration: `apiVersion: admsim.dev/v1beta1
kind: VolumeZones
volumes:
- source: awsElasticBlockStore  # as in the spec of a volume
  id: vol-0123456789abcdef0
  labels: {topology.kubernetes.io/zone: eu-central-1a, topology.kubernetes.io/region: eu-central-1}
- source: gcePersistentDisk
  id: disk-1
  error: disk is not found
`,
		Gaps: []string{
			"what a cloud says of a volume that it does not know is in the configuration; without it, the server's error depends on where it runs",
			"requirements are added in the order of their labels; the server's order is random",
		},
	},
	"Initializers": {
		make: func(o Options) (any, error) { return access.NewInitializers(o.Release, o.Authorizer), nil },
		Does: "Listed on new objects the controllers that had to look at them first, and let only those change such objects who had the " +
			"verb initialize. Webhooks took its place.",
		Reads: []string{"InitializerConfigurations (admissionregistration.k8s.io/v1alpha1)", authorization},
		Needs: []string{"--runtime-config admissionregistration.k8s.io/v1alpha1=true"},
		Gaps:  []string{notRecorded},
	},
}
