package kubeversion

// The behavior of built-in admission plugins. The files named are those of kubernetes/kubernetes.
var (
	// AllAuditFailures: all audited policy failures of a request are in one annotation, not only the first
	// (kubernetes/apiserver:pkg/admission/plugin/policy/validating/dispatcher.go).
	AllAuditFailures = Feature{since: 37}
	// AllEventLimits: an event that exceeds several limits is refused with all of them (ERL-03;
	// plugin/pkg/admission/eventratelimit/admission.go).
	AllEventLimits = Feature{since: 12}
	// AnyReferenceRefused: nodes may not create mirrors of pods that refer to any object of the API, not only of some kinds
	// (NR-19; plugin/pkg/admission/noderestriction/admission.go).
	AnyReferenceRefused = Feature{since: 34}
	// AnyVolumeGrows: PersistentVolumeClaimResize does not ask what kind of volume a claim has (PVR-05).
	AnyVolumeGrows = Feature{since: 12}
	// AppArmorFieldsChecked: Pod Security says whether a field or an annotation has a forbidden profile of AppArmor (PS-51;
	// kubernetes/pod-security-admission:policy/check_appArmorProfile.go).
	AppArmorFieldsChecked = Feature{since: 30}
	// AudienceWords: if no volume needs an audience, the message of NodeRestriction says who may not have it.
	AudienceWords = Feature{since: 37}
	// AWSVolumesLeft: PersistentVolumeLabel does not ask AWS any more (PVL-02;
	// plugin/pkg/admission/storage/persistentvolume/label/admission.go).
	AWSVolumesLeft = Feature{since: 27}
	// AzureVolumesLabelled: PersistentVolumeLabel asks Azure, too, and sets the node affinity of volumes (PVL-02, PVL-05).
	AzureVolumesLabelled = Feature{since: 12}
	// AzureVolumesLeft: it asks neither Azure nor vSphere any more.
	AzureVolumesLeft = Feature{since: 30}
	// BoundsWithoutFullStop: messages of LimitRanger end without a full stop
	// (plugin/pkg/admission/limitranger/admission.go).
	BoundsWithoutFullStop = Feature{since: 15}
	// CertificateSigners: nodes may only request certificates from signers that a volume of the pod names, or that they
	// are authorized for (KEP-4317).
	CertificateSigners = Feature{since: 37}
	// CinderVolumesLabelled: PersistentVolumeLabel asks OpenStack, too.
	CinderVolumesLabelled = Feature{since: 14}
	// CinderVolumesLeft: PersistentVolumeLabel does not ask OpenStack any more.
	CinderVolumesLeft = Feature{since: 26}
	// ClaimReferencesRefused: nodes may not create mirrors of pods with ResourceClaims
	// (NR-19; plugin/pkg/admission/noderestriction/admission.go).
	ClaimReferencesRefused = Feature{since: 32}
	// ClusterOwners: the permission to set the finalizers of a cluster-scoped owner is checked without a namespace
	// (plugin/pkg/admission/gc/gc_admission.go).
	ClusterOwners = Feature{since: 13}
	// CriticalClassesStored: the two priority classes of the system are objects, whose names and values are checked as
	// part of the object (PR-13).
	CriticalClassesStored = Feature{since: 11}
	// CrossNamespacePodsCounted: ResourceQuota counts pods with affinity across namespaces (KEP-2249).
	CrossNamespacePodsCounted = Feature{since: 21}
	// DebuggersChecked: two plugins check containers that are added to a running pod (CVE-2023-2727, CVE-2023-2728). Up
	// to 1.21 these were a separate kind.
	DebuggersChecked = Feature{since: 24}
	// DefaultPrioritiesNamed: a pod without a priority class gets the name of the default class, not just its number
	// (PR-04; plugin/pkg/admission/priority/admission.go).
	DefaultPrioritiesNamed = Feature{since: 13}
	// EmptyNamesSkipped: a pod does not refer to an object if the name of the object is empty (SA-41; pkg/api/pod/util.go).
	EmptyNamesSkipped = Feature{since: 18}
	// EnvironmentSourcesChecked: a ServiceAccount has to list the secrets in the envFrom of containers
	// (CVE-2024-3177; plugin/pkg/admission/serviceaccount/admission.go).
	EnvironmentSourcesChecked = Feature{since: 27}
	// FinalizersOfEverything: a user who may set the finalizers of every resource may block the deletion of owners of
	// unknown kinds (plugin/pkg/admission/gc/gc_admission.go).
	FinalizersOfEverything = Feature{since: 21}
	// GroupPriorities: every pod group gets the value of its priority class (KEP-4671).
	GroupPriorities = Feature{since: 37}
	// ImageReviewsAudited: ImagePolicyWebhook writes audit annotations (IPW-04).
	ImageReviewsAudited = Feature{since: 12}
	// KubeletsSetTopology: kubelets may set the labels of topology.kubernetes.io (NR-47;
	// pkg/kubelet/apis/well_known_labels.go).
	KubeletsSetTopology = Feature{since: 17}
	// MirrorPodOwners: a mirror pod is owned by its node, and nodes may not change labels of pods through their status
	// (NR-12 to NR-17; plugin/pkg/admission/noderestriction/admission.go).
	MirrorPodOwners = Feature{since: 17}
	// MoreVolumesGrow: volumes of Azure disks and of Portworx may grow (PVR-05).
	MoreVolumesGrow = Feature{since: 11}
	// NewNamespacesUncounted: new namespaces are ignored. They were meant to be since 1.20, but the kind was looked for in
	// another group (RQ-01; kubernetes/apiserver:pkg/admission/plugin/resourcequota/admission.go).
	NewNamespacesUncounted = Feature{since: 36}
	// NewNodeLabels: nodes may not set Kubernetes labels when they register (NR-46).
	NewNodeLabels = Feature{since: 19}
	// NodeAllocatableStatusesKept: nodes may not change the part of a pod's status about claims for resources that the
	// node can allocate (plugin/pkg/admission/noderestriction/admission.go).
	NodeAllocatableStatusesKept = Feature{since: 37}
	// NodeClaimQuantities: the refusal of changes of a claim calls its capacity quantity (NR-50).
	NodeClaimQuantities = Feature{since: 30}
	// NodeClaimStatusesKept: nodes may not change which ResourceClaims a pod has (NR-25).
	NodeClaimStatusesKept = Feature{since: 28}
	// NodeDriversStored: the drivers of a node are in a CSINode; before, they were in a custom resource, CSINodeInfo
	// (NR-61).
	NodeDriversStored = Feature{since: 14}
	// NodeLabelsKept: nodes may not change labels that are not theirs, and refusals name the node (NR-45).
	NodeLabelsKept = Feature{since: 13}
	// NodeOwnersKept: nodes may not change their owners (NR-44; CVE-2025-5187).
	NodeOwnersKept = Feature{since: 31, backported: true}
	// NodePodVerbs: refusals of a node's requests for pods say what would be allowed (NR-22, NR-32).
	NodePodVerbs = Feature{since: 14}
	// NodesNotAllowed: refusals of nodes say that the node is not allowed to do something.
	NodesNotAllowed = Feature{since: 14}
	// NodeTaintsKept: nodes may not change their taints (NR-44).
	NodeTaintsKept = Feature{since: 11}
	// OldImagesIgnored: AlwaysPullImages ignores an update that brings no new image (API-01;
	// plugin/pkg/admission/alwayspullimages/admission.go).
	OldImagesIgnored = Feature{since: 21}
	// OwnersNotCached: the objects that plugins know have no managedFields, so neither have the quotas that they write
	// (pkg/controlplane/apiserver/config.go).
	OwnersNotCached = Feature{since: 31}
	// OwnersOfNewObjects: a new object may have owners even if its user may not delete it (ORP-02).
	OwnersOfNewObjects = Feature{since: 11}
	// ParamsLookedUp: the server asks itself for a param that a binding names before it says that it does not exist
	// (kubernetes/apiserver:pkg/admission/plugin/policy/generic/policy_dispatcher.go).
	ParamsLookedUp = Feature{since: 37}
	// PingGroupSysctlSafe: pods may set net.ipv4.ping_group_range under every PodSecurityPolicy.
	PingGroupSysctlSafe = Feature{since: 18}
	// PodPriorities: pods have priorities regardless of the gate PodPriority.
	PodPriorities = Feature{since: 16}
	// PodSecurityPolicyNamed: a refusal of PodSecurityPolicy starts with its name (PSP-07).
	PodSecurityPolicyNamed = Feature{since: 19}
	// PodsOfNodesCached: what a node asks for about a pod is judged by the pod as caches have it, not by etcd (NR-34;
	// plugin/pkg/admission/noderestriction/admission.go).
	PodsOfNodesCached = Feature{since: 11}
	// PodStatusResourcesCount: the resources of a whole pod in its status count
	// (InPlacePodLevelResourcesVerticalScaling, KEP-5419).
	PodStatusResourcesCount = Feature{since: 36}
	// PreemptionPolicies: the plugin Priority sets preemptionPolicy, too (PR-05).
	PreemptionPolicies = Feature{since: 24, gate: "NonPreemptingPriority"}
	// PresetsOfInitContainers: presets also apply to init containers (PP-11).
	PresetsOfInitContainers = Feature{since: 13}
	// PresetSourcesCompared: a preset does not add a source of variables that a container already has (PP-05).
	PresetSourcesCompared = Feature{since: 15}
	// PrioritiesChecked: a pod may set its priority to the right value, and updates keep it (PR-03, PR-06).
	PrioritiesChecked = Feature{since: 11}
	// ProvisionersTrusted: PersistentVolumeLabel believes the labels that a provisioner has set (PVL-01), and asks no more
	// than one cloud.
	ProvisionersTrusted = Feature{since: 17}
	// PullPoliciesListed: AlwaysPullImages refuses a pod with all wrong pull policies, not only the first (API-03;
	// plugin/pkg/admission/alwayspullimages/admission.go).
	PullPoliciesListed = Feature{since: 16}
	// QuotaChargesScopeChanges: an update that brings a pod into the scope of a quota is charged
	// (pkg/quota/v1/evaluator/core/pods.go).
	QuotaChargesScopeChanges = Feature{since: 33}
	// QuotaCountsDevices: quotas count the devices of resource claims (RQ-44).
	QuotaCountsDevices = Feature{since: 31}
	// QuotasTrusted: once the server knows the quotas, it does not ask itself whether a namespace has one (RQ-05;
	// kubernetes/apiserver:pkg/admission/plugin/resourcequota/resource_access.go).
	QuotasTrusted = Feature{since: 31}
	// ReviewsWithoutWebhooks: webhooks see no reviews of authentication and authorization (gate
	// ExcludeAdmissionWebhookVirtualResources).
	ReviewsWithoutWebhooks = Feature{since: 37, gate: "ExcludeAdmissionWebhookVirtualResources"}
	// RuntimeClassesLookedUp: the server asks itself for a RuntimeClass before it says that it does not exist
	// (plugin/pkg/admission/runtimeclass/admission.go).
	RuntimeClassesLookedUp = Feature{since: 19}
	// RuntimeClassesLookedUpInV1: the server asks itself for a RuntimeClass in the version v1
	// (plugin/pkg/admission/runtimeclass/admission.go).
	RuntimeClassesLookedUpInV1 = Feature{since: 20}
	// SeccompFields: the seccomp profiles of PodSecurityPolicy are read and set as fields, not only as annotations
	// (KEP-135).
	SeccompFields = Feature{since: 19}
	// SELinuxUsersNamed: Pod Security says that the user or the role for SELinux is forbidden, also without a forbidden type
	// (PS-51; kubernetes/pod-security-admission:policy/check_seLinuxOptions.go).
	SELinuxUsersNamed = Feature{since: 26}
	// SeveralDefaultClasses: several classes may be marked as the default one (DSC-04, DIC-03).
	SeveralDefaultClasses = Feature{since: 26}
	// ShortQuotasForbidden: requests that no quota covers are forbidden, instead of failing with an error without a
	// status (RQ-11; plugin/pkg/admission/resourcequota/controller.go).
	ShortQuotasForbidden = Feature{since: 11}
	// SilentContainersCount: LimitRanger sums a resource even if some containers of the pod do not set it
	// (plugin/pkg/admission/limitranger/admission.go).
	SilentContainersCount = Feature{since: 28}
	// SilentContainersNamed: a quota names the containers without a request or a limit
	// (pkg/quota/v1/evaluator/core/pods.go).
	SilentContainersNamed = Feature{since: 24}
	// StaticManifests: the configuration of webhooks and policies supports staticManifestsDir (KEP-5793).
	StaticManifests = Feature{since: 36}
	// SystemPrioritiesByQuota: all namespaces may use the system's priority classes, unless a quota says otherwise.
	SystemPrioritiesByQuota = Feature{since: 17}
	// TerminatingCauses: the refusal of new objects in a terminating namespace has a cause that says so
	// (kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go).
	TerminatingCauses = Feature{since: 17}
	// TokensOfOddLength: the token of a pod lasts for 3607 seconds, by which the server recognizes it, instead of an hour
	// (SA-08; plugin/pkg/admission/serviceaccount/admission.go).
	TokensOfOddLength = Feature{since: 19}
	// TokenVolumeModes: the volume with the token of a pod has the default mode before any default is set
	// (SA-08; plugin/pkg/admission/serviceaccount/admission.go).
	TokenVolumeModes = Feature{since: 23}
	// TokenVolumesAreSecrets: PodSecurityPolicy treats the volume of a service account token as a secret
	// (pkg/security/podsecuritypolicy/provider.go).
	TokenVolumesAreSecrets = Feature{since: 19}
	// TokenVolumesWithoutDots: the volume with the token of a ServiceAccount is named after its secret, with dashes
	// instead of dots (plugin/pkg/admission/serviceaccount/admission.go).
	TokenVolumesWithoutDots = Feature{since: 19}
	// TolerationsInclude: one toleration may include another, in whitelists and when lists are merged. Before, two
	// tolerations of the same taint were equal or in conflict (PTR-08; pkg/util/tolerations/tolerations.go).
	TolerationsInclude = Feature{since: 16}
	// TolerationsOverridden: of several tolerations of a pod for the same taint, the last one stays
	// (plugin/pkg/admission/podtolerationrestriction/admission.go).
	TolerationsOverridden = Feature{since: 15}
	// TopologyOfProvisioners: PersistentVolumeLabel believes labels of topology.kubernetes.io, too.
	TopologyOfProvisioners = Feature{since: 21}
	// UnprivilegedPortSysctlSafe: pods may set net.ipv4.ip_unprivileged_port_start under every
	// PodSecurityPolicy.
	UnprivilegedPortSysctlSafe = Feature{since: 22}
	// UpdatesOutliveNamespaces: objects in a namespace that does not exist any more can be updated
	// (kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go).
	UpdatesOutliveNamespaces = Feature{since: 37}
	// VSphereVolumesLabelled: PersistentVolumeLabel asks vSphere, too.
	VSphereVolumesLabelled = Feature{since: 13}
	// WebhookAdmissionV1: the configuration of webhooks has the version v1.
	WebhookAdmissionV1 = Feature{since: 17}
	// WhitelistScopes: a refusal says whether the whitelist is that of the namespace or of the cluster (PTR-06).
	WhitelistScopes = Feature{since: 19}
)
