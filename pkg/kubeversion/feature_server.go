package kubeversion

// What the server does around admission, and what a living cluster has. The files named are those
// of kubernetes/kubernetes.
var (
	// AdminAccessNamespaces: administrative access to devices needs a namespace that allows it
	// (pkg/registry/resource/utils.go, KEP-5018).
	AdminAccessNamespaces = Feature{since: 33}
	// EmulationInVersion: /version also says which release is emulated, and the oldest that it is compatible with.
	EmulationInVersion = Feature{since: 33}
	// AggregatedDiscovery: /api and /apis list all resources at once, as apidiscovery.k8s.io/v2 has them
	// (KEP-3352).
	AggregatedDiscovery = Feature{since: 30}
	// AggregatedDiscoveryBeta: the same as apidiscovery.k8s.io/v2beta1.
	AggregatedDiscoveryBeta = Feature{since: 27}
	// BadOptionsAreBadRequests: options of a delete that cannot be read are a bad request, not an
	// internal error.
	BadOptionsAreBadRequests = Feature{since: 35}
	// BudgetConditionTold: a refused eviction says which condition of the budget is to blame
	// (pkg/registry/core/pod/storage/eviction.go).
	BudgetConditionTold = Feature{since: 35}
	// CertificatesAreCredentials: the extra values of who shows a client certificate say which
	// (kubernetes/apiserver:pkg/authentication/request/x509/x509.go).
	CertificatesAreCredentials = Feature{since: 32}
	// ClaimStatusMetadata: who applies the status of a ResourceClaim owns nothing of its metadata
	// (pkg/registry/resource/resourceclaim/strategy.go).
	ClaimStatusMetadata = Feature{since: 35}
	// CommonNamesIgnored: Go says of certificates without names to use SANs, and of no switch
	// (Go 1.17).
	CommonNamesIgnored = Feature{since: 23}
	// CommonNamesRefused: a certificate without alternative names is no longer taken by its common name (Go 1.15).
	CommonNamesRefused = Feature{since: 19}
	// DeletionTerminates: no custom resource is created once its definition is deleted, even while the
	// definition has no condition that says so (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go).
	DeletionTerminates = Feature{since: 37}
	// DefinitionPreconditionWords: a failed precondition of deleting a definition starts with a small
	// letter (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/etcd.go).
	DefinitionPreconditionWords = Feature{since: 37}
	// DefinitionStatusMetadata: who applies the status of a definition may own metadata
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go).
	DefinitionStatusMetadata = Feature{since: 36}
	// DisruptionConditions: pods have a condition that says why they go (KEP-3329).
	DisruptionConditions = Feature{since: 26}
	// EndpointsOutliveServices: the endpoints of a service that is deleted stay for their controller
	// (pkg/registry/core/service/storage/storage.go).
	EndpointsOutliveServices = Feature{since: 37}
	// JobSelectorWords: Jobs name themselves Job where a field cannot be selected by.
	JobSelectorWords = Feature{since: 21}
	// NoTokenSecrets: the controllers make no secret with a token for each account (KEP-2799).
	NoTokenSecrets = Feature{since: 24}
	// ProxiesBySlices: proxies look for the endpoints of a service in its EndpointSlices
	// (pkg/registry/core/service/storage/storage.go).
	ProxiesBySlices = Feature{since: 37}
	// QuotedURLs: Go puts the URL in errors of HTTP clients in quotes (Go 1.14).
	QuotedURLs = Feature{since: 19}
	// RequestStatusMetadata: who applies the status of a PodCertificateRequest owns nothing of its metadata
	// (pkg/registry/certificates/podcertificaterequest/strategy.go).
	RequestStatusMetadata = Feature{since: 37}
	// RollbacksAdmitted: the validating phase sees the rollback of a deployment
	// (pkg/registry/apps/deployment/storage/storage.go).
	RollbacksAdmitted = Feature{since: 14}
	// RollbacksNamed: it is of the deployment of the request's name, and checked before the validating phase.
	RollbacksNamed = Feature{since: 15}
	// RollbacksOfApps: errors about it are of the group apps, whatever that of the request.
	RollbacksOfApps = Feature{since: 13}
	// runtimeConfigByMaturity: --runtime-config knows api/ga, api/beta and api/alpha
	// (kubernetes/apiserver:pkg/server/resourceconfig/helpers.go).
	runtimeConfigByMaturity = Feature{since: 17}
	// runtimeConfigByResource: --runtime-config heeds the names of single resources.
	runtimeConfigByResource = Feature{since: 24}
	// runtimeConfigOfExtensions: it heeds those of extensions/v1beta1.
	runtimeConfigOfExtensions = Feature{since: 14}
	// SelectEventReporters: events can be selected by who reported them, and those of
	// events.k8s.io by the new names of fields.
	SelectEventReporters = Feature{since: 19}
	// SelectHostNetwork: pods can be selected by spec.hostNetwork.
	SelectHostNetwork = Feature{since: 28}
	// SelectPodIPs: pods can be selected by status.podIPs.
	SelectPodIPs = Feature{since: 17}
	// SelectPools: ResourceSlices can be selected by spec.pool.name.
	SelectPools = Feature{since: 37}
	// SelectServices: Services can be selected by spec.clusterIP and spec.type.
	SelectServices = Feature{since: 31}
	// PatchesReadFirst: a patch that is no JSON, or no YAML where it is applied, is refused before anything is
	// looked for (kubernetes/apiserver:pkg/endpoints/handlers/patch.go).
	PatchesReadFirst = Feature{since: 37}
	// RefusedEvictionsHaveCauses: an eviction that is forbidden has the budget as its cause, like one that is
	// too many (pkg/registry/core/pod/storage/eviction.go).
	RefusedEvictionsHaveCauses = Feature{since: 37}
	// ReviewsAskForOne: that a review is of one kind of access is said of its spec.
	ReviewsAskForOne = Feature{since: 37}
	// ServiceCIDRResets: who applies a ServiceCIDR owns only what the write keeps
	// (pkg/registry/networking/servicecidr/strategy.go).
	ServiceCIDRResets = Feature{since: 36}
	// SystemMetadataWiped: a PUT or apply that creates loses what the server sets, its deletion too, like a POST
	// (kubernetes/apiserver:pkg/registry/generic/registry/store.go).
	SystemMetadataWiped = Feature{since: 37}
	// TargetNodesChecked: the node that a Binding names is a DNS subdomain.
	TargetNodesChecked = Feature{since: 37}
	// WebhookTokens: tokens may be bound to a configuration of webhooks, if a gate is on.
	WebhookTokens = Feature{since: 37}
	// TokensNameUIDs: a request for a token has the uid of its account.
	TokensNameUIDs = Feature{since: 34}
	// VerificationNamed: Go says that a certificate was not verified before it says why (Go 1.20).
	VerificationNamed = Feature{since: 27}
)

// What CEL knows: kubernetes/apiserver:pkg/cel/environment/base.go.
var (
	// CELAddresses: ip and cidr.
	CELAddresses = Feature{since: 30}
	// CELAuthorizer: the authorizer.
	CELAuthorizer = Feature{since: 27}
	// CELFormats: format, by which strings are checked.
	CELFormats = Feature{since: 31}
	// CELIncludes: includes, which asks a list, or a value that is none, for a value.
	CELIncludes = Feature{since: 37}
	// CELLists: the functions of lists of CEL itself, such as sort.
	CELLists = Feature{since: 34}
	// CELQuantities: quantities, optional values, and comparisons of different types of numbers.
	CELQuantities = Feature{since: 28}
	// CELSearchCosts: startsWith and endsWith cost what is searched, not what it is searched in, and
	// matches costs the same as a function as it does as a method (cel-go).
	CELSearchCosts = Feature{since: 37}
	// CELSemver: semantic versions.
	CELSemver = Feature{since: 33}
	// CELStringsAndSets: a later version of the functions of strings, sets, and checks of literals.
	CELStringsAndSets = Feature{since: 29}
	// CELTwoVariables: macros with two variables.
	CELTwoVariables = Feature{since: 32}
	// DeviceCapacityInCEL: CEL sees allowMultipleAllocations of a device (gate
	// DRAConsumableCapacity).
	DeviceCapacityInCEL = Feature{since: 36}
	// ObjectListsInPatches: a JSON patch of a policy may have a list of Object{…} as its value, at
	// which the server panicked (kubernetes/apiserver:pkg/cel/mutation/dynamic/objects.go).
	ObjectListsInPatches = Feature{since: 37}
	// PolicyLibraryCosts: calls of Kubernetes' own functions cost a policy what the function says, not 1 each.
	PolicyLibraryCosts = Feature{since: 32, gate: "StrictCostEnforcementForVAP"}
	// WebhookLibraryCosts: the same of the match conditions of webhooks.
	WebhookLibraryCosts = Feature{since: 32, gate: "StrictCostEnforcementForWebhooks"}
	// KeywordsAsFields: fields may be called as words of CEL are.
	KeywordsAsFields = Feature{since: 31}
)
