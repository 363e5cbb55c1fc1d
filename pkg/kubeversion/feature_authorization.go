package kubeversion

// What the authorizers of a server say, and what the Node authorizer knows: kubernetes/kubernetes:
// plugin/pkg/auth/authorizer/node/node_authorizer.go.
var (
	// AuthorizationConfigurations: the flag --authorization-config, with a gate; first of version v1alpha1 only.
	AuthorizationConfigurations = Feature{since: 29, gate: "StructuredAuthorizationConfiguration"}
	// AuthorizationConfigurationV1beta1: of this version, too.
	AuthorizationConfigurationV1beta1 = Feature{since: 30}
	// AuthorizationConfigurationV1: of this one.
	AuthorizationConfigurationV1 = Feature{since: 32}
	// NamedAuthorizers: the reasons of those that had no opinion have their names in front:
	// kubernetes/apiserver:pkg/authorization/union/union.go.
	NamedAuthorizers = Feature{since: 37}
	// CreateRefusals: a PUT or an apply whose sender may not create is refused in the words of other
	// requests, not with the authorizers' reason alone.
	CreateRefusals = Feature{since: 32}
	// MissingRolesByRequest: a role that is not there is called after the resource of the request
	// that binds it.
	MissingRolesByRequest = Feature{since: 32}
	// NodeCSIStatus: a node may write the status of its CSINode, with a gate.
	NodeCSIStatus = Feature{since: 37}
	// NodePodCertificates: a node may ask for certificates of its pods.
	NodePodCertificates = Feature{since: 34}
	// NodePodCertificatesByGate: without the gate it may not, whatever its role says.
	NodePodCertificatesByGate = Feature{since: 35}
	// NodeResourceClaims: a node may read the claims of its pods, not all.
	NodeResourceClaims = Feature{since: 28}
	// NodeResourceSlices: a node may deal with its own slices.
	NodeResourceSlices = Feature{since: 30}
	// NodeRulesUnknown: a review of rules is incomplete for a node. Reasons quote its name otherwise.
	NodeRulesUnknown = Feature{since: 19}
	// NodeSelectors: a node may only list what it selects as its own.
	NodeSelectors = Feature{since: 31, gate: "AuthorizeNodeWithSelectors"}
	// NodeServiceAccounts: a node may read the accounts of its pods, with a gate.
	NodeServiceAccounts = Feature{since: 33}
	// NodeSlicesDeleted: a node may delete all of its slices at once.
	NodeSlicesDeleted = Feature{since: 31}
)
