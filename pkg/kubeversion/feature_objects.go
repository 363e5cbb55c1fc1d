package kubeversion

// How the server checks, completes and warns of objects. The files named are those of
// kubernetes/kubernetes unless they say otherwise.
var (
	// AddressObjects: each address of a service has an IPAddress, which is written first (KEP-1880).
	AddressObjects = Feature{since: 33, gate: "MultiCIDRServiceAllocator"}
	// AddressWarnings: odd IP addresses of pods and load balancers are warned of
	// (pkg/api/pod/warnings.go).
	AddressWarnings = Feature{since: 33}
	// AllocatableClaimsMapped: what claims take of the resources of a node is told by mapping and overhead,
	// and pods that have such claims can be resized (KEP-5517).
	AllocatableClaimsMapped = Feature{since: 37}
	// AllocatedTolerationsChecked: the tolerations of what is allocated for a claim are checked.
	AllocatedTolerationsChecked = Feature{since: 37}
	// AllocationsRefused: a service that no address can be allocated for is invalid, whether it asks for one or
	// not, unless there is none left (pkg/registry/core/service/storage/alloc.go).
	AllocationsRefused = Feature{since: 35}
	// AppArmorAnnotationsGone: the AppArmor profile of a field is no longer copied into an
	// annotation (pkg/registry/core/pod/strategy.go).
	AppArmorAnnotationsGone = Feature{since: 34}
	// AutoscalerGenerations: autoscalers have a generation.
	AutoscalerGenerations = Feature{since: 37, gate: "HPAGeneration"}
	// BudgetsPreparedForV1beta1: the label by which v1beta1 tells the selectors of budgets that are empty is taken
	// out of others after the mutating phase (pkg/registry/policy/poddisruptionbudget/strategy.go).
	BudgetsPreparedForV1beta1 = Feature{since: 37}
	// BytesInDetails: lengths are given in bytes, not in characters.
	BytesInDetails = Feature{since: 35}
	// CapacityRangesGuarded: the range of a device's capacity may have no step that is not positive nor numbers
	// beyond 64 bits, errors about the default are about the default, and what stays is not checked
	// (pkg/apis/resource/validation/validation.go).
	CapacityRangesGuarded = Feature{since: 37}
	// ClaimAttributesNamed: the message about other updates of a claim names volumeAttributesClassName
	// (pkg/apis/core/validation/validation.go).
	ClaimAttributesNamed = Feature{since: 29}
	// ClaimSpecShown: what a claim may not change is shown.
	ClaimSpecShown = Feature{since: 19}
	// ClaimStatusesKept: who updates a pod's status without what it says of claims keeps that.
	ClaimStatusesKept = Feature{since: 37}
	// ClaimsCheckedOnce: an update of a PersistentVolumeClaim checks the new object once.
	ClaimsCheckedOnce = Feature{since: 35}
	// ClaimsGrow: claims may grow whatever the gate ExpandPersistentVolumes says (pkg/apis/core/validation/validation.go).
	ClaimsGrow = Feature{since: 24}
	// ClaimsKeptAsTheyAre: of an update of a ResourceClaim or its template only what changed is said, and of a request that is
	// of two forms neither is looked at (pkg/apis/resource/validation/validation.go).
	ClaimsKeptAsTheyAre = Feature{since: 35}
	// ConditionsAsUnion: that Approved and Denied exclude each other is said of the two conditions
	// together (declared in k8s.io/api/certificates/v1).
	ConditionsAsUnion = Feature{since: 37}
	// ContainerClaimsResizable: containers that use claims can be resized.
	ContainerClaimsResizable = Feature{since: 37}
	// ContainerRestartPolicy: every container may have a restart policy and rules for it (KEP-5307).
	ContainerRestartPolicy = Feature{since: 34}
	// CrossNamespaceQuotaScope: quotas may have the scope CrossNamespacePodAffinity without a gate
	// (KEP-2249).
	CrossNamespaceQuotaScope = Feature{since: 24}
	// CustomStatusPath: errors about the status of a custom resource have its whole path.
	CustomStatusPath = Feature{since: 31}
	// CustomStatusRatcheting: what was wrong with a custom resource before its status is updated is
	// no error (KEP-4008).
	CustomStatusRatcheting = Feature{since: 33}
	// DeclaredErrors: more rules are declared with the types than written, and enforced: what they say
	// replaces what was written, and every error is said once (KEP-5073;
	// kubernetes/apiserver:pkg/registry/rest/validate.go).
	DeclaredErrors = Feature{since: 37}
	// DeclaredNamesChecked: metadata.name is checked by declared rules, which do not look at
	// generateName (KEP-5073).
	DeclaredNamesChecked = Feature{since: 35}
	// DeletionCostsChecked: the annotation controller.kubernetes.io/pod-deletion-cost is a number.
	DeletionCostsChecked = Feature{since: 21, gate: "PodDeletionCost"}
	// DeviceErrorsDeclared: errors about devices are those that their types declare
	// (pkg/apis/resource/validation/validation.go).
	DeviceErrorsDeclared = Feature{since: 35}
	// DisabledExpansionDropped: while the gate ExpandPersistentVolumes is off, allowVolumeExpansion of a class is taken away,
	// and no error (pkg/apis/storage/util/util.go).
	DisabledExpansionDropped = Feature{since: 14}
	// DriverGenerationOfSpec: every change of a CSIDriver's spec counts for its generation.
	DriverGenerationOfSpec = Feature{since: 30}
	// DriverCaseWarnings: a ResourceSlice whose driver has large letters is warned of
	// (pkg/registry/resource/resourceslice/strategy.go).
	DriverCaseWarnings = Feature{since: 35}
	// DuplicatePortNameWarnings: two ports of a pod with one name are warned of.
	DuplicatePortNameWarnings = Feature{since: 33}
	// DuplicatePortWarnings: two containers of a pod with one port are warned of.
	DuplicatePortWarnings = Feature{since: 28}
	// EmbeddedStructsNamed: errors of decoding name the Go structs that are parts of others
	// (sigs.k8s.io/json).
	EmbeddedStructsNamed = Feature{since: 35}
	// EmptyPodResourcesIgnored: resources of a pod as a whole that name none do not decide its class.
	EmptyPodResourcesIgnored = Feature{since: 37, gate: "PodLevelResourcesFixKubeletQOSClass"}
	// EndPortShown: an endPort that is too low is shown, not its port.
	EndPortShown = Feature{since: 37}
	// EnvFileSourceNamed: messages name fileKeyRef among the sources of variables (KEP-3721).
	EnvFileSourceNamed = Feature{since: 35, gate: "EnvFiles"}
	// EphemeralClaimWarnings: the claims of ephemeral volumes are looked at for warnings.
	EphemeralClaimWarnings = Feature{since: 26}
	// EventNamespaceOnce: of an event's namespace only its metadata says what is wrong with it.
	EventNamespaceOnce = Feature{since: 37}
	// ExclusiveConditionsPath: that Approved and Denied exclude each other is said of the
	// conditions, not of a type (pkg/apis/certificates/validation/validation.go).
	ExclusiveConditionsPath = Feature{since: 34}
	// ExternalIPsDeprecated: a Service with externalIPs is warned of (KEP-5707).
	ExternalIPsDeprecated = Feature{since: 36}
	// FormatsOfAllTypes: unknown formats in schemas are warned of for all types, not for strings only.
	FormatsOfAllTypes = Feature{since: 36}
	// FullRangesNameServices: that there is no address left for a service says for which.
	FullRangesNameServices = Feature{since: 36}
	// GatedPodTransitionTime: the condition of a pod with scheduling gates has a time.
	GatedPodTransitionTime = Feature{since: 31}
	// GitRepoDisabled: the warning about gitRepo volumes says that they are off by default.
	GitRepoDisabled = Feature{since: 33}
	// GivenQOSClasses: a new pod keeps the class of service that its status names, whatever its
	// resources (pkg/apis/core/helper/qos/qos.go).
	GivenQOSClasses = Feature{since: 29}
	// HeadlessWarnings: what a headless Service does not heed is warned of
	// (pkg/api/service/warnings.go).
	HeadlessWarnings = Feature{since: 34}
	// HistoryLimitWarnings: a negative revisionHistoryLimit of a StatefulSet is warned of.
	HistoryLimitWarnings = Feature{since: 33}
	// HostnameWarnings: names of pods and their owners that are no DNS labels are warned of.
	HostnameWarnings = Feature{since: 27}
	// ImageReferencesInTemplates: templates of pods name the images of volumes, too.
	ImageReferencesInTemplates = Feature{since: 37}
	// ImageVolumes: pods may have volumes of images (KEP-4639).
	ImageVolumes = Feature{since: 31}
	// IPModeChecked: the ipMode of a load balancer's address is checked (KEP-1860).
	IPModeChecked = Feature{since: 30}
	// InitContainerAnnotationsSeen: mutating webhooks see the annotations for init containers of old.
	InitContainerAnnotationsSeen = Feature{since: 37}
	// InitContainerResizeNamed: the message about a resize names init containers, too.
	InitContainerResizeNamed = Feature{since: 36}
	// InitContainersRestartOnResizeRefused: init containers that are no sidecars may not be restarted on a
	// resize.
	InitContainersRestartOnResizeRefused = Feature{since: 36}
	// InitRestartPolicyRequired: init containers with rules for restarts need a restart policy.
	InitRestartPolicyRequired = Feature{since: 35}
	// InternalTypesAsV1: the internal types, which messages show, have the fields of v1 in its order,
	// and errors about owners say which of them is meant.
	InternalTypesAsV1 = Feature{since: 37}
	// JobUpdatesApart: the labels of the pods of a job are not checked once more when it is updated
	// (pkg/registry/batch/job/strategy.go).
	JobUpdatesApart = Feature{since: 37}
	// KubeletPortExposed: load balancers may have the port of the kubelet.
	KubeletPortExposed = Feature{since: 33}
	// ListAttributes: an attribute of a device may be a list (KEP-5491).
	ListAttributes = Feature{since: 36}
	// MissingIsRequired: a RuntimeClass without a handler and a priority level without a type lack something, and are not
	// said to have an empty one (pkg/apis/node/validation/validation.go, pkg/apis/flowcontrol/validation/validation.go).
	MissingIsRequired = Feature{since: 36}
	// LengthsInBytes: errors about lengths count bytes
	// (kubernetes/apimachinery:pkg/util/validation/field/errors.go).
	LengthsInBytes = Feature{since: 32}
	// LinuxUIDsUnsigned: the user that a container is reported to run as may have any number of 32 bits.
	LinuxUIDsUnsigned = Feature{since: 37}
	// LostVersionsExplained: that objects may be stored in a version that a definition no longer has is
	// said in a sentence
	// (kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go).
	LostVersionsExplained = Feature{since: 33}
	// MatchResourcesPath: errors about matchResources of a binding spell it right, which was
	// matchResouces (pkg/apis/admissionregistration/validation/validation.go).
	MatchResourcesPath = Feature{since: 32}
	// MaxReplicasRequired: a missing maxReplicas of an autoscaler is required, not invalid.
	MaxReplicasRequired = Feature{since: 36}
	// NegativeGraceWarnings: a negative terminationGracePeriodSeconds is warned of.
	NegativeGraceWarnings = Feature{since: 27}
	// NetworkPoliciesCheckedOnce: an update of a NetworkPolicy checks the new object once.
	NetworkPoliciesCheckedOnce = Feature{since: 36}
	// NodeLabelWarnings: old names of labels of nodes are warned of in classes of volumes and runtimes, too
	// (pkg/api/storage/util.go, pkg/api/node/util.go).
	NodeLabelWarnings = Feature{since: 25}
	// NodeSelectorValuesChecked: a node selector may not ask for values that no label can have.
	NodeSelectorValuesChecked = Feature{since: 33}
	// NodesDeclareFeatures: status.declaredFeatures of a node is kept (KEP-5328).
	NodesDeclareFeatures = Feature{since: 36}
	// NumberFormatsChecked: numbers in custom resources are held against their format
	// (kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go).
	NumberFormatsChecked = Feature{since: 36}
	// ObservedGenerationKept: who updates a pod's status without observedGeneration keeps the old one.
	ObservedGenerationKept = Feature{since: 33}
	// OmitsDevices: the devices of a ResourceSlice that has none are left out (W-138; k8s.io/api/resource/v1).
	OmitsDevices = Feature{since: 35}
	// OverlappingVolumeWarnings: projected volumes with one path twice are warned of.
	OverlappingVolumeWarnings = Feature{since: 32}
	// PodControllersCheckedOnce: an update of a ReplicaSet or DaemonSet checks the new object once.
	PodControllersCheckedOnce = Feature{since: 34}
	// PodGenerations: pods have a generation (KEP-5067).
	PodGenerations = Feature{since: 33}
	// PodLevelResize: pods with resources of their own can be resized (KEP-5419).
	PodLevelResize = Feature{since: 35}
	// MoreUpdatesVersioned: an update of a DeviceTaintRule, PodGroup or Workload says the resourceVersion that it
	// starts from.
	MoreUpdatesVersioned = Feature{since: 37}
	// PodResourcesAfterAdmission: the resources of a pod as a whole are completed after admission, when
	// webhooks have added their containers.
	PodResourcesAfterAdmission = Feature{since: 37, gate: "PodLevelResourcesFixDefaulting"}
	// PreferCloseDeprecated: trafficDistribution PreferClose is warned of (KEP-3015).
	PreferCloseDeprecated = Feature{since: 34}
	// PreferredValueWarnings: values of preferred node affinity that no label can have are warned of.
	PreferredValueWarnings = Feature{since: 33}
	// PreventPodSchedulingDefault: a CSIDriver says by default that pods are scheduled where it is
	// missing.
	PreventPodSchedulingDefault = Feature{since: 37, gate: "VolumeLimitScaling"}
	// ProjectedSourcesApart: a source of a projected volume that names no keys overlaps with none.
	// Before, it had the paths of the source before it (pkg/api/pod/warnings.go).
	ProjectedSourcesApart = Feature{since: 34}
	// ProviderIDWords: that a node keeps its providerID is said in the words of declared rules.
	ProviderIDWords = Feature{since: 37}
	// QOSClassImmutable: the class of service in a pod's status may not change, and is kept where
	// an update of the status leaves it out.
	QOSClassImmutable = Feature{since: 32}
	// QOSClassKept: an update of a pod may not change the class that follows from its resources.
	QOSClassKept = Feature{since: 29}
	// QuotaWarnings: a ResourceQuota for limits alone is warned of
	// (pkg/registry/core/resourcequota/strategy.go).
	QuotaWarnings = Feature{since: 35}
	// RelaxedEnvVarNames: names of variables may have nearly all characters (KEP-4369).
	RelaxedEnvVarNames = Feature{since: 32}
	// RelaxedServiceNames: names of Services may start with a digit (KEP-5311).
	RelaxedServiceNames = Feature{since: 36}
	// QOSClassesComputed: a new pod gets the class that follows from its resources, whatever its status names.
	// It is told after its resources as a whole are complete.
	QOSClassesComputed = Feature{since: 37}
	// ReplicationControllersCheckedOnce: an update of a ReplicationController checks the new object
	// once.
	ReplicationControllersCheckedOnce = Feature{since: 35}
	// RestartRulesCounted: too many rules for restarts are counted, not measured in bytes.
	RestartRulesCounted = Feature{since: 36}
	// RoleRefImmutableWords: that a binding keeps its role is said in the usual words.
	RoleRefImmutableWords = Feature{since: 37}
	// RolesCheckedOnce: an update of a role or a binding checks the new object once.
	RolesCheckedOnce = Feature{since: 35}
	// RulesShowValues: a validation rule of a custom resource shows what it refuses, not its type
	// (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go).
	RulesShowValues = Feature{since: 35}
	// RuntimeClassTolerationsPath: errors about tolerations of a RuntimeClass are where these are.
	RuntimeClassTolerationsPath = Feature{since: 35}
	// ScaleMetadataIgnored: of the metadata of a Scale only managedFields are checked: the rest is thrown away
	// (pkg/apis/autoscaling/validation/validation.go).
	ScaleMetadataIgnored = Feature{since: 37}
	// ScaleTargetVersionChecked: the apiVersion that an autoscaler scales is checked.
	ScaleTargetVersionChecked = Feature{since: 34}
	// ScaleToZero: autoscalers may scale to zero (KEP-2021).
	ScaleToZero = Feature{since: 37, gate: "HPAScaleToZero"}
	// ScalingTolerances: the behaviour that older versions of an autoscaler have in an annotation has tolerances,
	// null where there is none (pkg/apis/autoscaling/types.go).
	ScalingTolerances = Feature{since: 33}
	// ScheduleZoneRefused: the schedule of a new CronJob may have no time zone.
	ScheduleZoneRefused = Feature{since: 29}
	// ScheduleZoneWarnings: a schedule with a time zone is warned of.
	ScheduleZoneWarnings = Feature{since: 22}
	// ShortVolumeErrors: an error of an attachment is said to be too long by its own limit
	// (pkg/apis/storage/validation/validation.go).
	ShortVolumeErrors = Feature{since: 37}
	// SetItemWarnings: sets of lists and of objects in the schemas of a CustomResourceDefinition are warned
	// of (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go).
	SetItemWarnings = Feature{since: 37}
	// SliceAddressesAsElsewhere: addresses of EndpointSlices are checked like those of other kinds.
	SliceAddressesAsElsewhere = Feature{since: 33}
	// SpreadSelectsOwnLabels: matchLabelKeys of a spread constraint become part of its selector
	// (KEP-3243).
	SpreadSelectsOwnLabels = Feature{since: 34}
	// StatefulSetClaimRetentionMutable: persistentVolumeClaimRetentionPolicy may be updated.
	StatefulSetClaimRetentionMutable = Feature{since: 23}
	// StatefulSetFieldsNamed: each field of a StatefulSet that may not change is named.
	StatefulSetFieldsNamed = Feature{since: 37}
	// StatefulSetHistoryLimitMutable: revisionHistoryLimit may be updated.
	StatefulSetHistoryLimitMutable = Feature{since: 33}
	// StatefulSetMinReadySecondsMutable: the message about other updates names minReadySeconds.
	StatefulSetMinReadySecondsMutable = Feature{since: 22}
	// StatefulSetOrdinalsMutable: the message about other updates names ordinals.
	StatefulSetOrdinalsMutable = Feature{since: 26}
	// StatefulSetPodsChecked: the pods and claims of a StatefulSet are checked, and not only the
	// metadata of its template (pkg/apis/apps/validation/validation.go).
	StatefulSetPodsChecked = Feature{since: 34}
	// StatefulSetServiceNameChecked: serviceName of a new StatefulSet has to be a DNS label.
	StatefulSetServiceNameChecked = Feature{since: 33}
	// StaticNamesRefused: with manifest-based admission control, names that only configurations from
	// files may have are refused.
	StaticNamesRefused = Feature{since: 99, gate: "ManifestBasedAdmissionControlConfig"}
	// StaticNamesReserved: names that only configurations from files may have are warned of
	// (pkg/apis/admissionregistration/validation/static_suffix.go, KEP-5793).
	StaticNamesReserved = Feature{since: 36}
	// StorageClassImmutableWords: what a StorageClass may not change is refused in the usual words.
	StorageClassImmutableWords = Feature{since: 36}
	// StoredDeviceExpressionsHold: expressions about devices that stay are not compiled.
	StoredDeviceExpressionsHold = Feature{since: 37}
	// StrictAddresses: addresses in old fields may have no leading zeros (gate
	// StrictIPCIDRValidation, KEP-4858).
	StrictAddresses = Feature{since: 36, gate: "StrictIPCIDRValidation"}
	// SuspendedJobResources: a suspended Job without pods may get other resources, even one that ran
	// (KEP-5440).
	SuspendedJobResources = Feature{since: 36}
	// SysAdminExcused: a template that had CAP_SYS_ADMIN may keep it when it gives up privilege escalation.
	SysAdminExcused = Feature{since: 37}
	// TaintTimeFollowsEffect: a DeviceTaintRule whose effect is changed has its taint from then on
	// (pkg/registry/resource/devicetaintrule/strategy.go).
	TaintTimeFollowsEffect = Feature{since: 36}
	// TerseDetails: details of errors do not say again which field they are about. They differ from
	// file to file of pkg/apis and of kubernetes/apiextensions-apiserver:pkg/apis.
	TerseDetails = Feature{since: 34}
	// TokenSecretWarnings: a CSIDriver that gets tokens in another place than secrets is warned of
	// (KEP-5538).
	TokenSecretWarnings = Feature{since: 35}
	// UnknownFormatWarnings: unknown formats in the schemas of a CustomResourceDefinition are warned of.
	UnknownFormatWarnings = Feature{since: 34}
	// UserNamespaceDevicesRefused: pods with users of their own have no volume devices.
	UserNamespaceDevicesRefused = Feature{since: 34}
	// VolumeAttributesByStatus: the class of a claim may be taken away while its status names none.
	VolumeAttributesByStatus = Feature{since: 34}
	// VolumeAttributesQuotaScope: quotas may have the scope VolumeAttributesClass (KEP-3751).
	VolumeAttributesQuotaScope = Feature{since: 33}
	// WarnsOfReviewRules: rules of webhooks that name resources which no webhook sees are warned of
	// (pkg/apis/admissionregistration/validation/warnings.go).
	WarnsOfReviewRules = Feature{since: 37, gate: "ExcludeAdmissionWebhookVirtualResources"}
	// ZeroSleep: a sleep of a lifecycle hook may be zero (KEP-4818).
	ZeroSleep = Feature{since: 33}
	// ZeroSleepHint: the message about a zero sleep names the gate for it.
	ZeroSleepHint = Feature{since: 32}
)
