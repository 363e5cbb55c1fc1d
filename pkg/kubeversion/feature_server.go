package kubeversion

// The behavior of the server around admission, and the content of a live cluster. The files named are those of
// kubernetes/kubernetes.
var (
	// AcceptParametersNotEmpty: parameters of media types that are accepted count for nothing if they have an empty value, or
	// one with an equals sign (munnerz/goautoneg:autoneg.go).
	AcceptParametersNotEmpty = Feature{since: 17}
	// AdminAccessLabelRenamed: the label by which a namespace allows administrative access to devices is in the domain
	// resource.kubernetes.io, no longer in resource.k8s.io (pkg/apis/resource/types.go).
	AdminAccessLabelRenamed = Feature{since: 34}
	// AdminAccessNamespaces: administrative access to devices needs a namespace that allows it
	// (pkg/registry/resource/utils.go, KEP-5018).
	AdminAccessNamespaces = Feature{since: 33}
	// AggregatedDiscovery: /api and /apis list all resources at once, in the form of apidiscovery.k8s.io/v2 (KEP-3352).
	AggregatedDiscovery = Feature{since: 30}
	// AggregatedDiscoveryBeta: the same in the form of apidiscovery.k8s.io/v2beta1.
	AggregatedDiscoveryBeta = Feature{since: 27}
	// AlphaPolicyListsShowItems: a list of admission policies in v1alpha1 has items, even if it is empty
	// (kubernetes/api:admissionregistration/v1alpha1/types.go).
	AlphaPolicyListsShowItems = Feature{since: 28}
	// AnswersNotCached: clients are told not to cache answers (kubernetes/apiserver:pkg/endpoints/filters/cachecontrol.go).
	AnswersNotCached = Feature{since: 16}
	// APIExtensionsCategory: webhook configurations, definitions and APIServices have the category api-extensions
	// (pkg/registry/admissionregistration/mutatingwebhookconfiguration/storage/storage.go).
	APIExtensionsCategory = Feature{since: 20}
	// APIServicesBySlices: whether an APIService is available depends on the EndpointSlices of its service
	// (kubernetes/kube-aggregator:pkg/controllers/status/remote/remote_available_controller.go).
	APIServicesBySlices = Feature{since: 34}
	// APIServicesDescribed: /openapi/v3 has the group of the aggregator
	// (kubernetes/kube-aggregator:pkg/controllers/openapiv3/aggregator/aggregator.go).
	APIServicesDescribed = Feature{since: 27}
	// AuditLatencies: the audit log says what a slow request was waiting for
	// (kubernetes/apiserver:pkg/endpoints/filters/audit.go).
	AuditLatencies = Feature{since: 24}
	// AuditOptionsInternal: the options of a delete are of the internal version in the audit log
	// (kubernetes/apiserver:pkg/endpoints/handlers/delete.go).
	AuditOptionsInternal = Feature{since: 23}
	// AuditOtherGroups: the audit log has the body of a subresource whose kind is of another group, such as a Scale of a
	// Deployment (kubernetes/apiserver:pkg/audit/request.go).
	AuditOtherGroups = Feature{since: 22}
	// AuditPolicyV1: the policy of the audit log is of version v1; v1beta1 is no longer read
	// (kubernetes/apiserver:pkg/audit/policy/reader.go).
	AuditPolicyV1 = Feature{since: 24}
	// AuditsManagedFields: the policy of the audit log says whether managed fields are logged
	// (kubernetes/apiserver:pkg/apis/audit/types.go).
	AuditsManagedFields = Feature{since: 23}
	// AuditStatusMessages: the status of an answer has its message and details in the audit log
	// (kubernetes/apiserver:pkg/audit/request.go).
	AuditStatusMessages = Feature{since: 24}
	// BadOptionsAreBadRequests: invalid options of a delete are a bad request, not an internal error.
	BadOptionsAreBadRequests = Feature{since: 35}
	// BookmarksOption: lists have the parameter allowWatchBookmarks (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	BookmarksOption = Feature{since: 15}
	// BudgetConditionsInErrors: a refused eviction says which condition of the budget is the reason
	// (pkg/registry/core/pod/storage/eviction.go).
	BudgetConditionsInErrors = Feature{since: 35}
	// CacheSnapshots: lists that continue, or that show one version, come from the watch cache
	// (kubernetes/apiserver:pkg/storage/cacher/delegator.go).
	CacheSnapshots = Feature{since: 34, gate: "ListFromCacheSnapshot"}
	// CertificatesAreCredentials: the extra values of a user identify the client certificate
	// (kubernetes/apiserver:pkg/authentication/request/x509/x509.go).
	CertificatesAreCredentials = Feature{since: 32}
	// ClaimStatusMetadata: applying the status of a ResourceClaim does not own any metadata
	// (pkg/registry/resource/resourceclaim/strategy.go).
	ClaimStatusMetadata = Feature{since: 35}
	// CollectionsDeletedInPages: a collection is read in pages while it is deleted
	// (kubernetes/apiserver:pkg/registry/generic/registry/store.go).
	CollectionsDeletedInPages = Feature{since: 28}
	// CommonNamesIgnored: Go's message about certificates without names says to use SANs, and mentions no switch (Go
	// 1.17).
	CommonNamesIgnored = Feature{since: 23}
	// CommonNamesRefused: a certificate without alternative names is no longer accepted by its common name (Go 1.15).
	CommonNamesRefused = Feature{since: 19}
	// ComponentsSelected: selectors select among ComponentStatuses (pkg/registry/core/componentstatus/rest.go).
	ComponentsSelected = Feature{since: 17}
	// ControllerManagersProbedByTLS: the server probes the secure port of the controller manager
	// (pkg/registry/core/rest/storage_core.go).
	ControllerManagersProbedByTLS = Feature{since: 22}
	// CustomScalesConverted: where the object of the Scale of a custom resource is to be converted, the server tries a
	// conversion of custom resources (kubernetes/apiserver:pkg/admission/plugin/webhook/generic/conversion.go).
	CustomScalesConverted = Feature{since: 14}
	// CustomScalesWrittenWhole: like ScalesWrittenWhole, for custom resources
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresource/etcd.go).
	CustomScalesWrittenWhole = Feature{since: 17}
	// CustomStatusMetadata: applying the status of a custom resource does not own any metadata
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresource/status_strategy.go).
	CustomStatusMetadata = Feature{since: 36}
	// DefinitionPreconditionWords: the message about a failed precondition for deleting a definition starts with a
	// lower-case letter (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/etcd.go).
	DefinitionPreconditionWords = Feature{since: 37}
	// DefinitionsCheckedInContext: the condition of a deleted definition whose custom resources are still there quotes the
	// error of a context (kubernetes/apiextensions-apiserver:pkg/controller/finalizer/crd_finalizer.go).
	DefinitionsCheckedInContext = Feature{since: 33}
	// DefinitionStatusMetadata: applying the status of a definition may own metadata
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go).
	DefinitionStatusMetadata = Feature{since: 36}
	// DeletionTerminates: no custom resource is created once its definition is deleted, even while the definition has
	// no condition that says so (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
	DeletionTerminates = Feature{since: 37}
	// DiscoveryInCBOR: also /api, /apis and the documents of groups are served in CBOR
	// (kubernetes/kubernetes:pkg/controlplane/apiserver/config.go).
	DiscoveryInCBOR = Feature{since: 37}
	// DisruptionConditions: pods have a condition that says why they are evicted (KEP-3329).
	DisruptionConditions = Feature{since: 26}
	// EmulationInVersion: /version also has the emulated release, and the oldest compatible one.
	EmulationInVersion = Feature{since: 33}
	// EndpointSlices: the service kubernetes has an EndpointSlice, too (pkg/master/master.go).
	EndpointSlices = Feature{since: 18, gate: "EndpointSlice"}
	// EndpointsNamed: the last line of /livez?verbose and /readyz?verbose names them, no longer /healthz
	// (kubernetes/apiserver:pkg/server/healthz/healthz.go).
	EndpointsNamed = Feature{since: 20}
	// EndpointsNotMirrored: the endpoints of the service kubernetes say that no EndpointSlices are made from them
	// (pkg/master/reconcilers/endpointsadapter.go).
	EndpointsNotMirrored = Feature{since: 19}
	// EndpointsOutliveServices: the endpoints of a deleted service are left to their controller
	// (pkg/registry/core/service/storage/storage.go).
	EndpointsOutliveServices = Feature{since: 37}
	// EtcdProbedAsStorage: the server probes etcd as its storage. Before, the ComponentStatus had etcd's own answer
	// (pkg/registry/core/componentstatus/validator.go).
	EtcdProbedAsStorage = Feature{since: 25}
	// EtcdProbesSayOK: the ComponentStatus of a healthy etcd has the message ok
	// (pkg/registry/core/componentstatus/validator.go).
	EtcdProbesSayOK = Feature{since: 28}
	// EvictionsAdmittedFirst: an eviction is validated by admission before its pod is read
	// (pkg/registry/core/pod/storage/eviction.go).
	EvictionsAdmittedFirst = Feature{since: 19}
	// ExpiryExplained: Go's message about an expired certificate says when it expired (Go 1.14).
	ExpiryExplained = Feature{since: 19}
	// FieldManagerOption: writes have the parameter fieldManager, and patches force
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	FieldManagerOption = Feature{since: 14}
	// FieldValidationOption: options have fieldValidation, whether or not the server heeds it
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	FieldValidationOption = Feature{since: 23}
	// FlagAnswersNotSniffed: browsers must not guess the type of the answers of /debug/flags/v
	// (kubernetes/apiserver:pkg/server/routes/flags.go).
	FlagAnswersNotSniffed = Feature{since: 17}
	// FlagsSettable: flags can be set at /debug/flags (kubernetes/apiserver:pkg/server/routes/flags.go).
	FlagsSettable = Feature{since: 11}
	// FlagsWithoutTemplate: /debug/flags has no empty lines (kubernetes/apiserver:pkg/server/routes/flags.go).
	FlagsWithoutTemplate = Feature{since: 34}
	// FutureVersionsTimeOut: a list of one version that does not exist yet times out, and does not quote etcd
	// (kubernetes/apiserver:pkg/storage/etcd3/store.go).
	FutureVersionsTimeOut = Feature{since: 34}
	// gateComponents: --feature-gates may name the component that has a gate, as in kube:WatchList=true
	// (kubernetes/component-base:compatibility/registry.go; 1.31 kubernetes/apiserver:pkg/util/version/registry.go).
	gateComponents = Feature{since: 31}
	// IncludeUninitializedOption: a create has the parameter includeUninitialized as a boolean; before, only 1 counted
	// (kubernetes/apiserver:pkg/endpoints/handlers/create.go; IN-10).
	IncludeUninitializedOption = Feature{since: 12}
	// InitialEventsOption: lists and watches have the parameter sendInitialEvents
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	InitialEventsOption = Feature{since: 27}
	// InsecureLogsOption: requests for logs have the parameter insecureSkipTLSVerifyBackend (kubernetes/api:core/v1/types.go).
	InsecureLogsOption = Feature{since: 17}
	// JobSelectorWords: the message about unsupported field selectors calls Jobs Job.
	JobSelectorWords = Feature{since: 21}
	// KeysMayLack: server-side apply accepts list items that lack some of the keys by which they are merged
	// (sigs.k8s.io/structured-merge-diff/v6).
	KeysMayLack = Feature{since: 34}
	// LabelOperatorsListed: an error about the operator of a label selector lists all operators
	// (kubernetes/apimachinery:pkg/labels/selector.go).
	LabelOperatorsListed = Feature{since: 22}
	// LabelSelectorPaths: errors about label selectors name the wrong part like errors about fields
	// (kubernetes/apimachinery:pkg/labels/selector.go).
	LabelSelectorPaths = Feature{since: 21}
	// LargeVersionsCaused: the error about a version that does not exist yet has a cause, for programs
	// (kubernetes/apiserver:pkg/storage/errors.go).
	LargeVersionsCaused = Feature{since: 17}
	// LargeVersionsTyped: the cause in the error about a version that does not exist yet has a type
	// (kubernetes/apiserver:pkg/storage/errors.go).
	LargeVersionsTyped = Feature{since: 18}
	// LargeWritesWithoutOwners: what is too large for etcd is written again without managedFields (PL-34).
	LargeWritesWithoutOwners = Feature{since: 18}
	// LegacyTokensAudited: the audit log says which token of a Secret was used, and Secrets can be marked as invalid
	// (pkg/serviceaccount/legacy.go, KEP-2799).
	LegacyTokensAudited = Feature{since: 29}
	// LegacyTokensTracked: Secrets have a label with the day on which their token was last used, and clients are warned of
	// tokens that were made without being asked for.
	LegacyTokensTracked = Feature{since: 27, gate: "LegacyServiceAccountTokenTracking"}
	// LimitsNamed: the message about the time of a request says how long it was (W-032;
	// kubernetes/apiserver:pkg/endpoints/handlers/rest.go).
	LimitsNamed = Feature{since: 12}
	// ListVersionsChecked: a list checks its version in the same way wherever it comes from
	// (kubernetes/apiserver:pkg/storage/interfaces.go, ValidateListOptions).
	ListVersionsChecked = Feature{since: 33}
	// ListVersionsFirst: a list that continues reads its version before its token
	// (kubernetes/apiserver:pkg/storage/etcd3/store.go).
	ListVersionsFirst = Feature{since: 19}
	// LivenessAndReadiness: there are /livez and /readyz beside /healthz.
	LivenessAndReadiness = Feature{since: 16}
	// LogFilesHidden: /logs does not show the log files of the server's machine, unless --enable-logs-handler is set
	// (pkg/controlplane/apiserver/options/options.go).
	LogFilesHidden = Feature{since: 31}
	// LogsByKlog: the server logs with klog, which answers of /debug/flags/v name
	// (kubernetes/component-base:logs/logs.go).
	LogsByKlog = Feature{since: 13}
	// LogStreamOption: requests for logs have the parameter stream (kubernetes/api:core/v1/types.go).
	LogStreamOption = Feature{since: 32}
	// LongerHandlers: the handling of an object may take 34 s instead of 30 s (W-031).
	LongerHandlers = Feature{since: 15}
	// MetaFormsV1: tables and the metadata of objects are shown in meta.k8s.io/v1, too, not only in v1beta1
	// (kubernetes/apiserver:pkg/endpoints/handlers/rest.go).
	MetaFormsV1 = Feature{since: 15}
	// MinorInDocuments: OpenAPI documents are about 1.31, not v1.31.0 (kubernetes/apiserver:pkg/server/config.go,
	// completeOpenAPI).
	MinorInDocuments = Feature{since: 31}
	// MissingComponentsNotFound: a ComponentStatus that does not exist is not found. Before, this was an internal error
	// (pkg/registry/core/componentstatus/rest.go).
	MissingComponentsNotFound = Feature{since: 33}
	// MissingNotMutated: a PUT of an object that does not exist is refused before the mutating phase
	// (kubernetes/apiserver:pkg/registry/generic/registry/store.go).
	MissingNotMutated = Feature{since: 19}
	// NamedBindings: the admission request for a binding or eviction has the name of the pod, and a body with another name
	// is refused; before, the name in the body counted (pkg/registry/core/pod/storage: NamedCreater).
	NamedBindings = Feature{since: 16}
	// NamedConversionsOnly: a body of another kind is refused at once; before, the server tried to convert it field by
	// field (RT-10; kubernetes/apimachinery:pkg/conversion/converter.go).
	NamedConversionsOnly = Feature{since: 19}
	// NamespacesDeletedAgain: deleting a terminating namespace is not a conflict
	// (pkg/registry/core/namespace/storage/storage.go).
	NamespacesDeletedAgain = Feature{since: 17}
	// NamespacesNamedInLabels: every namespace has a label with its name (KEP-2161).
	NamespacesNamedInLabels = Feature{since: 21}
	// NodeLeases: nodes have leases, in a namespace of their own (KEP-589).
	NodeLeases = Feature{since: 14, gate: "NodeLease"}
	// NoIndexOfOthers: the answer to a path that does not exist is plain text. Before, it lists the paths of the server of
	// custom resources (kubernetes/apiserver:pkg/util/notfoundhandler).
	NoIndexOfOthers = Feature{since: 23}
	// NoInitializers: nobody waits for new objects to be initialized, and lists show all objects (IN-09, IN-10).
	NoInitializers = Feature{since: 14}
	// NoTokenSecrets: the controllers create no token secret for each service account (KEP-2799).
	NoTokenSecrets = Feature{since: 24}
	// OldNodesKept: validation does not change the node that is replaced. Earlier, the validating phase got the new
	// node as the old object (pkg/apis/core/validation/validation.go, ValidateNodeUpdate).
	OldNodesKept = Feature{since: 18}
	// OpenAPIV3: there is /openapi/v3.
	OpenAPIV3 = Feature{since: 23, gate: "OpenAPIV3"}
	// OpenIDPages: there are documents with which clients can verify tokens (pkg/routes/openidmetadata.go).
	OpenIDPages = Feature{since: 18, gate: "ServiceAccountIssuerDiscovery"}
	// PagesAsObjects: clients may ask for the status and the flags of the server as objects of config.k8s.io/v1alpha1. Before,
	// these pages are text (kubernetes/apiserver:pkg/server/statusz, flagz).
	PagesAsObjects = Feature{since: 35}
	// PagesFromCache: the first page of a list may come from the watch cache
	// (kubernetes/apiserver:pkg/storage/cacher/cacher.go).
	PagesFromCache = Feature{since: 31}
	// PagesInBeta: also as objects of v1beta1, in YAML and CBOR, too, and v1alpha1 is deprecated (KEP-4827, KEP-4828).
	PagesInBeta = Feature{since: 36}
	// PatchedObjectsInvalid: a patched object that cannot be decoded is an invalid patch, and not a failure of the server
	// (kubernetes/apiserver:pkg/endpoints/handlers/patch.go).
	PatchedObjectsInvalid = Feature{since: 16}
	// PatchesReadFirst: a patch that is not JSON, or not YAML for an apply, is refused before anything else is checked
	// (kubernetes/apiserver:pkg/endpoints/handlers/patch.go).
	PatchesReadFirst = Feature{since: 37}
	// PreconditionsInURLs: the parameters uid and resourceVersion of a deletion are preconditions
	// (kubernetes/apimachinery:pkg/apis/meta/v1/conversion.go).
	PreconditionsInURLs = Feature{since: 17}
	// ProxiesBySlices: proxies find the endpoints of a service in its EndpointSlices
	// (pkg/registry/core/service/storage/storage.go).
	ProxiesBySlices = Feature{since: 37}
	// QuotedURLs: Go quotes the URL in errors of HTTP clients (Go 1.14).
	QuotedURLs = Feature{since: 19}
	// RefusedEvictionsHaveCauses: a forbidden eviction has the budget as its cause, like an eviction that exceeds it
	// (pkg/registry/core/pod/storage/eviction.go).
	RefusedEvictionsHaveCauses = Feature{since: 37}
	// RefusedWritesOnce: admission of a refused write is only repeated if the object in the cache was outdated
	// (kubernetes/apiserver:pkg/storage/etcd3/store.go).
	RefusedWritesOnce = Feature{since: 19}
	// RemainingItems: lists say how many objects follow a page (kubernetes/apiserver:pkg/storage/etcd3/store.go).
	RemainingItems = Feature{since: 16, gate: "RemainingItemCount"}
	// RepairEventsInSeries: the events about repaired addresses and ports are in events.k8s.io
	// (pkg/registry/core/service/ipallocator/controller/repair.go).
	RepairEventsInSeries = Feature{since: 25}
	// RequestStatusMetadata: applying the status of a PodCertificateRequest does not own any metadata
	// (pkg/registry/certificates/podcertificaterequest/strategy.go).
	RequestStatusMetadata = Feature{since: 37}
	// ReviewsAskForOne: the error that a review has to be for one kind of access is about its spec.
	ReviewsAskForOne = Feature{since: 37}
	// RollbacksAdmitted: the validating phase sees the rollback of a deployment
	// (pkg/registry/apps/deployment/storage/storage.go).
	RollbacksAdmitted = Feature{since: 14}
	// RollbacksNamed: a rollback has to be for the deployment in the URL, and is checked before the validating phase.
	RollbacksNamed = Feature{since: 15}
	// RollbacksOfApps: errors about rollbacks name the group apps, whatever the group of the request.
	RollbacksOfApps = Feature{since: 13}
	// RootCADescribed: the ConfigMap with the certificate of the server has an annotation that says what it is for
	// (pkg/controller/certificates/rootcacertpublisher/publisher.go).
	RootCADescribed = Feature{since: 22}
	// RootCAPublished: each namespace has a ConfigMap with the certificate of the server, regardless of BoundTokens.
	RootCAPublished = Feature{since: 20, gate: "RootCAConfigMap"}
	// RouterListsTypes: the router says in which formats it has a document that is not acceptable
	// (emicklei/go-restful:jsr311.go).
	RouterListsTypes = Feature{since: 25}
	// runtimeConfigByMaturity: --runtime-config supports api/ga, api/beta and api/alpha
	// (kubernetes/apiserver:pkg/server/resourceconfig/helpers.go).
	runtimeConfigByMaturity = Feature{since: 17}
	// runtimeConfigByResource: --runtime-config supports names of single resources.
	runtimeConfigByResource = Feature{since: 24}
	// runtimeConfigOfExtensions: it supports those of extensions/v1beta1.
	runtimeConfigOfExtensions = Feature{since: 14}
	// ScaleErrorsWithoutExtensions: errors about the Scale of a workload do not name the group extensions.
	ScaleErrorsWithoutExtensions = Feature{since: 13}
	// ScalesReadWhole: an error about the Scale of an object that does not exist names the object, not its scale
	// (pkg/registry/apps/deployment/storage/storage.go).
	ScalesReadWhole = Feature{since: 33}
	// ScalesValidated: the validating phase of a Scale gets a Scale. Before, it was the scaled object (W-340a).
	ScalesValidated = Feature{since: 15}
	// ScalesWrittenWhole: the same for writes, and the uid of a Scale has to be that of its object.
	ScalesWrittenWhole = Feature{since: 19}
	// SchedulersProbedByTLS: the server probes the secure port of the scheduler (pkg/registry/core/rest/storage_core.go).
	SchedulersProbedByTLS = Feature{since: 23}
	// SelectEventReporters: events can be selected by their reporters, and those of events.k8s.io by the new names of
	// fields.
	SelectEventReporters = Feature{since: 19}
	// SelectHostNetwork: pods can be selected by spec.hostNetwork.
	SelectHostNetwork = Feature{since: 28}
	// SelectPodIPs: pods can be selected by status.podIPs.
	SelectPodIPs = Feature{since: 17}
	// SelectPools: ResourceSlices can be selected by spec.pool.name.
	SelectPools = Feature{since: 37}
	// SelectServices: Services can be selected by spec.clusterIP and spec.type.
	SelectServices = Feature{since: 31}
	// ServiceCIDRResets: applying a ServiceCIDR only owns what the write keeps
	// (pkg/registry/networking/servicecidr/strategy.go).
	ServiceCIDRResets = Feature{since: 36}
	// ServicesReleasedWhenGone: what is allocated to a service is free once the service is gone, not once somebody deletes it (PL-21e;
	// pkg/registry/core/service/storage/storage.go).
	ServicesReleasedWhenGone = Feature{since: 23}
	// ShardSelectors: lists have the parameter shardSelector, which a gate makes effective
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go, KEP-5866).
	ShardSelectors = Feature{since: 36}
	// SingularNames: discovery has the singular names of built-in resources (kubernetes/apiserver:pkg/endpoints/installer.go).
	SingularNames = Feature{since: 27}
	// StatusListsPaths: the page about the status of the server lists paths, and is that of all API servers
	// (kubernetes/component-base:zpages/statusz/statusz.go).
	StatusListsPaths = Feature{since: 34}
	// SystemMetadataWiped: a PUT or apply that creates an object loses all metadata that the server sets, including
	// that of a deletion, like a POST (kubernetes/apiserver:pkg/registry/generic/registry/store.go).
	SystemMetadataWiped = Feature{since: 37}
	// TargetNodesChecked: the node in a Binding has to be a DNS subdomain.
	TargetNodesChecked = Feature{since: 37}
	// TokensCompletedFirst: admission sees a TokenRequest with its name, namespace and time, after it was checked (PL-22).
	TokensCompletedFirst = Feature{since: 24}
	// TokensExtended: the tokens that the kubelet asks for are valid for a year, so that programs that do not read them again
	// still work (pkg/registry/core/serviceaccount/storage/token.go).
	TokensExtended = Feature{since: 20}
	// TokensExtendedForServer: only those for the API server are.
	TokensExtendedForServer = Feature{since: 24}
	// TokensFirst: a list that continues reads its token before its version, as it also did before ListVersionsFirst
	// (kubernetes/apiserver:pkg/storage/etcd3/store.go).
	TokensFirst = Feature{since: 29}
	// TokensIdentified: each new token of a service account has an id, which is also in the audit log (KEP-4193).
	TokensIdentified = Feature{since: 30, gate: "ServiceAccountTokenJTI"}
	// TokensInStorage: tokens of lists are read in another package, and errors about their versions have no quotes
	// (kubernetes/apiserver:pkg/storage/continue.go).
	TokensInStorage = Feature{since: 25}
	// TokensNameNodes: the token of a pod names the node on which it runs (pkg/serviceaccount/claims.go, KEP-4193).
	TokensNameNodes = Feature{since: 30, gate: "ServiceAccountTokenPodNodeInfo"}
	// TokensNameUIDs: a token request has the uid of its service account.
	TokensNameUIDs = Feature{since: 34}
	// UnreadableInBeta: objects that the server cannot read can be deleted in a dry run, too, and it is the storage that
	// refuses to delete others like this; errors of lists name one of them
	// (kubernetes/apiserver:pkg/registry/generic/registry/corrupt_obj_deleter.go, pkg/storage/etcd3/corrupt_obj_deleter.go).
	UnreadableInBeta = Feature{since: 37}
	// UnreadableNotAdmitted: an object that the server cannot read is deleted without admission. Before, the server panicked,
	// because it had no old object for admission (kubernetes/apiserver:pkg/registry/generic/registry/corrupt_obj_deleter.go).
	UnreadableNotAdmitted = Feature{since: 33}
	// UnsafeDeletionOption: deletions have the parameter ignoreStoreReadErrorWithClusterBreakingPotential
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	UnsafeDeletionOption = Feature{since: 32}
	// VerbosityIn32Bits: how much is logged is a number of 32 bits (k8s.io/klog:klog.go).
	VerbosityIn32Bits = Feature{since: 16}
	// VerbosityUnsigned: how much is logged is a number that is not negative (kubernetes/component-base:logs/logs.go).
	VerbosityUnsigned = Feature{since: 27}
	// VerificationNamed: Go's message says that a certificate was not verified before it says why (Go 1.20).
	VerificationNamed = Feature{since: 24}
	// VersionMatchOption: lists have the parameter resourceVersionMatch (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	VersionMatchOption = Feature{since: 19}
	// VersionOfServer: OpenAPI documents say that /version is about the server, not about its code
	// (kubernetes/apiserver:pkg/server/routes/version.go).
	VersionOfServer = Feature{since: 33}
	// WebhookTokens: tokens may be bound to a webhook configuration, if a gate is on.
	WebhookTokens = Feature{since: 37}
)

// What CEL supports: kubernetes/apiserver:pkg/cel/environment/base.go.
var (
	// CELAddresses: ip and cidr.
	CELAddresses = Feature{since: 30}
	// CELAuthorizer: the authorizer.
	CELAuthorizer = Feature{since: 27}
	// CELEqualityCosts: comparing quantities, addresses and the like is estimated to cost little, and the size of a URL is
	// estimated (kubernetes/apiserver:pkg/cel/library/cost.go).
	CELEqualityCosts = Feature{since: 32}
	// CELFormats: format, which checks strings.
	CELFormats = Feature{since: 31}
	// CELIncludes: includes, which looks for a value in a list, or compares it with a single value.
	CELIncludes = Feature{since: 37}
	// CELLists: the functions for lists of CEL itself, such as sort.
	CELLists = Feature{since: 34}
	// CELNamespaces: expressions about requests see namespaceObject.
	CELNamespaces = Feature{since: 28}
	// CELNamespacesLookedUp: a namespace for namespaceObject that caches lack is looked up
	// (kubernetes/apiserver:pkg/admission/plugin/webhook/predicates/namespace/matcher.go).
	CELNamespacesLookedUp = Feature{since: 29}
	// CELOffsets: CEL computes the place of a syntax error from an offset, and that in an empty expression is 1:0 (cel-go).
	CELOffsets = Feature{since: 32}
	// CELOptionalLists: the functions first and last of lists, and those that unwrap a list of optional values (W-345).
	CELOptionalLists = Feature{since: 33}
	// CELProgramsInternal: an expression that compiles to no program, such as one with a wrong pattern, is an internal error
	// (kubernetes/apiserver:pkg/admission/plugin/cel/compile.go).
	CELProgramsInternal = Feature{since: 28}
	// CELQuantities: quantities, optional values, and comparisons of numbers of different types.
	CELQuantities = Feature{since: 28}
	// CELQuantitiesCopied: sums and differences of quantities leave these unchanged (W-348).
	CELQuantitiesCopied = Feature{since: 37}
	// CELQuantityCosts: reading a quantity costs as much as its text is long.
	CELQuantityCosts = Feature{since: 30}
	// CELResultsNamed: errors about the result of an expression name the type that it should have.
	CELResultsNamed = Feature{since: 27}
	// CELSearchCosts: the cost of startsWith and endsWith depends on the text that is searched for, not on the text
	// that is searched, and matches costs the same as a function and as a method (cel-go).
	CELSearchCosts = Feature{since: 37}
	// CELSemver: semantic versions.
	CELSemver = Feature{since: 33}
	// CELStored: rules of CRDs and other expressions that are new may only use what the previous release knows, stored ones
	// everything (W-325).
	CELStored = Feature{since: 28}
	// CELStringsAndSets: a later version of the functions for strings, sets, and checks of literals.
	CELStringsAndSets = Feature{since: 29}
	// CELTwoVariables: macros with two variables.
	CELTwoVariables = Feature{since: 32}
	// DeviceCapacityInCEL: CEL sees allowMultipleAllocations of a device (gate
	// DRAConsumableCapacity).
	DeviceCapacityInCEL = Feature{since: 36}
	// JSONReadBySIGs: JSON is read by sigs.k8s.io/json. Before, json-iterator read it, which has other errors (CV-11b),
	// wrote the patches in audit annotations (W-245) and indented answers:
	// kubernetes/apimachinery:pkg/runtime/serializer/json/json.go.
	JSONReadBySIGs = Feature{since: 23}
	// KeywordsAsFields: fields may have the names of CEL keywords.
	KeywordsAsFields = Feature{since: 31}
	// ObjectListsInPatches: a JSON patch of a policy may have a list of Object{…} as its value; before, the server
	// panicked (kubernetes/apiserver:pkg/cel/mutation/dynamic/objects.go).
	ObjectListsInPatches = Feature{since: 37}
	// PolicyLibraryCosts: in policies, calls of Kubernetes' own functions cost what the function says, not 1 each.
	PolicyLibraryCosts = Feature{since: 32, gate: "StrictCostEnforcementForVAP"}
	// WebhookLibraryCosts: the same for match conditions of webhooks.
	WebhookLibraryCosts = Feature{since: 32, gate: "StrictCostEnforcementForWebhooks"}
)
