package kubeversion

// What the Node authorizer knows: kubernetes/kubernetes:
// plugin/pkg/auth/authorizer/node/node_authorizer.go.
var (
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
