package kubeversion

// What built-in admission plugins do. The files named are those of kubernetes/kubernetes.
var (
	// AllEventLimits: an event that is too much for several limits is told of all (ERL-03;
	// plugin/pkg/admission/eventratelimit/admission.go).
	AllEventLimits = Feature{since: 12}
	// BoundsWithoutFullStop: what LimitRanger says ends without a full stop (plugin/pkg/admission/limitranger/admission.go).
	BoundsWithoutFullStop = Feature{since: 15}
	// ClusterOwners: who may set the finalizers of an owner that is in no namespace is asked without one
	// (plugin/pkg/admission/gc/gc_admission.go).
	ClusterOwners = Feature{since: 13}
	// DefaultPrioritiesNamed: a pod without a priority class gets the name of the default one, not just its number
	// (PR-04; plugin/pkg/admission/priority/admission.go).
	DefaultPrioritiesNamed = Feature{since: 13}
	// MirrorPodOwners: a mirror pod is owned by its node, and nodes do not change labels of pods through their status
	// (NR-12 to NR-17; plugin/pkg/admission/noderestriction/admission.go).
	MirrorPodOwners = Feature{since: 17}
	// NewNodeLabels: nodes do not set labels of Kubernetes when they register (NR-46).
	NewNodeLabels = Feature{since: 19}
	// NodeLabelsKept: nodes do not change labels that are not theirs, and the node is named in refusals (NR-45).
	NodeLabelsKept = Feature{since: 13}
	// NodeOwnersKept: nodes do not change their owners (CVE-2025-5187).
	NodeOwnersKept = Feature{since: 31}
	// NodeTaintsKept: nodes do not change their taints (NR-44).
	NodeTaintsKept = Feature{since: 11}
	// NodesNotAllowed: what nodes are refused, they are not allowed to do.
	NodesNotAllowed = Feature{since: 14}
	// OwnersOfNewObjects: who creates an object may say its owners without the right to delete it (ORP-02).
	OwnersOfNewObjects = Feature{since: 11}
	// PodPriorities: pods have priorities whatever the gate PodPriority says.
	PodPriorities = Feature{since: 16}
	// PreemptionPolicies: the plugin Priority sets preemptionPolicy, too (PR-05).
	PreemptionPolicies = Feature{since: 24, gate: "NonPreemptingPriority"}
	// PrioritiesChecked: a pod may say its priority if it is the right one, and updates keep it (PR-03, PR-06).
	PrioritiesChecked = Feature{since: 11}
	// ShortQuotasForbidden: what no quota covers is forbidden, and no error without a status (RQ-11;
	// plugin/pkg/admission/resourcequota/controller.go).
	ShortQuotasForbidden = Feature{since: 11}
	// SystemPrioritiesByQuota: the priority classes of the system are for all namespaces, unless a quota says otherwise.
	SystemPrioritiesByQuota = Feature{since: 17}
	// DebuggersChecked: two plugins look at the containers that are added to a pod that runs
	// (CVE-2023-2727, CVE-2023-2728). Up to 1.21 these came as a kind of their own.
	DebuggersChecked = Feature{since: 24}
	// AllAuditFailures: what policies audit of one request is in one annotation, and not the first
	// only (kubernetes/apiserver:pkg/admission/plugin/policy/validating/dispatcher.go).
	AllAuditFailures = Feature{since: 37}
	// AudienceWords: NodeRestriction says of an audience that no volume needs who may not have it.
	AudienceWords = Feature{since: 37}
	// CertificateSigners: nodes ask only for certificates of signers that a volume of the pod names,
	// or that they are authorized for (KEP-4317).
	CertificateSigners = Feature{since: 37}
	// GroupPriorities: every pod group gets the number of its priority class (KEP-4671).
	GroupPriorities = Feature{since: 37}
	// PingGroupSysctlSafe: pods may set net.ipv4.ping_group_range under every PodSecurityPolicy.
	PingGroupSysctlSafe = Feature{since: 18}
	// PodSecurityPolicyNamed: a refusal of PodSecurityPolicy starts with its name (PSP-07).
	PodSecurityPolicyNamed = Feature{since: 19}
	// PodStatusResourcesCount: what the status says of the resources of a whole pod counts
	// (InPlacePodLevelResourcesVerticalScaling, KEP-5419).
	PodStatusResourcesCount = Feature{since: 36}
	// QuotaChargesScopeChanges: an update that brings a pod into the scope of a quota is charged
	// (pkg/quota/v1/evaluator/core/pods.go).
	QuotaChargesScopeChanges = Feature{since: 33}
	// SeccompFields: the seccomp profiles of PodSecurityPolicy are read and set as fields, not only
	// as annotations (KEP-135).
	SeccompFields = Feature{since: 19}
	// SeveralDefaultClasses: several classes may be marked as the default one (DSC-04, DIC-03).
	SeveralDefaultClasses = Feature{since: 26}
	// NodeAllocatableStatusesKept: nodes do not change what a pod says of its claims for resources that the
	// node can allocate (plugin/pkg/admission/noderestriction/admission.go).
	NodeAllocatableStatusesKept = Feature{since: 37}
	// ReviewsWithoutWebhooks: webhooks see no reviews of authentication and authorization (gate
	// ExcludeAdmissionWebhookVirtualResources).
	ReviewsWithoutWebhooks = Feature{since: 37, gate: "ExcludeAdmissionWebhookVirtualResources"}
	// StaticManifests: the configuration of webhooks and policies knows staticManifestsDir (KEP-5793).
	StaticManifests = Feature{since: 36}
	// TokenVolumesAreSecrets: PodSecurityPolicy takes the volume of an account's token for a secret
	// (pkg/security/podsecuritypolicy/provider.go).
	TokenVolumesAreSecrets = Feature{since: 19}
	// UpdatesOutliveNamespaces: what is in a namespace that is gone can be updated
	// (kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go).
	UpdatesOutliveNamespaces = Feature{since: 37}
	// TolerationsInclude: one toleration may include another, for whitelists and where lists are merged. Before, two about
	// one taint were the same or in conflict (PTR-08; pkg/util/tolerations/tolerations.go).
	TolerationsInclude = Feature{since: 16}
	// TolerationsOverridden: of several tolerations of a pod about one taint the last stays
	// (plugin/pkg/admission/podtolerationrestriction/admission.go).
	TolerationsOverridden = Feature{since: 15}
	// WhitelistScopes: a refusal says whether the whitelist is that of the namespace or of the cluster (PTR-06).
	WhitelistScopes = Feature{since: 19}
	// UnprivilegedPortSysctlSafe: pods may set net.ipv4.ip_unprivileged_port_start under every
	// PodSecurityPolicy.
	UnprivilegedPortSysctlSafe = Feature{since: 22}
)
