package kubeversion

// How the server validates objects, sets their defaults and warns about them. The files named are those of
// kubernetes/kubernetes unless they say otherwise. A feature without a file is in the validation.go of its API group, below
// pkg/apis.
var (
	// AddedConvertersDropped: while the gate CustomResourceWebhookConversion is off, an update cannot add a webhook to a
	// definition (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go).
	AddedConvertersDropped = Feature{since: 14}
	// AddressesExplained: errors about addresses in pods, and about addresses and ranges of network policies and load
	// balancers, say what they have to be, and all of the exceptions of a range are checked
	// (pkg/apis/networking/validation/validation.go, pkg/apis/core/validation/validation.go).
	AddressesExplained = Feature{since: 30}
	// AddressesKept: an update may keep invalid addresses and ranges of the old object (KEP-4858).
	AddressesKept = Feature{since: 33}
	// AddressesMappedFirst: while the gate DisableAllocatorDualWrite is off, a service gets an address that is free in the map
	// of releases without IPAddresses, and no other (pkg/registry/core/service/ipallocator/cidrallocator.go).
	AddressesMappedFirst = Feature{since: 33}
	// AddressesOfBothFamilies: errors about addresses give an example of each family
	// (kubernetes/apimachinery:pkg/util/validation/validation.go).
	AddressesOfBothFamilies = Feature{since: 20}
	// AddressObjects: each address of a service has an IPAddress, which is written first (KEP-1880).
	AddressObjects = Feature{since: 33, gate: "MultiCIDRServiceAllocator"}
	// AddressObjectsBeta: the server writes them as networking.k8s.io/v1beta1; before, as v1alpha1.
	AddressObjectsBeta = Feature{since: 31}
	// AddressObjectsStable: it writes them as networking.k8s.io/v1.
	AddressObjectsStable = Feature{since: 33}
	// AddressWarnings: unusual IP addresses of pods and load balancers cause warnings (pkg/api/pod/warnings.go).
	AddressWarnings = Feature{since: 33}
	// AllocatableClaimsMapped: what claims take of the resources of a node is given as mapping and overhead, and pods
	// with such claims can be resized (KEP-5517).
	AllocatableClaimsMapped = Feature{since: 37}
	// AllocatedTolerationsChecked: the tolerations of devices allocated for a claim are checked.
	AllocatedTolerationsChecked = Feature{since: 37}
	// AllocationsOfDrivers: a ResourceClaim may be allocated by several drivers, each with its own data, once and for all.
	// Before, it has the data of one driver, which may change (resource.k8s.io/v1alpha1).
	AllocationsOfDrivers = Feature{since: 27}
	// AllocationsRefused: a service for which no address can be allocated is invalid, whether it requests one or not,
	// unless no address is left (pkg/registry/core/service/storage/alloc.go).
	AllocationsRefused = Feature{since: 35}
	// AllocationsReverted: a new IPAddress is not repaired yet if its allocation may still be reverted
	// (pkg/registry/core/service/ipallocator/controller/repairip.go).
	AllocationsReverted = Feature{since: 33}
	// AllocationsWorded: errors about the allocation of a requested address of a service are worded in good English
	// (pkg/registry/core/service/storage/rest.go).
	AllocationsWorded = Feature{since: 22}
	// AnyDataSource: the two fields for the content of a new claim have the same value (KEP-1495).
	AnyDataSource = Feature{since: 24, gate: "AnyVolumeDataSource"}
	// AppArmorAnnotationsGone: an AppArmor profile in a field is no longer copied into an annotation
	// (pkg/registry/core/pod/strategy.go).
	AppArmorAnnotationsGone = Feature{since: 34}
	// AppArmorFields: AppArmor profiles are fields; annotations that stand for them are deprecated (KEP-24).
	AppArmorFields = Feature{since: 30, gate: "AppArmorFields"}
	// AppsBeforeExtensions: the server registers kinds of apps for the group apps first, as before
	// [ExtensionsBeforeApps].
	AppsBeforeExtensions = Feature{since: 27}
	// AttachersChecked: the names of the driver and the volume of a VolumeAttachment are always checked. Before, they were
	// only checked on a create in v1, and a missing driver was reported twice (pkg/apis/storage/validation/validation.go).
	AttachersChecked = Feature{since: 36}
	// AttachmentsCheckedOnce: an update of a VolumeAttachment or VolumeAttributesClass checks the new object once.
	AttachmentsCheckedOnce = Feature{since: 35}
	// AttachmentStatusApart: VolumeAttachments of v1beta1 no longer get their status from a create, or from an update of
	// more than the status (pkg/registry/storage/volumeattachment/strategy.go).
	AttachmentStatusApart = Feature{since: 23}
	// AttributesClassesCheckedTwice: an update of a VolumeAttributesClass checks the new object twice
	// (kubernetes/kubernetes@v1.30.14:pkg/apis/storage/validation/validation.go).
	AttributesClassesCheckedTwice = Feature{since: 30}
	// AutoscalerGenerations: autoscalers have a generation.
	AutoscalerGenerations = Feature{since: 37, gate: "HPAGeneration"}
	// BalancerPortsOptional: a service says whether its load balancer needs node ports (KEP-1864).
	BalancerPortsOptional = Feature{since: 22, gate: "ServiceLBNodePortControl"}
	// BalancersMixProtocols: the ports of a load balancer may have different protocols (KEP-1435).
	BalancersMixProtocols = Feature{since: 24, gate: "MixedProtocolLBService"}
	// BalancerStatusOfBalancers: only a service of type LoadBalancer may have addresses in its status, unless the gate
	// AllowServiceLBStatusOnNonLB is on (pkg/apis/core/validation/validation.go).
	BalancerStatusOfBalancers = Feature{since: 29}
	// BudgetsPreparedForV1beta1: the label that marks empty selectors of budgets in v1beta1 is removed from other
	// budgets after the mutating phase (pkg/registry/policy/poddisruptionbudget/strategy.go).
	BudgetsPreparedForV1beta1 = Feature{since: 37}
	// BudgetStatusApart: an update of a PodDisruptionBudget does not check its status, and an update of the status does
	// (pkg/registry/policy/poddisruptionbudget/strategy.go).
	BudgetStatusApart = Feature{since: 21}
	// BytesInDetails: lengths are given in bytes, not in characters.
	BytesInDetails = Feature{since: 35}
	// CapacityRangesGuarded: the range of a device's capacity may have no step that is not positive, and no numbers
	// beyond 64 bits; errors about the default are about the default; and unchanged fields are not checked
	// (pkg/apis/resource/validation/validation.go).
	CapacityRangesGuarded = Feature{since: 37}
	// CertificateConditions: the conditions and certificates of certificate requests are checked
	// (pkg/apis/certificates/validation/validation.go).
	CertificateConditions = Feature{since: 19}
	// ChangedCSIDriversChecked: an update of a CSIDriver checks all of its new spec, and its storageCapacity may change
	// (pkg/apis/storage/validation/validation.go).
	ChangedCSIDriversChecked = Feature{since: 23}
	// ChangedGenerationsChecked: the metadata of an update is not only checked as a whole, but also its change, for a
	// generation below zero (kubernetes/apimachinery:pkg/api/validation/objectmeta.go).
	ChangedGenerationsChecked = Feature{since: 37}
	// ClaimAttributesBound: only a bound claim may change its class of volume attributes.
	ClaimAttributesBound = Feature{since: 31}
	// ClaimAttributesNamed: the message about other updates of a claim names volumeAttributesClassName
	// (pkg/apis/core/validation/validation.go).
	ClaimAttributesNamed = Feature{since: 29}
	// ClaimFieldsDroppedFirst: fields of a claim behind gates that are off are dropped first from its spec, whatever its
	// status has, then from its status, and then the status of devices that are no longer allocated. The time of an
	// allocation is always kept (pkg/registry/resource/resourceclaim/strategy.go).
	ClaimFieldsDroppedFirst = Feature{since: 35}
	// ClaimsCheckedOnce: an update of a PersistentVolumeClaim checks the new object once.
	ClaimsCheckedOnce = Feature{since: 35}
	// ClaimsGrow: claims may grow regardless of the gate ExpandPersistentVolumes
	// (pkg/apis/core/validation/validation.go).
	ClaimsGrow = Feature{since: 24}
	// ClaimsKeptAsTheyAre: for an update of a ResourceClaim or its template only errors about changes are reported, and
	// a request with two forms is checked in neither (pkg/apis/resource/validation/validation.go).
	ClaimsKeptAsTheyAre = Feature{since: 35}
	// ClaimSpecShown: the fields of a claim and the source of a volume, which must not change, are shown.
	ClaimSpecShown = Feature{since: 19}
	// ClaimStatusesKept: an update of a pod's status without the statuses of claims keeps these.
	ClaimStatusesKept = Feature{since: 37}
	// ClaimStatusesSpelled: errors about allocatedResourceStatuses of a claim spell it correctly.
	ClaimStatusesSpelled = Feature{since: 34}
	// ClaimStatusNamePath: the error about the name of the ResourceClaim in a pod's status is about resourceClaimName,
	// not about name.
	ClaimStatusNamePath = Feature{since: 36}
	// ClaimsWithoutSource: the fields of a pod's claim are in the claim itself (CV-09).
	ClaimsWithoutSource = Feature{since: 31}
	// ClaimTemplatesTyped: the claim templates of a StatefulSet have a kind and an apiVersion (pkg/apis/apps/v1/conversion.go).
	ClaimTemplatesTyped = Feature{since: 17}
	// ClassesSetLater: a claim without a class may get one in an update (KEP-3333).
	ClassesSetLater = Feature{since: 28, gate: "RetroactiveDefaultStorageClass"}
	// ClasslessRequestsBare: a request for devices in v1beta1 that names no class has alternatives instead, and gets no
	// defaults of its own (pkg/apis/resource/v1beta1/defaults.go).
	ClasslessRequestsBare = Feature{since: 33}
	// ClusterEventsInDefault: an event with an eventTime about an object without a namespace may be in the namespace default
	// (pkg/apis/core/validation/events.go).
	ClusterEventsInDefault = Feature{since: 20}
	// ClusterNameDeprecated: metadata.clusterName has another name in Go, which messages show
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	ClusterNameDeprecated = Feature{since: 24}
	// CommonStartsElided: a difference that is not made by go-cmp leaves out what both values begin with
	// (kubernetes/apimachinery:pkg/util/diff/diff.go).
	CommonStartsElided = Feature{since: 11}
	// ConditionsDeclared: empty types and statuses of conditions are missing, not invalid, and an error about two
	// conditions with the same type is about the second condition, not about its type
	// (kubernetes/apimachinery:pkg/apis/meta/v1/validation/validation.go).
	ConditionsDeclared = Feature{since: 37}
	// ConditionStatusShown: the error about the status of a StorageVersion's condition shows the status, not its type
	// (pkg/apis/apiserverinternal/validation/validation.go).
	ConditionStatusShown = Feature{since: 25}
	// ConditionTextsPlainlyRequired: the condition of a StorageVersion without a reason or message is a plain error.
	ConditionTextsPlainlyRequired = Feature{since: 34}
	// ContainerClaimsResizable: containers that use claims can be resized.
	ContainerClaimsResizable = Feature{since: 37}
	// ContainerMetrics: autoscalers may use the resources of single containers (KEP-1610). Before, the error about a missing
	// source was about its type in lower case (pkg/apis/autoscaling/validation/validation.go).
	ContainerMetrics = Feature{since: 20}
	// ContainerRestartPolicy: every container may have a restart policy and rules for it (KEP-5307).
	ContainerRestartPolicy = Feature{since: 34}
	// ContainersCheckedApart: init and ephemeral containers are not checked as if they were regular ones before their own
	// rules apply (pkg/apis/core/validation/validation.go).
	ContainersCheckedApart = Feature{since: 25}
	// ConvertedKindNamed: errors about the conversion by a webhook name the kind of the object; before, they showed all of
	// it. Reviews may be of v1 (kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go).
	ConvertedKindNamed = Feature{since: 16}
	// ConvertedMetadataKept: the conversion by a webhook changes no metadata except for labels and annotations; and its
	// errors show the object (kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go).
	ConvertedMetadataKept = Feature{since: 15}
	// CountersApart: the counters that devices consume are in other ResourceSlices than the devices, and there are limits
	// for each list of them. Before, they had to be in the same slice (pkg/apis/resource/validation/validation.go).
	CountersApart = Feature{since: 35}
	// CrossNamespaceQuotaScope: quotas may have the scope CrossNamespacePodAffinity without a gate
	// (KEP-2249).
	CrossNamespaceQuotaScope = Feature{since: 24}
	// CSICapacitiesCheckedOnce: a create checks a CSIStorageCapacity once (pkg/registry/storage/csistoragecapacity/strategy.go).
	CSICapacitiesCheckedOnce = Feature{since: 28}
	// CSIDriverPoliciesMutable: fsGroupPolicy and podInfoOnMount of a CSIDriver may change
	// (pkg/apis/storage/validation/validation.go).
	CSIDriverPoliciesMutable = Feature{since: 30}
	// CSIDriversCheckedOnce: an update of a CSIDriver does not check the new object twice, and its metadata is checked like
	// that of other kinds. Before, its name was checked as that of a driver, in the field name
	// (pkg/registry/storage/csidriver/strategy.go, pkg/apis/storage/validation/validation.go).
	CSIDriversCheckedOnce = Feature{since: 20}
	// CSIDriversCreatedOnce: a create checks a CSIDriver once (pkg/registry/storage/csidriver/strategy.go).
	CSIDriversCreatedOnce = Feature{since: 21}
	// CSIDriversMutable: some fields of a CSIDriver's spec may change (pkg/apis/storage/validation/validation.go).
	CSIDriversMutable = Feature{since: 21}
	// CSINodeDriversPath: errors about changed drivers of a CSINode have a path instead of the name of a type.
	CSINodeDriversPath = Feature{since: 33}
	// CSINodesCheckedOnce: an update of a CSINode checks the new object once.
	CSINodesCheckedOnce = Feature{since: 36}
	// CSINodesCreatedOnce: a create checks a CSINode once (pkg/registry/storage/csinode/strategy.go).
	CSINodesCreatedOnce = Feature{since: 21}
	// CSISecretPaths: errors about the secrets of a CSI volume say which reference they are about.
	CSISecretPaths = Feature{since: 25}
	// CSISecretSubdomains: the names of the secrets of a CSI volume may contain dots.
	CSISecretSubdomains = Feature{since: 27}
	// CustomErrorsByField: there is an error for each field of a custom resource that does not match the schema (ER-08).
	CustomErrorsByField = Feature{since: 16}
	// CustomErrorsTyped: errors about a custom resource say if it has a value of a wrong type, or one that is too long, or
	// how many properties it has (ER-08b).
	CustomErrorsTyped = Feature{since: 24}
	// CustomStatusAlone: an update of the status of a custom resource checks nothing else against the schema
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresource/validator.go).
	CustomStatusAlone = Feature{since: 28}
	// CustomStatusPath: errors about the status of a custom resource have the full path.
	CustomStatusPath = Feature{since: 31}
	// CustomStatusRatcheting: errors that a custom resource had before an update of its status are ignored (KEP-4008).
	CustomStatusRatcheting = Feature{since: 33}
	// CustomValuesShown: errors about a custom resource quote its values, not what the schema allows (ER-08b).
	CustomValuesShown = Feature{since: 20}
	// DaemonSetSurge: a DaemonSet may replace a pod after it has started the new one (KEP-1591).
	DaemonSetSurge = Feature{since: 22, gate: "DaemonSetUpdateSurge"}
	// DataSourceGroupsChecked: the group of the data source of a claim is checked.
	DataSourceGroupsChecked = Feature{since: 29}
	// DataSourceKindExplained: the error about the kind of a data source without a group says which kind it must have.
	DataSourceKindExplained = Feature{since: 26}
	// DataSourceKindsOpen: the data source of a claim may be of any kind, except in the core group.
	DataSourceKindsOpen = Feature{since: 18}
	// DataSourceRefsApart: the dataSourceRef of a claim has a type of its own, which differences between claims show
	// (ER-07).
	DataSourceRefsApart = Feature{since: 26}
	// DataSourcesByKind: there is a gate for each of the kinds that the server knows, PersistentVolumeClaim and
	// VolumeSnapshot, and other data sources are dropped (pkg/api/persistentvolumeclaim/util.go).
	DataSourcesByKind = Feature{since: 15}
	// DeclaredErrors: more rules are declared with the types instead of being written by hand, and they are enforced:
	// their errors replace those of the handwritten rules, and every error is reported once (KEP-5073;
	// kubernetes/apiserver:pkg/registry/rest/validate.go).
	DeclaredErrors = Feature{since: 37}
	// DeclaredLengthsInCharacters: declared rules limit the length of a text in characters; before, they counted bytes
	// (k8s.io/apimachinery/pkg/api/validate/limits.go, MaxLength).
	DeclaredLengthsInCharacters = Feature{since: 36}
	// DeclaredListsChecked: declared rules check that the keys of the items in a list are unique, and errors about members
	// in a list name this list as in JSON, not as in Go
	// (kubernetes/kubernetes@v1.35.4:pkg/apis/certificates/v1/zz_generated.validations.go).
	DeclaredListsChecked = Feature{since: 35}
	// DeclaredNamesChecked: metadata.name is checked by declared rules, which do not consider generateName (KEP-5073).
	DeclaredNamesChecked = Feature{since: 35}
	// DeclaredUnchangedKept: declared rules do not check what an update leaves unchanged
	// (kubernetes/kubernetes@v1.34.2:pkg/apis/core/v1/zz_generated.validations.go).
	DeclaredUnchangedKept = Feature{since: 34}
	// DefaultRulesTyped: the rules for a default in the schema of a CustomResourceDefinition are compiled for values of that
	// schema. Before, these were taken for whole resources (W-353a).
	DefaultRulesTyped = Feature{since: 25}
	// DefaultsOfV1Named: the error about a default in a definition of v1beta1 says that v1 may have it (CRD-01).
	DefaultsOfV1Named = Feature{since: 19}
	// DefinitionBundlesChecked: the CA bundle for the conversion of custom resources is checked
	// (kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go).
	DefinitionBundlesChecked = Feature{since: 31}
	// DefinitionsV1: CustomResourceDefinitions have version v1, with schemas of which more is required (CRD-01).
	DefinitionsV1 = Feature{since: 16}
	// DeletionCostsChecked: the annotation controller.kubernetes.io/pod-deletion-cost has to be a number.
	DeletionCostsChecked = Feature{since: 21, gate: "PodDeletionCost"}
	// DeviceClassesCheckedOnce: an update of a DeviceClass checks the new object once
	// (pkg/registry/resource/deviceclass/strategy.go).
	DeviceClassesCheckedOnce = Feature{since: 35}
	// DeviceErrorsDeclared: errors about devices are those that their types declare
	// (pkg/apis/resource/validation/validation.go).
	DeviceErrorsDeclared = Feature{since: 35}
	// DeviceIDsShown: messages show the names that identify a device, not only that there are some
	// (kubernetes/dynamic-resource-allocation:api/uniquestring.go).
	DeviceIDsShown = Feature{since: 35}
	// DeviceKeysAtMap: errors about a key in a map of a device are about the map, not about its value of that key
	// (pkg/apis/resource/validation/validation.go, validateMap).
	DeviceKeysAtMap = Feature{since: 36}
	// DeviceListsCutShort: the items of lists about devices are not checked if the list is too long
	// (pkg/apis/resource/validation/validation.go).
	DeviceListsCutShort = Feature{since: 35}
	// DevicesInBeta: claims for devices have the rules of v1beta1. Expressions and parameters have limits, an allocation is
	// only checked when it is added, errors have other words (VA-29), and no controllers allocate devices (VA-29b).
	DevicesInBeta = Feature{since: 32}
	// DeviceTaintsKept: a device may have 16 taints instead of 4, and taints that an update leaves as they are, or their
	// effect in a DeviceTaintRule, are not checked again (pkg/apis/resource/validation/validation.go).
	DeviceTaintsKept = Feature{since: 35}
	// DeviceTaintsWithoutEffect: the effect of a taint of a device, or of its toleration, may be None
	// (pkg/apis/resource/validation/validation.go).
	DeviceTaintsWithoutEffect = Feature{since: 35}
	// DeviceTypesAsV1: the internal types of claims and slices have the shape of v1. Before, they had that of v1beta1: a
	// request has no alternatives and its fields are next to its name, and those of a device are below basic
	// (pkg/apis/resource/types.go).
	DeviceTypesAsV1 = Feature{since: 33}
	// DifferencesByGoCmp: the differences in errors are made by go-cmp. Before, they were the JSON of both values, with the
	// beginning that they share only once (ER-07).
	DifferencesByGoCmp = Feature{since: 15}
	// DifferencesByGoCmp04: go-cmp has version 0.4.0.
	DifferencesByGoCmp04 = Feature{since: 19}
	// DifferencesByGoCmp055: go-cmp has version 0.5.5.
	DifferencesByGoCmp055 = Feature{since: 21}
	// DifferencesByGoCmp058: go-cmp has version 0.5.8.
	DifferencesByGoCmp058 = Feature{since: 25}
	// DifferencesByGoCmp059: go-cmp has version 0.5.9 or a later one.
	DifferencesByGoCmp059 = Feature{since: 26}
	// DifferencesFromOld: these differences go from the old value to the new one. Before, it was the other way
	// round for pods, volumes and claims (ER-07).
	DifferencesFromOld = Feature{since: 24}
	// DifferencesShortened: these differences leave out parts of what is equal (go-cmp 0.5.2).
	DifferencesShortened = Feature{since: 20}
	// DisabledDataSourcesDropped: while the gate is off, the data source of a claim is dropped instead of being an error.
	DisabledDataSourcesDropped = Feature{since: 14}
	// DisabledExpansionDropped: while the gate ExpandPersistentVolumes is off, allowVolumeExpansion of a class is
	// dropped instead of being an error (pkg/apis/storage/util/util.go).
	DisabledExpansionDropped = Feature{since: 14}
	// DisruptionsAllowedInGo: the field of v1beta1 has that name in Go, too (k8s.io/api/policy/v1beta1).
	DisruptionsAllowedInGo = Feature{since: 18}
	// DisruptionsAllowedNamed: errors name the disruptionsAllowed of a PodDisruptionBudget correctly
	// (pkg/apis/policy/validation/validation.go).
	DisruptionsAllowedNamed = Feature{since: 17}
	// DotsNamed: the error about dots in a DNS label says so, instead of describing labels
	// (kubernetes/apimachinery:pkg/util/validation/validation.go).
	DotsNamed = Feature{since: 27}
	// DriverCaseWarnings: upper-case letters in the driver of a ResourceSlice cause a warning
	// (pkg/registry/resource/resourceslice/strategy.go).
	DriverCaseWarnings = Feature{since: 35}
	// DriverGenerationOfSpec: every change of a CSIDriver's spec increments its generation.
	DriverGenerationOfSpec = Feature{since: 30}
	// DualStack: a service has address families, and may have an address of each (KEP-563).
	DualStack = Feature{since: 21, gate: "IPv6DualStack"}
	// DuplicatePortNameWarnings: two ports of a pod with the same name cause a warning.
	DuplicatePortNameWarnings = Feature{since: 33}
	// DuplicatePortWarnings: two containers of a pod with the same port cause a warning.
	DuplicatePortWarnings = Feature{since: 28}
	// ElasticJobs: the completions of an indexed job may change together with its parallelism (KEP-3715).
	ElasticJobs = Feature{since: 27, gate: "ElasticIndexedJob"}
	// ElementsIndexed: errors about elements of lists in custom resources have their indexes (ER-08b).
	ElementsIndexed = Feature{since: 24}
	// EmbeddedRulesKnowNames: the rules of an embedded resource see the fields that every resource has, when they are written.
	EmbeddedRulesKnowNames = Feature{since: 25}
	// EmbeddedStructsNamed: decoding errors name embedded Go structs (sigs.k8s.io/json).
	EmbeddedStructsNamed = Feature{since: 35}
	// EmptyPodResourcesIgnored: empty resources of a pod as a whole do not determine its QoS class.
	EmptyPodResourcesIgnored = Feature{since: 37, gate: "PodLevelResourcesFixKubeletQOSClass"}
	// EndlessDeadlines: the default of progressDeadlineSeconds of a Deployment in extensions/v1beta1 is the largest number
	// (pkg/apis/extensions/v1beta1/defaults.go).
	EndlessDeadlines = Feature{since: 11}
	// EndlessHistory: the same for its revisionHistoryLimit.
	EndlessHistory = Feature{since: 13}
	// EndpointsCheckedOnce: an update of Endpoints checks their addresses once (pkg/registry/core/endpoint/strategy.go).
	EndpointsCheckedOnce = Feature{since: 18}
	// EndpointsKept: an update of Endpoints may keep invalid addresses (pkg/apis/core/validation/validation.go).
	EndpointsKept = Feature{since: 33}
	// EndPortShown: the error about an endPort that is too low shows endPort, not port.
	EndPortShown = Feature{since: 37}
	// EnvFileSourceNamed: messages list fileKeyRef among the sources of environment variables (KEP-3721).
	EnvFileSourceNamed = Feature{since: 35, gate: "EnvFiles"}
	// EphemeralSecurityContexts: an ephemeral container may have a securityContext.
	EphemeralSecurityContexts = Feature{since: 22}
	// EphemeralSubPathsRefused: an ephemeral container may not mount a part of a volume (pkg/apis/core/validation/validation.go).
	EphemeralSubPathsRefused = Feature{since: 23}
	// EphemeralVolumeDevices: an ephemeral container may have volumeDevices.
	EphemeralVolumeDevices = Feature{since: 23}
	// EphemeralVolumesGated: a PodSecurityPolicy may name ephemeral volumes only if their gate is on
	// (pkg/registry/policy/podsecuritypolicy/strategy.go).
	EphemeralVolumesGated = Feature{since: 21}
	// EventFieldsOfVersion: errors about the reporting controller of an event use its name in v1, which is
	// reportingComponent (pkg/apis/core/validation/events.go).
	EventFieldsOfVersion = Feature{since: 25}
	// EventInstanceSpelled: the error about a long reportingInstance of an event spells it correctly
	// (pkg/apis/core/validation/events.go).
	EventInstanceSpelled = Feature{since: 16}
	// EventNamespaceOnce: a wrong namespace of an event is reported once, for its metadata.
	EventNamespaceOnce = Feature{since: 37}
	// EventNamesValid: an event about an object whose name no event can begin with, such as an IPv6 address, is named by a
	// UUID (kubernetes/client-go:tools/record/util/util.go).
	EventNamesValid = Feature{since: 33}
	// EventUpdatesCompared: an updated event is compared with the stored one. Before, it was compared with itself by
	// mistake, so anything could change (pkg/registry/core/event/strategy.go).
	EventUpdatesCompared = Feature{since: 24}
	// ExceptionsSmaller: an exception of a range of a NetworkPolicy must be smaller than the range, and not only begin
	// within it (pkg/apis/networking/validation/validation.go).
	ExceptionsSmaller = Feature{since: 18}
	// ExclusiveConditionsPath: the error that Approved and Denied exclude each other is about the conditions, not about
	// a type (pkg/apis/certificates/validation/validation.go).
	ExclusiveConditionsPath = Feature{since: 34}
	// ExemptLevelsShare: exempt priority levels have shares, which may be changed (KEP-1040).
	ExemptLevelsShare = Feature{since: 28}
	// ExpandedSearches: the DNS of a pod may have 32 search paths of 2,048 characters, not 6 of 256 (KEP-2595).
	ExpandedSearches = Feature{since: 26, gate: "ExpandedDNSConfig"}
	// ExpansionsRecoverable: a claim whose status says that it is being expanded is treated as if the gate
	// RecoverVolumeExpansionFailure were on.
	ExpansionsRecoverable = Feature{since: 28}
	// ExtensionsBeforeApps: the server registers kinds of apps for the group extensions first, and errors name that group
	// (VA-03f). This was so in one release, in which core/v1 did not import pkg/features. Go initializes packages in the order
	// of their paths unless imports say otherwise, and apps/v1 imports pkg/features.
	ExtensionsBeforeApps = Feature{since: 26}
	// ExtensionsBeforeNetworking: the server registers kinds of networking for the group extensions first, and errors name
	// that group (VA-03f). Servers are built with Go 1.13, which initializes packages in another order.
	ExtensionsBeforeNetworking = Feature{since: 16}
	// ExternalIPsDeprecated: externalIPs of a Service cause a warning (KEP-5707).
	ExternalIPsDeprecated = Feature{since: 36}
	// ExternalIPsHavePolicies: services with externalIPs have an externalTrafficPolicy, whatever their type.
	ExternalIPsHavePolicies = Feature{since: 29}
	// ExternalNamesGetAddresses: an IPAddress of a service of type ExternalName is not repaired yet, because the service may
	// be about to get another type (pkg/registry/core/service/ipallocator/controller/repairip.go).
	ExternalNamesGetAddresses = Feature{since: 36}
	// ExternalTrafficAtOnce: what externalTrafficPolicy and healthCheckNodePort of a service mean together is checked with
	// everything else, not afterwards (pkg/registry/core/service/storage/rest.go).
	ExternalTrafficAtOnce = Feature{since: 23}
	// FamiliesSuffice: two equal addresses of a pod, or ranges of a node, are only reported as two of one family.
	FamiliesSuffice = Feature{since: 33}
	// FamilyPoliciesInferred: that a service has two families is only noticed when it gets its addresses. Before, it had a
	// default (pkg/apis/core/v1/defaults.go).
	FamilyPoliciesInferred = Feature{since: 21}
	// FormatsOfAllTypes: unknown formats in schemas cause warnings for all types, not only for strings.
	FormatsOfAllTypes = Feature{since: 36}
	// FullRangesNameServices: the error that no address is left for a service names the service.
	FullRangesNameServices = Feature{since: 36}
	// GatedPodTransitionTime: the condition of a pod with scheduling gates has a time.
	GatedPodTransitionTime = Feature{since: 31}
	// GitRepoDisabled: the warning about gitRepo volumes says that they are off by default.
	GitRepoDisabled = Feature{since: 33}
	// GivenQOSClasses: a new pod keeps the QoS class in its status, whatever its resources
	// (pkg/apis/core/helper/qos/qos.go).
	GivenQOSClasses = Feature{since: 29}
	// GoNamesLinted: the field of a node's former name has no underscore in Go (k8s.io/api/core/v1).
	GoNamesLinted = Feature{since: 17}
	// GroupsOfKinds: errors about an object name the group of its kind. Before, it was the group for which the server
	// registered the internal type first, which depended on how Go sorted packages (VA-03f;
	// kubernetes/apiserver:pkg/registry/rest/create.go).
	GroupsOfKinds = Feature{since: 26}
	// HeadlessWarnings: fields that a headless Service ignores cause warnings (pkg/api/service/warnings.go).
	HeadlessWarnings = Feature{since: 34}
	// HealthOfClaims: the status of a container may have the health of resources that a claim allocated to it
	// (pkg/apis/core/validation/validation.go).
	HealthOfClaims = Feature{since: 32}
	// HealthStatusesKept: a pod whose status has the health of resources keeps it while the gate ResourceHealthStatus is
	// off (pkg/api/pod/util.go).
	HealthStatusesKept = Feature{since: 36}
	// HistoryLimitWarnings: a negative revisionHistoryLimit of a StatefulSet causes a warning.
	HistoryLimitWarnings = Feature{since: 33}
	// HostAliasesCounted: errors about a host alias in a pod say which one it is (pkg/apis/core/validation/validation.go).
	HostAliasesCounted = Feature{since: 30}
	// HostnameWarnings: names of pods and their owners that are not DNS labels cause warnings.
	HostnameWarnings = Feature{since: 27}
	// HostPortsInPodsOnly: in a pod template with hostNetwork, host ports are not set (pkg/apis/core/v1/defaults.go).
	HostPortsInPodsOnly = Feature{since: 28}
	// HostProcesses: containers may be processes of a Windows host.
	HostProcesses = Feature{since: 23, gate: "WindowsHostProcessContainers"}
	// HostsSpecified: the error about a webhook's URL without a host says "specified", not "provided"
	// (kubernetes/apiserver:pkg/util/webhook/validation.go).
	HostsSpecified = Feature{since: 26}
	// HugePagesListed: the error about a pod with huge pages of several sizes shows a list, not a set
	// (pkg/apis/core/validation/validation.go).
	HugePagesListed = Feature{since: 18}
	// HugePagesWhole: amounts of huge pages have to be whole pages (pkg/apis/core/validation/validation.go).
	HugePagesWhole = Feature{since: 21}
	// ImageReferencesInTemplates: pod templates have to name the images of volumes, too.
	ImageReferencesInTemplates = Feature{since: 37}
	// ImageVolumes: pods may have image volumes (KEP-4639).
	ImageVolumes = Feature{since: 31}
	// InfeasibleResizes: a resize of a claim is infeasible. Before, it failed.
	InfeasibleResizes = Feature{since: 31}
	// IngressClassReferences: the reference to the parameters of an IngressClass has a Go type of its own
	// (k8s.io/api/networking/v1).
	IngressClassReferences = Feature{since: 21}
	// IngressClassScopes: the parameters of an IngressClass have a scope (KEP-2365).
	IngressClassScopes = Feature{since: 21, gate: "IngressClassNamespacedParams"}
	// IngressClassTwice: an ingress may name its class in an annotation, too, if it is the same
	// (pkg/apis/networking/validation/validation.go).
	IngressClassTwice = Feature{since: 27}
	// IngressesCheckedOnce: an update of an Ingress checks the new object once (pkg/registry/networking/ingress/strategy.go).
	IngressesCheckedOnce = Feature{since: 18}
	// IngressPathTypes: the paths of an ingress have types, and are no regular expressions (KEP-1453).
	IngressPathTypes = Feature{since: 18}
	// IngressRulesIndexed: errors about an ingress say which rule they are about; its backends may be resources
	// (pkg/apis/networking/validation/validation.go).
	IngressRulesIndexed = Feature{since: 19}
	// InitContainerAnnotationsSeen: mutating webhooks see the old annotations for init containers.
	InitContainerAnnotationsSeen = Feature{since: 37}
	// InitContainerResizeNamed: the message about a resize mentions init containers, too.
	InitContainerResizeNamed = Feature{since: 36}
	// InitContainersHaveQOS: the QoS class of a pod also depends on its init containers
	// (pkg/apis/core/helper/qos/qos.go).
	InitContainersHaveQOS = Feature{since: 16}
	// InitContainersResized: init containers may have a resizePolicy, if the gate InPlacePodVerticalScaling is on.
	InitContainersResized = Feature{since: 32}
	// InitContainersRestartOnResizeRefused: init containers other than sidecars may not be restarted on a resize.
	InitContainersRestartOnResizeRefused = Feature{since: 36}
	// InitRestartPolicyRequired: init containers with restart rules need a restart policy.
	InitRestartPolicyRequired = Feature{since: 35}
	// InternalPolicies: services have an internalTrafficPolicy (KEP-2086).
	InternalPolicies = Feature{since: 22, gate: "ServiceInternalTrafficPolicy"}
	// InternalPoliciesNeeded: only services with addresses have an internalTrafficPolicy by default
	// (pkg/apis/core/v1/defaults.go).
	InternalPoliciesNeeded = Feature{since: 24}
	// InternalTypesAsV1: the internal types, which messages show, have the fields of v1 in the same order, and errors
	// about owners say which owner they are about.
	InternalTypesAsV1 = Feature{since: 37}
	// InvalidSelectorsSelect: the selector of a replication controller may have invalid labels. Before, such a selector was
	// empty (kubernetes/apimachinery:pkg/labels/selector.go, SelectorFromSet).
	InvalidSelectorsSelect = Feature{since: 19}
	// IPModeChecked: the ipMode of a load balancer's address is checked (KEP-1860).
	IPModeChecked = Feature{since: 30}
	// ItemsNeedNoType: a custom resource, or an object in it, may have items without the type array, except for elements of
	// lists (ER-08a).
	ItemsNeedNoType = Feature{since: 16}
	// JobGenerations: Jobs, CronJobs and PodTemplates have a generation (pkg/registry/batch/job/strategy.go).
	JobGenerations = Feature{since: 22}
	// JobIndexesFail: a rule of a job's podFailurePolicy may let the index of a pod fail (KEP-3850).
	JobIndexesFail = Feature{since: 28}
	// JobRestartsRequired: a job with the default restart policy lacks one. Before, the policy is not supported
	// (pkg/apis/batch/validation/validation.go).
	JobRestartsRequired = Feature{since: 20}
	// JobStatusesChecked: changes of the status of a job are checked thoroughly, since other controllers may make them
	// (KEP-4368; pkg/registry/batch/job/strategy.go).
	JobStatusesChecked = Feature{since: 35, gate: "JobManagedBy"}
	// JobSuccessExtended: a job without a success policy may meet its criteria, too, if pods are only replaced once they
	// failed, or if it did before (pkg/registry/batch/job/strategy.go).
	JobSuccessExtended = Feature{since: 31}
	// JobSuccessPolicies: the conditions of a job have to agree with its success policy (KEP-3998).
	JobSuccessPolicies = Feature{since: 30}
	// JobTrackingMarks: an annotation marks the jobs whose pods are tracked by their finalizers (PC-12;
	// pkg/registry/batch/job/strategy.go).
	JobTrackingMarks = Feature{since: 22}
	// JobTrackingOfAll: all jobs are, and the annotation has no meaning.
	JobTrackingOfAll = Feature{since: 28}
	// JobUpdatesApart: the pod labels of a job are not checked again when it is updated
	// (pkg/registry/batch/job/strategy.go).
	JobUpdatesApart = Feature{since: 37}
	// KubeletPortExposed: load balancers may use the port of the kubelet.
	KubeletPortExposed = Feature{since: 33}
	// LeaseTransitionsSpelled: the error about negative leaseTransitions is spelled right
	// (pkg/apis/coordination/validation/validation.go).
	LeaseTransitionsSpelled = Feature{since: 24}
	// LeastReplicasNamed: the error about too few replicas of an autoscaler says how many there must be.
	LeastReplicasNamed = Feature{since: 16}
	// LengthsInBytes: errors about lengths count bytes (kubernetes/apimachinery:pkg/util/validation/field/errors.go).
	LengthsInBytes = Feature{since: 32}
	// LimitsInErrors: the error about a request above its limit contains the limit
	// (pkg/apis/core/validation/validation.go).
	LimitsInErrors = Feature{since: 27}
	// LinuxUIDsUnsigned: the reported user of a container may be any 32-bit number.
	LinuxUIDsUnsigned = Feature{since: 37}
	// ListAttributes: an attribute of a device may be a list (KEP-5491).
	ListAttributes = Feature{since: 36}
	// LongerNodeIDs: a driver may use names of nodes with up to 256 characters.
	LongerNodeIDs = Feature{since: 23}
	// LongestInBytes: the error about a field that is too long gives its maximum length in bytes, not in characters
	// (kubernetes/apimachinery:pkg/util/validation/field/errors.go).
	LongestInBytes = Feature{since: 17}
	// LongNodeIDs: a driver may use names of nodes with up to 192 characters, not 128
	// (pkg/apis/storage/validation/validation.go).
	LongNodeIDs = Feature{since: 22}
	// LongNodeIDsKept: an update that replaces a name that is too long may already use the next limit
	// (pkg/apis/storage/validation/validation.go).
	LongNodeIDsKept = Feature{since: 21}
	// LostVersionsExplained: the error that objects may be stored in a version that a definition no longer has is a
	// sentence (kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go).
	LostVersionsExplained = Feature{since: 33}
	// ManualSelectorDefault: manualSelector of a job is false by default (pkg/apis/batch/v1/defaults.go).
	ManualSelectorDefault = Feature{since: 29}
	// ManySelectableFieldsKept: an update may keep more selectable fields than are allowed.
	ManySelectableFieldsKept = Feature{since: 35}
	// MatchResourcesPath: errors about matchResources of a binding spell it correctly; before, it was matchResouces
	// (pkg/apis/admissionregistration/validation/validation.go).
	MatchResourcesPath = Feature{since: 32}
	// MaxReplicasRequired: a missing maxReplicas of an autoscaler is reported as required, not as invalid.
	MaxReplicasRequired = Feature{since: 36}
	// MemoryLimitsChecked: a resize may neither add nor decrease a limit of memory without a restart of the container
	// (pkg/apis/core/validation/validation.go).
	MemoryLimitsChecked = Feature{since: 33}
	// MemoryLimitsShrink: it may again (KEP-1287).
	MemoryLimitsShrink = Feature{since: 34}
	// MigratedVersionImmutable: an error says that the resourceVersion of a v1alpha1 migration is immutable, not that it
	// cannot be updated (pkg/apis/storagemigration/validation/validation.go).
	MigratedVersionImmutable = Feature{since: 34}
	// MigratedVersionOptional: the status of a migration may lack its resourceVersion, and may say that a migration that
	// ended is running (pkg/apis/storagemigration/validation/validation.go).
	MigratedVersionOptional = Feature{since: 36}
	// MissingFieldsTerse: the errors about missing fields of a certificate request do not repeat their names
	// (pkg/apis/certificates/validation/validation.go).
	MissingFieldsTerse = Feature{since: 26}
	// MissingIsRequired: a missing handler of a RuntimeClass, or type of a priority level, is reported as missing, not
	// as an empty value (pkg/apis/node/validation/validation.go, pkg/apis/flowcontrol/validation/validation.go).
	MissingIsRequired = Feature{since: 36}
	// MixedHugePagesKept: an update may keep huge pages of several sizes (pkg/registry/core/pod/strategy.go).
	MixedHugePagesKept = Feature{since: 18}
	// MixedProtocolsKept: a load balancer may keep ports with several protocols. Before, they were refused in other words
	// (pkg/apis/core/validation/conditional_validation.go).
	MixedProtocolsKept = Feature{since: 20}
	// MoreUpdatesVersioned: an update of a DeviceTaintRule, PodGroup or Workload needs the resourceVersion that it is
	// based on.
	MoreUpdatesVersioned = Feature{since: 37}
	// NamelessDriversOnce: a driver without a name is reported as missing. Before, its name was also reported as invalid
	// (pkg/apis/core/validation/validation.go).
	NamelessDriversOnce = Feature{since: 35}
	// NamespaceSelectors: terms of an affinity may select namespaces, and errors name their labelSelector
	// (pkg/apis/core/validation/validation.go).
	NamespaceSelectors = Feature{since: 21}
	// NegativeGraceMended: a negative terminationGracePeriodSeconds of a pod becomes 1 when the pod is read
	// (pkg/apis/core/v1/conversion.go).
	NegativeGraceMended = Feature{since: 27}
	// NegativeGraceMutable: an update may set a negative terminationGracePeriodSeconds of a pod to 1.
	NegativeGraceMutable = Feature{since: 22}
	// NegativeGraceWarnings: a negative terminationGracePeriodSeconds causes a warning.
	NegativeGraceWarnings = Feature{since: 27}
	// NetworkPoliciesCheckedOnce: an update of a NetworkPolicy checks the new object once.
	NetworkPoliciesCheckedOnce = Feature{since: 36}
	// NodeLabelWarnings: deprecated node labels cause warnings in storage classes and runtime classes, too
	// (pkg/api/storage/util.go, pkg/api/node/util.go).
	NodeLabelWarnings = Feature{since: 25}
	// NodePublishRefSpelled: errors about nodePublishSecretRef of a CSI volume spell it correctly; before, it had a space
	// at its end.
	NodePublishRefSpelled = Feature{since: 24}
	// NodesDeclareFeatures: status.declaredFeatures of a node is kept (KEP-5328).
	NodesDeclareFeatures = Feature{since: 36}
	// NodeSelectorValuesChecked: a node selector may not contain values that no label can have.
	NodeSelectorValuesChecked = Feature{since: 33}
	// NodesMixHugePages: a node may have huge pages of several sizes.
	NodesMixHugePages = Feature{since: 19}
	// NodeSpecFieldsChecked: the fields of the spec of a node that must not change are checked one by one. Before, one error
	// without a path was about all of them.
	NodeSpecFieldsChecked = Feature{since: 18}
	// NodesWithoutExternalID: a node's name is no longer the default of its externalID (DF-17).
	NodesWithoutExternalID = Feature{since: 11}
	// NoPathsNamed: an error without a path names <nil> instead of nothing
	// (kubernetes/apimachinery:pkg/util/validation/field/path.go).
	NoPathsNamed = Feature{since: 20}
	// NullsPruned: nulls where the schema of a custom resource does not allow them are dropped or replaced by a default.
	// Before, they were kept, and refused after mutation
	// (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/prunenulls.go).
	NullsPruned = Feature{since: 20}
	// NumberFormatsChecked: numbers in custom resources are checked against their format
	// (kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go).
	NumberFormatsChecked = Feature{since: 36}
	// ObjectSelectorPath: errors about the object selector of an admission policy or binding name it. Before, they named
	// labelSelector (pkg/apis/admissionregistration/validation/validation.go).
	ObjectSelectorPath = Feature{since: 29}
	// ObjectsNotSchemas: custom resources are not checked as if they were schemas, in which the type array needs items
	// (ER-08a).
	ObjectsNotSchemas = Feature{since: 17}
	// ObservedGenerationKept: an update of a pod's status without observedGeneration keeps the old value.
	ObservedGenerationKept = Feature{since: 33}
	// OddAddressesInvalid: warnings say that an address in an unusual form is invalid, not that it will be.
	OddAddressesInvalid = Feature{since: 36}
	// OverlappingVolumeWarnings: a path that occurs twice in a projected volume causes a warning.
	OverlappingVolumeWarnings = Feature{since: 32}
	// OwnerKindsNamed: the error about two controllers of an object says of which kinds they are.
	OwnerKindsNamed = Feature{since: 26}
	// ParamSelectors: a binding of an admission policy may select its params by their labels, and says what happens if
	// there are none (pkg/apis/admissionregistration/validation/validation.go).
	ParamSelectors = Feature{since: 28}
	// PartitionsWithoutType: the rollingUpdate of a StatefulSet without a type of its strategy is kept
	// (pkg/apis/apps/v1/defaults.go).
	PartitionsWithoutType = Feature{since: 19}
	// PodCIDRLists: a node may have several ranges of addresses, and errors are about the list of them.
	PodCIDRLists = Feature{since: 16}
	// PodCIDRsExplained: the error about a range of a node shows this range, and not all, and says what a range is.
	PodCIDRsExplained = Feature{since: 30}
	// PodControllersCheckedOnce: an update of a ReplicaSet or DaemonSet checks the new object once.
	PodControllersCheckedOnce = Feature{since: 34}
	// PodFieldsListed: the error about other updates of a pod lists the fields that may change without "or".
	PodFieldsListed = Feature{since: 27}
	// PodGenerations: pods have a generation (KEP-5067).
	PodGenerations = Feature{since: 33}
	// PodIPsNotExcused: errors about the addresses of a pod count although its old addresses are invalid, too.
	PodIPsNotExcused = Feature{since: 22}
	// PodIPsOfStatus: an update of a pod's status checks its addresses, and no other update does.
	PodIPsOfStatus = Feature{since: 19}
	// PodLevelResize: pods with resources of their own can be resized (KEP-5419).
	PodLevelResize = Feature{since: 35}
	// PodResourcesAfterAdmission: the defaults of resources of a pod as a whole are set after admission, when webhooks
	// have added their containers.
	PodResourcesAfterAdmission = Feature{since: 37, gate: "PodLevelResourcesFixDefaulting"}
	// PodsMixHugePages: a pod may use huge pages of several sizes.
	PodsMixHugePages = Feature{since: 19, gate: "HugePageStorageMediumSize"}
	// PodStatusDrops: an update of the status of a pod drops fields whose gates are off (pkg/registry/core/pod/strategy.go).
	PodStatusDrops = Feature{since: 33}
	// PodStatusPaths: errors about the conditions of a pod and the users of its containers have the right paths.
	PodStatusPaths = Feature{since: 33}
	// PodStatusShared: while the subresources ephemeralcontainers and resize change a pod, its old status shares lists with
	// the new one (pkg/registry/core/pod/strategy.go).
	PodStatusShared = Feature{since: 33}
	// PolicyActions: a binding of an admission policy says what a failed validation leads to, and a policy may have audit
	// annotations instead of validations. Before, every failure is a refusal
	// (pkg/apis/admissionregistration/validation/validation.go; kubernetes/apiserver:pkg/admission/plugin/validatingadmissionpolicy).
	PolicyActions = Feature{since: 27}
	// PolicySpacesKept: the expression of a validation is compiled with the spaces around it
	// (pkg/apis/admissionregistration/validation/validation.go).
	PolicySpacesKept = Feature{since: 27}
	// PolicyTypesOnce: the error about a type of a NetworkPolicy is not repeated for its other type
	// (pkg/apis/networking/validation/validation.go).
	PolicyTypesOnce = Feature{since: 18}
	// PortNameLetters: the error about the name of a port without letters asks for a letter, not for a letter or number
	// (kubernetes/apimachinery:pkg/util/validation/validation.go).
	PortNameLetters = Feature{since: 25}
	// PortsSharedByProtocols: a node port that a service has for several protocols is repaired as one
	// (pkg/registry/core/service/portallocator/controller/repair.go).
	PortsSharedByProtocols = Feature{since: 19}
	// PreferCloseDeprecated: trafficDistribution PreferClose causes a warning (KEP-3015).
	PreferCloseDeprecated = Feature{since: 35}
	// PreferredFamiliesKept: an update that does not change the addresses and families of a service that prefers two families
	// leaves them as they are (pkg/registry/core/service/storage/rest.go).
	PreferredFamiliesKept = Feature{since: 22}
	// PreferredValueWarnings: values in preferred node affinity that no label can have cause warnings.
	PreferredValueWarnings = Feature{since: 33}
	// PrefixedJobLabels: the labels of a job's pods also have the prefix batch.kubernetes.io, and that label is the
	// selector (pkg/registry/batch/job/strategy.go).
	PrefixedJobLabels = Feature{since: 27}
	// PreservingExtensionNamed: the error about preserveUnknownFields has the right name of the extension to use instead
	// (kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go).
	PreservingExtensionNamed = Feature{since: 25}
	// PreventPodSchedulingDefault: by default, a CSIDriver does not prevent pods from being scheduled where it is
	// missing.
	PreventPodSchedulingDefault = Feature{since: 37, gate: "VolumeLimitScaling"}
	// PriorityValuePath: the error about a changed value of a PriorityClass names the field as it is written.
	PriorityValuePath = Feature{since: 25}
	// ProbeHandlersApart: what a probe does has another type than what a container does when it starts or stops, which
	// differences between pods show (ER-07).
	ProbeHandlersApart = Feature{since: 23}
	// ProcessSharingInSpec: the error about pods that share their processes with each other and with the host names the
	// field of the spec. Before, it named one of the security context, where the server keeps it.
	ProcessSharingInSpec = Feature{since: 37}
	// ProjectedSourcesApart: a source of a projected volume without keys does not overlap with any other. Before, it
	// had the paths of the previous source (pkg/api/pod/warnings.go).
	ProjectedSourcesApart = Feature{since: 34}
	// ProjectedSourcesCounted: the error about several types in one source of a projected volume speaks of the source.
	ProjectedSourcesCounted = Feature{since: 31}
	// ProviderIDWords: the error about changing the providerID of a node is that of declared rules.
	ProviderIDWords = Feature{since: 37}
	// QOSClassesComputed: a new pod gets the QoS class that follows from its resources, whatever its status says. It is
	// computed after the defaults of resources of the pod as a whole are set.
	QOSClassesComputed = Feature{since: 37}
	// QOSClassImmutable: the QoS class in a pod's status may not change, and is kept if an update of the status omits
	// it.
	QOSClassImmutable = Feature{since: 32}
	// QOSClassKept: an update of a pod may not change the QoS class that follows from its resources.
	QOSClassKept = Feature{since: 29}
	// QuotaOperatorSpelled: the error about the operator of a quota's scope names Exists, not Exist.
	QuotaOperatorSpelled = Feature{since: 31}
	// QuotasCheckedOnce: an update of a ResourceQuota checks the new object once, and not its status.
	QuotasCheckedOnce = Feature{since: 21}
	// QuotaWarnings: a ResourceQuota for limits only causes a warning (pkg/registry/core/resourcequota/strategy.go).
	QuotaWarnings = Feature{since: 35}
	// ReadWriteOncePod: volumes and claims may have this access mode (KEP-2485).
	ReadWriteOncePod = Feature{since: 29, gate: "ReadWriteOncePod"}
	// ReadWriteOncePodEverywhere: the volumes within VolumeAttachments may have the access mode ReadWriteOncePod, too.
	ReadWriteOncePodEverywhere = Feature{since: 29}
	// ReadWriteOncePodKnown: they may keep it while the gate is off.
	ReadWriteOncePodKnown = Feature{since: 22}
	// ReferencesRequiredTersely: an error about a missing kind or name of a resource that an Ingress or IngressClass refers to
	// no longer repeats what is required: kind is required (pkg/apis/networking/validation/validation.go).
	ReferencesRequiredTersely = Feature{since: 34}
	// RelaxedDefaultBackendsKept: it may also keep that of its default backend.
	RelaxedDefaultBackendsKept = Feature{since: 35}
	// RelaxedEnvVarNames: names of environment variables may contain nearly all characters (KEP-4369).
	RelaxedEnvVarNames = Feature{since: 32}
	// RelaxedServiceNames: names of Services may start with a digit (KEP-5311).
	RelaxedServiceNames = Feature{since: 36, gate: "RelaxedServiceNameValidation"}
	// RelaxedServiceNamesKept: while names of services in an Ingress may not start with a digit, an update may keep those
	// of its rules that do.
	RelaxedServiceNamesKept = Feature{since: 34}
	// ReplicationControllersCheckedOnce: an update of a ReplicationController checks the new object once.
	ReplicationControllersCheckedOnce = Feature{since: 35}
	// RequestsNameSigners: a certificate request has a signer (pkg/apis/certificates/types.go).
	RequestsNameSigners = Feature{since: 18}
	// ResizedFromNothing: the resize of a container without requests or limits may only set those of cpu and memory.
	// Before, it could set any.
	ResizedFromNothing = Feature{since: 35}
	// ResizeInConditions: conditions of a pod say that it is resized, and status.resize does not change. Sidecars can be
	// resized as well (KEP-1287).
	ResizeInConditions = Feature{since: 33}
	// ResizesKeepQOSClass: while the gate is on, an update of a pod may not change its QoS class (PC-14).
	ResizesKeepQOSClass = Feature{since: 27, gate: "InPlacePodVerticalScaling"}
	// ResizeSubresource: pods are resized by the subresource of that name.
	ResizeSubresource = Feature{since: 32}
	// ResourceNamesTyped: errors show names of resources without quotes, as the server's type of such names prints them.
	ResourceNamesTyped = Feature{since: 29}
	// RestartAllContainers: a rule may restart all containers of a pod.
	RestartAllContainers = Feature{since: 35}
	// RestartRulesCounted: the error about too many restart rules counts rules, not bytes.
	RestartRulesCounted = Feature{since: 36}
	// RevisionDataChecked: the data of a ControllerRevision has to be an object, and is shown as another Go type
	// (pkg/apis/apps/validation/validation.go).
	RevisionDataChecked = Feature{since: 31}
	// RFC1123Words: errors about names say RFC 1123 instead of DNS-1123
	// (kubernetes/apimachinery:pkg/util/validation/validation.go).
	RFC1123Words = Feature{since: 20}
	// RoleRefImmutableWords: the error about changing the role of a binding has the usual wording.
	RoleRefImmutableWords = Feature{since: 37}
	// RolesCheckedOnce: an update of a role or a binding checks the new object once.
	RolesCheckedOnce = Feature{since: 35}
	// RollingUpdatesConverted: a Deployment or DaemonSet may have a rollingUpdate without limits while its strategy is another
	// one (pkg/apis/apps/v1/conversion.go).
	RollingUpdatesConverted = Feature{since: 17}
	// RuleMessagesTrimmed: errors show the message of a validation rule of a custom resource without spaces around it
	// (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go).
	RuleMessagesTrimmed = Feature{since: 27}
	// RuleNamesBounded: for the estimated cost of validation rules of custom resources, the names of objects have their
	// maximum length (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/model/schemas.go).
	RuleNamesBounded = Feature{since: 37}
	// RulePathsApart: the fieldPath of a validation rule of a custom resource that does not hold is not also in the paths of
	// the rules after it (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go).
	RulePathsApart = Feature{since: 30}
	// RulesBudgeted: the cost of validation rules of custom resources is limited, rules have the functions of Kubernetes, and
	// their errors show types, not values.
	RulesBudgeted = Feature{since: 24}
	// RulesKnowConversion: validation rules of custom resources about apiVersion or kind are not tolerated to be broken.
	RulesKnowConversion = Feature{since: 30}
	// RulesOfValidSchemas: the rules of a CustomResourceDefinition are only compiled if its schema is valid. Before, those of
	// any schema that is structural are (kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go).
	RulesOfValidSchemas = Feature{since: 25}
	// RulesRatcheted: validation rules of custom resources may be broken by parts that an update does not change, as with the
	// rest of the schema (gate CRDValidationRatcheting).
	RulesRatcheted = Feature{since: 29}
	// RulesShowValues: the error of a validation rule of a custom resource shows the value, not its type
	// (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go).
	RulesShowValues = Feature{since: 35}
	// RuntimeClassTolerationsPath: errors about tolerations of a RuntimeClass have the right path.
	RuntimeClassTolerationsPath = Feature{since: 35}
	// ScaleMetadataIgnored: only managedFields in the metadata of a Scale are checked; the rest is ignored
	// (pkg/apis/autoscaling/validation/validation.go).
	ScaleMetadataIgnored = Feature{since: 37}
	// ScalerBehaviours: autoscalers have a behaviour. Before, its annotation has no meaning.
	ScalerBehaviours = Feature{since: 18}
	// ScalerConditionsObserved: the conditions of an autoscaler have an observedGeneration.
	ScalerConditionsObserved = Feature{since: 37}
	// ScalerDefaultsInV2beta2: HorizontalPodAutoscalers of autoscaling/v2beta2 get their defaults when they are sent, not
	// only when they are read from the storage (CV-05).
	ScalerDefaultsInV2beta2 = Feature{since: 18}
	// ScalerStatusSpelled: the error about the desired replicas in the status of an autoscaler spells them correctly.
	ScalerStatusSpelled = Feature{since: 17}
	// ScalerTargetsOmitted: the target of a metric of an object may be missing in autoscaling/v1, where it is then 0, if
	// there is one for its average (pkg/apis/autoscaling/v1/conversion.go).
	ScalerTargetsOmitted = Feature{since: 36}
	// ScaleTargetVersionChecked: the apiVersion of the scale target of an autoscaler is checked.
	ScaleTargetVersionChecked = Feature{since: 34}
	// ScaleToZero: autoscalers may scale to zero (KEP-2021).
	ScaleToZero = Feature{since: 37, gate: "HPAScaleToZero"}
	// ScalingTolerances: the behavior that older versions of an autoscaler keep in an annotation has tolerances, which
	// are null if not set (pkg/apis/autoscaling/types.go).
	ScalingTolerances = Feature{since: 33}
	// SchedulesParsedByV3: schedules are read by robfig/cron v3, which knows time zones (pkg/apis/batch/validation/validation.go).
	SchedulesParsedByV3 = Feature{since: 22}
	// ScheduleZoneRefused: the schedule of a new CronJob may not have a time zone.
	ScheduleZoneRefused = Feature{since: 29}
	// ScheduleZoneWarnings: a schedule with a time zone causes a warning.
	ScheduleZoneWarnings = Feature{since: 22}
	// SCTP: the protocol SCTP needs no gate (KEP-614).
	SCTP = Feature{since: 19, gate: "SCTPSupport"}
	// SCTPKept: while the gate SCTPSupport is off, an update may keep the protocol SCTP
	// (pkg/apis/core/validation/conditional_validation.go).
	SCTPKept = Feature{since: 14}
	// SearchesRelaxed: a search path of a pod's DNS may have underscores, or be a single dot (KEP-4427).
	SearchesRelaxed = Feature{since: 33, gate: "RelaxedDNSSearchValidation"}
	// SelectorValuesChecked: the values in label selectors have to be valid label values
	// (kubernetes/apimachinery:pkg/apis/meta/v1/validation/validation.go).
	SelectorValuesChecked = Feature{since: 26}
	// ServiceCIDRStatusAlone: an update of a ServiceCIDR's status keeps the metadata
	// (pkg/registry/networking/servicecidr/strategy.go).
	ServiceCIDRStatusAlone = Feature{since: 32}
	// ServiceFamilies: a service may have several addresses, of different families
	// (pkg/registry/core/service/strategy.go).
	ServiceFamilies = Feature{since: 20}
	// ServiceMetadataOnCreate: an update of a service does not check its metadata as on create.
	ServiceMetadataOnCreate = Feature{since: 34}
	// ServiceRangesGrow: a ServiceCIDR may get a second range, and an update checks nothing else. Before, ServiceCIDRs and
	// IPAddresses have words of their own (pkg/apis/networking/validation/validation.go).
	ServiceRangesGrow = Feature{since: 33}
	// ServiceRangesVary: the ranges of services are ServiceCIDRs, not those of a flag, which events about the addresses of
	// services named before (pkg/registry/core/service/ipallocator/controller/repairip.go).
	ServiceRangesVary = Feature{since: 29}
	// ServicesAllocatedFirst: a service gets its addresses and ports before it is checked. Before, fields about addresses
	// have words of their own (pkg/registry/core/service/storage/alloc.go).
	ServicesAllocatedFirst = Feature{since: 23}
	// SetItemWarnings: sets of lists and of objects in the schemas of a CustomResourceDefinition cause warnings
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go).
	SetItemWarnings = Feature{since: 37}
	// ShortVolumeErrors: the message about an attachment error that is too long names its own limit
	// (pkg/apis/storage/validation/validation.go).
	ShortVolumeErrors = Feature{since: 37}
	// SidecarContainers: init containers may be restarted (KEP-753).
	SidecarContainers = Feature{since: 28}
	// SingleFamilyKept: the one address family of a service is kept by an update without one, and has to be a family of
	// the cluster (pkg/apis/core/validation/conditional_validation.go).
	SingleFamilyKept = Feature{since: 19}
	// SizesNotAlone: an object with too few or too many properties in a custom resource may have other errors as well
	// (ER-08b).
	SizesNotAlone = Feature{since: 28}
	// SliceAddressesAsElsewhere: addresses in EndpointSlices are checked like those in other kinds.
	SliceAddressesAsElsewhere = Feature{since: 33}
	// SourceRangesApart: each source range of a load balancer is checked for itself.
	SourceRangesApart = Feature{since: 30}
	// SpreadSelectorsChecked: the selector of a topology spread constraint has to be valid
	// (pkg/apis/core/validation/validation.go).
	SpreadSelectorsChecked = Feature{since: 27}
	// SpreadSelectsOwnLabels: matchLabelKeys of a spread constraint become part of its selector
	// (KEP-3243).
	SpreadSelectsOwnLabels = Feature{since: 34}
	// StartupProbesRepeated: startup probes are checked twice, up to 1.24 (pkg/apis/core/validation/validation.go).
	StartupProbesRepeated = Feature{since: 21}
	// StatefulSetCheckedOnce: an update checks the replicas of a StatefulSet, among others, once.
	StatefulSetCheckedOnce = Feature{since: 25}
	// StatefulSetClaimRetentionMutable: persistentVolumeClaimRetentionPolicy may be updated.
	StatefulSetClaimRetentionMutable = Feature{since: 23}
	// StatefulSetFieldsNamed: each field of a StatefulSet that may not change is named.
	StatefulSetFieldsNamed = Feature{since: 37}
	// StatefulSetHistoryLimitMutable: revisionHistoryLimit may be updated.
	StatefulSetHistoryLimitMutable = Feature{since: 33}
	// StatefulSetMinReadySeconds: minReadySeconds and availableReplicas are checked, and minReadySeconds may be updated.
	StatefulSetMinReadySeconds = Feature{since: 23, gate: "StatefulSetMinReadySeconds"}
	// StatefulSetMinReadySecondsMutable: the message about other updates mentions minReadySeconds.
	StatefulSetMinReadySecondsMutable = Feature{since: 22}
	// StatefulSetNamesLabels: the name of a StatefulSet has to be a label, and is only checked on a create.
	StatefulSetNamesLabels = Feature{since: 27}
	// StatefulSetOrdinalsMutable: the message about other updates mentions ordinals.
	StatefulSetOrdinalsMutable = Feature{since: 26}
	// StatefulSetPodsChecked: the pods and claims of a StatefulSet are checked, not only the metadata of its template
	// (pkg/apis/apps/validation/validation.go).
	StatefulSetPodsChecked = Feature{since: 34}
	// StatefulSetRecreates: a StatefulSet may have the strategy Recreate.
	StatefulSetRecreates = Feature{since: 37}
	// StatefulSetServiceNameChecked: serviceName of a new StatefulSet has to be a DNS label.
	StatefulSetServiceNameChecked = Feature{since: 33}
	// StatefulSetStatusNamed: an error about availableReplicas names status.readyReplicas, not readyReplicas
	// (pkg/apis/apps/validation/validation.go).
	StatefulSetStatusNamed = Feature{since: 25}
	// StaticNamesRefused: with manifest-based admission control, names reserved for configurations from files are
	// refused.
	StaticNamesRefused = Feature{since: 99, gate: "ManifestBasedAdmissionControlConfig"}
	// StaticNamesReserved: names reserved for configurations from files cause warnings
	// (pkg/apis/admissionregistration/validation/static_suffix.go, KEP-5793).
	StaticNamesReserved = Feature{since: 36}
	// StaticPodsWithoutEphemeral: static pods may not have ephemeral containers.
	StaticPodsWithoutEphemeral = Feature{since: 27}
	// StorageClassImmutableWords: the error about changing immutable fields of a StorageClass has the usual wording.
	StorageClassImmutableWords = Feature{since: 36}
	// StoredDeviceExpressionsHold: expressions about devices that do not change are not compiled.
	StoredDeviceExpressionsHold = Feature{since: 37}
	// StoredVersionsShown: the error about a storage version in which no object may be stored shows the stored versions, not
	// that version (kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go).
	StoredVersionsShown = Feature{since: 28}
	// StrictAddresses: addresses in old fields may not have leading zeros (gate StrictIPCIDRValidation, KEP-4858).
	StrictAddresses = Feature{since: 36, gate: "StrictIPCIDRValidation"}
	// SuspendedJobResources: the resources of a suspended Job without pods may change, even if it ran before
	// (KEP-5440).
	SuspendedJobResources = Feature{since: 36}
	// SysAdminExcused: a template with CAP_SYS_ADMIN may keep it when it disables privilege escalation.
	SysAdminExcused = Feature{since: 37}
	// SysctlSlashes: the name of a sysctl may have slashes (pkg/apis/core/validation/validation.go).
	SysctlSlashes = Feature{since: 25}
	// TaintTimeFollowsEffect: if the effect of a DeviceTaintRule changes, its taint has the time of the change
	// (pkg/registry/resource/devicetaintrule/strategy.go).
	TaintTimeFollowsEffect = Feature{since: 36}
	// TemplateMetadataShared: errors about the metadata of a template of claims do not mention ephemeral volumes, since there
	// are other templates (pkg/apis/core/validation/validation.go).
	TemplateMetadataShared = Feature{since: 26}
	// TerseDetails: details of errors do not repeat which field they are about. They differ from file to file of
	// pkg/apis and of kubernetes/apiextensions-apiserver:pkg/apis.
	TerseDetails = Feature{since: 34}
	// TokenSecretWarnings: a CSIDriver that gets tokens in another place than secrets causes a warning (KEP-5538).
	TokenSecretWarnings = Feature{since: 35}
	// TolerationsCompare: tolerations may compare the value of a taint (KEP-5471).
	TolerationsCompare = Feature{since: 35}
	// TolerationValuesShown: the error about a toleration with a needless value shows this value, not the toleration.
	TolerationValuesShown = Feature{since: 32}
	// TopologyKeyShown: an error about a topology key of a CSINode shows this key instead of all of them
	// (pkg/apis/storage/validation/validation.go).
	TopologyKeyShown = Feature{since: 22}
	// TopologyModes: the annotation of a service about its topology has to agree with its predecessor.
	TopologyModes = Feature{since: 27}
	// TrafficNear: services may prefer endpoints of the same zone or node (KEP-3015).
	TrafficNear = Feature{since: 34, gate: "PreferSameTrafficDistribution"}
	// UnknownFieldsPruned: definitions have preserveUnknownFields, and without it unknown fields of custom resources are
	// removed (CRD-01).
	UnknownFieldsPruned = Feature{since: 15}
	// UnknownFormatWarnings: unknown formats in the schemas of a CustomResourceDefinition cause warnings.
	UnknownFormatWarnings = Feature{since: 34}
	// UserNamespaceDevicesRefused: pods with user namespaces may not have volume devices.
	UserNamespaceDevicesRefused = Feature{since: 34}
	// VolumeAttributesByStatus: the volume attributes class of a claim may be removed while its status has none.
	VolumeAttributesByStatus = Feature{since: 34}
	// VolumeAttributesQuotaScope: quotas may have the scope VolumeAttributesClass (KEP-3751).
	VolumeAttributesQuotaScope = Feature{since: 33}
	// VolumeFileUsers: volumes may say which user owns their files (pkg/api/pod/util.go).
	VolumeFileUsers = Feature{since: 37}
	// VolumeLabelsRenamed: an update may replace old names of labels in the node affinity of a volume.
	VolumeLabelsRenamed = Feature{since: 27}
	// VolumePhaseTimes: a new volume has its phase, and the time at which it got it. Before, the phase is a default that
	// the volume gets when it is read (PC-06; KEP-3762).
	VolumePhaseTimes = Feature{since: 28, gate: "PersistentVolumeLastPhaseTransitionTime"}
	// VolumeResourcesApart: the resources of a claim have a type of their own, which messages show.
	VolumeResourcesApart = Feature{since: 29}
	// WarnsOfReviewRules: rules of webhooks for resources that no webhook sees cause warnings
	// (pkg/apis/admissionregistration/validation/warnings.go).
	WarnsOfReviewRules = Feature{since: 37, gate: "ExcludeAdmissionWebhookVirtualResources"}
	// WritableDisksKept: a disk of GCE that several pods use may stay writable.
	WritableDisksKept = Feature{since: 28}
	// WritableDisksShared: such a disk may be writable.
	WritableDisksShared = Feature{since: 31, gate: "SkipReadOnlyValidationGCE"}
	// ZeroSharesAnnotated: an annotation of a priority level of v1beta3 says that 0 shares are meant, not the default
	// (pkg/apis/flowcontrol/v1beta3/conversion.go).
	ZeroSharesAnnotated = Feature{since: 29}
	// ZeroSleep: a sleep of a lifecycle hook may be zero (KEP-4818).
	ZeroSleep = Feature{since: 33}
	// ZeroSleepHint: the message about a zero sleep names the gate that allows it.
	ZeroSleepHint = Feature{since: 32}
)
