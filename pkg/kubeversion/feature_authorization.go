package kubeversion

// The answers of authorizers, and what the Node authorizer allows: kubernetes/kubernetes:
// plugin/pkg/auth/authorizer/node/node_authorizer.go.
var (
	// AuthorizationConfigurations: the flag --authorization-config, with a gate; at first for version v1alpha1 only.
	AuthorizationConfigurations = Feature{since: 29, gate: "StructuredAuthorizationConfiguration"}
	// AuthorizationConfigurationV1: also for this version.
	AuthorizationConfigurationV1 = Feature{since: 32}
	// AuthorizationConfigurationV1beta1: also for this version.
	AuthorizationConfigurationV1beta1 = Feature{since: 30}
	// CreateRefusals: a PUT or an apply whose user may not create the object is refused with the same message as other
	// requests, not only with the reason of the authorizers.
	CreateRefusals = Feature{since: 32}
	// MissingRolesByRequest: the error about a role that does not exist names the resource of the request that binds
	// it.
	MissingRolesByRequest = Feature{since: 32}
	// NamedAuthorizers: the reasons of authorizers without an opinion are prefixed with their names:
	// kubernetes/apiserver:pkg/authorization/union/union.go.
	NamedAuthorizers = Feature{since: 37}
	// NodeCSIStatus: a node may write the status of its CSINode, if a gate is on.
	NodeCSIStatus = Feature{since: 37}
	// NodePodCertificates: a node may request certificates for its pods.
	NodePodCertificates = Feature{since: 34}
	// NodePodCertificatesByGate: it may not if the gate is off, whatever its role says.
	NodePodCertificatesByGate = Feature{since: 35}
	// NodeResourceClaims: a node may read the claims of its pods, not all claims.
	NodeResourceClaims = Feature{since: 28}
	// NodeResourceSlices: a node may read and write its own slices.
	NodeResourceSlices = Feature{since: 30}
	// NodeRulesUnknown: a review of rules is incomplete for a node. Reasons also quote its name in another style.
	NodeRulesUnknown = Feature{since: 19}
	// NodeSelectors: a node may only list objects that it selects as its own.
	NodeSelectors = Feature{since: 31, gate: "AuthorizeNodeWithSelectors"}
	// NodeServiceAccounts: a node may read the service accounts of its pods, if a gate is on.
	NodeServiceAccounts = Feature{since: 33}
	// NodeSlicesDeleted: a node may delete all of its slices at once.
	NodeSlicesDeleted = Feature{since: 31}
)
