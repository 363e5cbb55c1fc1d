package plugins

import (
	"fmt"

	"github.com/admsim/admsim/internal/plugins/access"
	"github.com/admsim/admsim/internal/plugins/limits"
	"github.com/admsim/admsim/internal/plugins/pods"
	"github.com/admsim/admsim/internal/plugins/resources"
	"github.com/admsim/admsim/internal/plugins/security"
)

const authorization = "the authorizer: Roles, ClusterRoles and their bindings"

// webhookConfiguration is that of both plugins that call webhooks. The users in it only matter to webhooks that are
// really called.
const webhookConfiguration = `apiVersion: apiserver.config.k8s.io/v1
kind: WebhookAdmissionConfiguration
kubeConfigFile: webhooks.kubeconfig  # its users are who webhooks are called as, by host:port
# From 1.36 on, a folder with webhook configurations that the API does not have:
# staticManifestsDir: /etc/kubernetes/admission/webhooks
`

const policyConfiguration = `# From 1.36 on, a folder with policies and bindings that the API does not have.
apiVersion: apiserver.config.k8s.io/v1
kind: %sConfiguration
staticManifestsDir: /etc/kubernetes/admission/policies
`

var documentedToday = map[string]Documentation{
	"AlwaysAdmit": {
		make: plain(resources.AlwaysAdmit{}),
		Does: "Nothing. It is deprecated, and was never more than a word for a chain without plugins.",
	},
	"NamespaceAutoProvision": {
		make:  func(o Options) (any, error) { return resources.NewNamespaceAutoProvision(o.Send), nil },
		Does:  "Creates the namespace of a new object where it is missing. It stays, even if a later plugin denies the object.",
		Reads: []string{"Namespaces"},
	},
	"NamespaceLifecycle": {
		make:  func(o Options) (any, error) { return resources.NewNamespaceLifecycle(o.Release, o.Now), nil },
		Does:  "Keeps new objects out of namespaces that are missing or terminating, and default, kube-system and kube-public from being deleted.",
		Reads: []string{"Namespaces"},
	},
	"NamespaceExists": {
		make:  plain(resources.NamespaceExists{}),
		Does:  "Keeps objects out of namespaces that are missing, which NamespaceLifecycle does as well.",
		Reads: []string{"Namespaces"},
	},
	"LimitPodHardAntiAffinityTopology": {
		make: plain(pods.LimitPodHardAntiAffinityTopology{}),
		Does: "Denies pods whose required anti-affinity is about anything but single nodes (topologyKey kubernetes.io/hostname).",
	},
	"LimitRanger": {
		make:  released(limits.NewLimitRanger),
		Does:  "Gives containers the default requests and limits of their namespace, and denies pods and claims that are out of its bounds.",
		Reads: []string{"LimitRanges"},
		Gaps:  []string{"several LimitRanges apply in the order of their names; the server's order is not determined"},
	},
	"ServiceAccount": {
		make: func(o Options) (any, error) { return pods.NewServiceAccount(o.Release, o.Suffix), nil },
		Does: "Gives pods a service account, its token and its pull secrets, and holds the pods of accounts with the annotation " +
			"kubernetes.io/enforce-mountable-secrets to the secrets that the account lists.",
		Reads: []string{"ServiceAccounts", "Secrets (up to 1.20)"},
	},
	"NodeRestriction": {
		make:  anyVersion(func(o Options) (any, error) { return access.NewNodeRestriction(o.Release, o.Types, o.Authorizer), nil }),
		Does:  "Lets a kubelet, which is a user named system:node:NAME of group system:nodes, write only what is of its own node.",
		Reads: []string{"Nodes", "Pods", "PersistentVolumeClaims", "PersistentVolumes", "CSIDrivers", "ServiceAccounts", authorization},
		Gaps:  []string{"the difference at the end of the denial of a claim's status is worded otherwise"},
	},
	"TaintNodesByCondition": {
		make: released(resources.NewTaintNodesByCondition),
		Does: "Gives new nodes the taint node.kubernetes.io/not-ready:NoSchedule.",
	},
	"AlwaysPullImages": {
		make: released(security.NewAlwaysPullImages),
		Does: "Sets imagePullPolicy to Always, so that nobody uses an image only because it is on the node.",
	},
	"ImagePolicyWebhook": {
		make: func(o Options) (any, error) {
			return security.NewImagePolicyWebhook(o.Release, o.Types, o.Configuration, o.Backends, o.Now)
		},
		Does:    "Asks a service whether the images of a pod may run, and remembers its answers for a while.",
		Reads:   []string{"the service that the kubeconfig names: a mock, or the service itself"},
		Backend: security.ImagePolicyBackend,
		Configuration: `imagePolicy:
  kubeConfigFile: image-policy.kubeconfig
  allowTTL: 50         # seconds for which an answer is remembered; 0: 300, -1: not at all
  denyTTL: 50          # 0: 30
  retryBackoff: 500    # milliseconds
  defaultAllow: false  # what counts where the service does not answer
`,
		Required: true,
	},
	"PodSecurity": {
		make: anyVersion(func(o Options) (any, error) { return security.NewPodSecurity(o.Release, o.Configuration) }),
		Does: "Holds pods to the Pod Security Standard that the labels pod-security.kubernetes.io/* of their namespace name: " +
			"enforce denies, warn and audit tell.",
		Reads: []string{"Namespaces", "Pods (when the labels of a namespace change)"},
		Configuration: `apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults:
  enforce: baseline
  enforce-version: latest
  audit: restricted
  warn: restricted
exemptions:
  usernames: [system:serviceaccount:kube-system:replicaset-controller]
  namespaces: [kube-system]
  runtimeClasses: [sandbox]
`,
	},
	"PodNodeSelector": {
		make:  configured(pods.NewPodNodeSelector),
		Does:  "Gives pods the node selector of their namespace, and keeps them to the nodes that the configuration grants it.",
		Reads: []string{"Namespaces (annotation scheduler.alpha.kubernetes.io/node-selector)"},
		Configuration: `podNodeSelectorPluginConfig:
  clusterDefaultNodeSelector: "tier=default"
  shop: "tier=default,tier=web"  # all that pods of namespace shop may select
`,
	},
	"Priority": {
		make:  anyVersion(released(pods.NewPriority)),
		Does:  "Gives pods the number and the preemption policy of their priority class, or of the default one, and lets no second class be the default.",
		Reads: []string{"PriorityClasses"},
	},
	"DefaultTolerationSeconds": {
		make: plain(pods.DefaultTolerationSeconds{}),
		Does: "Has pods stay for 300 seconds on a node that is not ready or not reachable, unless they say for how long themselves.",
		Gaps: []string{"the flags --default-not-ready-toleration-seconds and --default-unreachable-toleration-seconds are not known: it is always 300"},
	},
	"PodTolerationRestriction": {
		make: func(o Options) (any, error) {
			return pods.NewPodTolerationRestriction(o.Release, o.Types, o.Configuration)
		},
		Does:  "Adds the tolerations of a namespace to its pods, and denies those that tolerate more than it allows.",
		Reads: []string{"Namespaces (annotations scheduler.alpha.kubernetes.io/defaultTolerations and tolerationsWhitelist)"},
		Configuration: `apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1
kind: Configuration
default:
- {key: team, operator: Exists, effect: NoSchedule}
whitelist:
- {key: team, operator: Exists}
- {key: node.kubernetes.io/not-ready, operator: Exists}
- {key: node.kubernetes.io/unreachable, operator: Exists}
- {key: node.kubernetes.io/memory-pressure, operator: Exists}
`,
	},
	"EventRateLimit": {
		make: func(o Options) (any, error) { return limits.NewEventRateLimit(o.Release, o.Configuration, o.Now) },
		Does: "Denies core events that come too fast, with 429. Time passes only as requests take it, or as a recording says.",
		Configuration: `apiVersion: eventratelimit.admission.k8s.io/v1alpha1
kind: Configuration
limits:
- {type: Server, qps: 50, burst: 100}
- {type: Namespace, qps: 10, burst: 50, cacheSize: 2000}
- {type: User, qps: 10, burst: 50}
- {type: SourceAndObject, qps: 1, burst: 5}
`,
		Required: true,
	},
	"ExtendedResourceToleration": {
		make: plain(pods.ExtendedResourceToleration{}),
		Does: "Has pods tolerate the taints of nodes with the extended resources that they request, such as example.com/gpu.",
	},
	"DefaultStorageClass": {
		make:  released(resources.NewDefaultStorageClass),
		Does:  "Gives claims that name no storage class the default one.",
		Reads: []string{"StorageClasses"},
	},
	"StorageObjectInUseProtection": {
		make: released(resources.NewStorageObjectInUseProtection),
		Does: "Gives volumes, claims and volume attributes classes the finalizer that keeps them while they are in use.",
	},
	"PodGroupProtection": {
		make: released(pods.NewPodGroupProtection),
		Does: "Gives pod groups the finalizer that keeps them while they are in use (feature gate GenericWorkload).",
	},
	"OwnerReferencesPermissionEnforcement": {
		make: func(o Options) (any, error) {
			return access.NewOwnerReferencesPermissionEnforcement(o.Release, o.Resources, o.Authorizer), nil
		},
		Does:  "Lets only those set the owners of an object who may delete it, and only those block the deletion of an owner who may set its finalizers.",
		Reads: []string{authorization},
	},
	"PersistentVolumeClaimResize": {
		make:  released(resources.NewPersistentVolumeClaimResize),
		Does:  "Lets a claim grow only if it is bound and its storage class allows it.",
		Reads: []string{"StorageClasses"},
	},
	"RuntimeClass": {
		make:  released(pods.NewRuntimeClass),
		Does:  "Gives pods the overhead, node selector and tolerations of their runtime class.",
		Reads: []string{"RuntimeClasses"},
	},
	"CertificateApproval": {
		make:  anyVersion(asking(access.NewCertificateApproval)),
		Does:  "Lets only those approve a certificate signing request who have the verb approve for its signer.",
		Reads: []string{authorization},
	},
	"CertificateSigning": {
		make:  anyVersion(asking(access.NewCertificateSigning)),
		Does:  "Lets only those sign a certificate signing request who have the verb sign for its signer.",
		Reads: []string{authorization},
	},
	"ClusterTrustBundleAttest": {
		make: func(o Options) (any, error) {
			return access.NewClusterTrustBundleAttest(o.Release, o.Types, o.Authorizer), nil
		},
		Does:  "Lets only those write a trust bundle who have the verb attest for its signer (feature gate ClusterTrustBundle).",
		Reads: []string{authorization},
	},
	"CertificateSubjectRestriction": {
		make: anyVersion(plain(access.CertificateSubjectRestriction{})),
		Does: "Denies requests for client certificates of group system:masters.",
	},
	"DefaultIngressClass": {
		make:  anyVersion(released(resources.NewDefaultIngressClass)),
		Does:  "Gives ingresses that name no class the default one.",
		Reads: []string{"IngressClasses"},
	},
	"DenyServiceExternalIPs": {
		make: plain(resources.DenyServiceExternalIPs{}),
		Does: "Denies services that have an external IP which they did not have before.",
	},
	"PodTopologyLabels": {
		make:  released(pods.NewPodTopologyLabels),
		Does:  "Gives pods, when they are bound, the zone and the region of their node as labels.",
		Reads: []string{"Nodes"},
	},
	"PodGroupWorkloadExists": {
		make:  released(pods.NewPodGroupWorkloadExists),
		Does:  "Denies pod groups whose workload is missing (feature gate GenericWorkload).",
		Reads: []string{"Workloads"},
	},
	"NodeDeclaredFeatureValidator": {
		make:  anyVersion(func(o Options) (any, error) { return pods.NewNodeDeclaredFeatureValidator(o.Release), nil }),
		Does:  "Denies changes of a pod that its node does not declare to be able to follow, and devices that take resources of nodes which do not count them.",
		Reads: []string{"Nodes"},
	},
	"JobValidation": {
		make:  released(pods.NewJobValidation),
		Does:  "Denies a change of parallelism for jobs whose pods are scheduled as a gang (feature gates GenericWorkload and WorkloadWithJob).",
		Reads: []string{"PodGroups"},
	},
	"PodResizeValidator": {
		make:  released(pods.NewPodResizeValidator),
		Does:  "Denies a resize for which the pod's node has no room, or whose system cannot.",
		Reads: []string{"Nodes"},
	},
	"MutatingAdmissionPolicy": {
		Does:          "Changes objects by the CEL expressions of MutatingAdmissionPolicies, and asks for a second round where one may be needed.",
		Reads:         []string{"MutatingAdmissionPolicies and their bindings", "their params", "Namespaces", authorization},
		Configuration: fmt.Sprintf(policyConfiguration, "MutatingAdmissionPolicy"),
	},
	"MutatingAdmissionWebhook": {
		Does:          "Has webhooks change objects, one after the other, and asks for a second round where one may be needed.",
		Reads:         []string{"MutatingWebhookConfigurations", "Namespaces", authorization, "the webhooks: mocks, or the webhooks themselves"},
		Configuration: webhookConfiguration,
		Gaps:          []string{"a user of the kubeconfig whose credentials come from a program (exec) cannot call webhooks"},
	},
	"ValidatingAdmissionPolicy": {
		Does:          "Denies, warns or audits by the CEL expressions of ValidatingAdmissionPolicies.",
		Reads:         []string{"ValidatingAdmissionPolicies and their bindings", "their params", "Namespaces", authorization},
		Configuration: fmt.Sprintf(policyConfiguration, "ValidatingAdmissionPolicy"),
	},
	"ValidatingAdmissionWebhook": {
		Does:          "Asks webhooks, all at once, whether an object may be written.",
		Reads:         []string{"ValidatingWebhookConfigurations", "Namespaces", authorization, "the webhooks: mocks, or the webhooks themselves"},
		Configuration: webhookConfiguration,
		Gaps:          []string{"a user of the kubeconfig whose credentials come from a program (exec) cannot call webhooks"},
	},
	"ResourceQuota": {
		make: func(o Options) (any, error) {
			return limits.NewResourceQuota(o.Release, o.Types, o.Configuration, o.Now, o.Send)
		},
		Does: "Charges what an object uses to the quotas of its namespace, and denies what does not fit. Limits and usage are those " +
			"in status: without controllers, a quota with nothing there limits nothing.",
		Reads: []string{"ResourceQuotas, of which it writes the status", "DeviceClasses"},
		Configuration: `apiVersion: apiserver.config.k8s.io/v1
kind: ResourceQuotaConfiguration
limitedResources:  # what nobody may use without a quota that covers it
- resource: persistentvolumeclaims
  matchContains: [gold.storageclass.storage.k8s.io/requests.storage]
- resource: pods
  matchScopes:
  - {scopeName: PriorityClass, operator: In, values: [cluster-services]}
`,
		Gaps: []string{
			"several quotas apply in the order of their names; the server's order is not determined",
			"usage is not given back when objects go, which is a controller's work",
		},
	},
	"AlwaysDeny": {
		make: plain(resources.AlwaysDeny{}),
		Does: "Denies everything. It is deprecated.",
	},
}
