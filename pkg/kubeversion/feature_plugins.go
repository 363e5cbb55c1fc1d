package kubeversion

// What built-in admission plugins do. The files named are those of kubernetes/kubernetes.
var (
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
