package kubeversion

import "fmt"

// A Feature is a difference between releases that is neither a plugin nor a resource: something that the server does
// since some release. Code checks for it with [Release.Has]. Only the files of features say which release introduced
// it.
type Feature struct {
	name  string // for comparisons of releases; empty: the feature is only a detail
	since int    // minor version that introduced it
	gate  string // decides in releases that have this gate

	backported bool // early patch releases, which are listed in parse.go, do not have it
}

var (
	// AuthorizerSelectors: CEL's authorizer knows fieldSelector and labelSelector (W-325).
	AuthorizerSelectors = Feature{name: "selectors of CEL's authorizer", since: 31, gate: "AuthorizeWithSelectors"}
	// BoundTokens: pods get a projected token instead of the secret of a service account.
	BoundTokens = Feature{name: "bound service account tokens", since: 21, gate: "BoundServiceAccountTokenVolume"}
	// CollectionsTakeLonger: the deletion of a collection may take 60 s, not 34 (W-031).
	CollectionsTakeLonger = Feature{since: 24}
	// ExportRefused: a GET with export=true is refused; before, the server took away what a cluster adds to the object.
	ExportRefused = Feature{since: 21}
	// FailOpenAnnotations: ignored failures of webhooks are in the audit log (W-246, W-247).
	FailOpenAnnotations = Feature{name: "audit annotations of failures that are ignored", since: 22}
	// FieldValidation: the query parameter fieldValidation is supported.
	FieldValidation = Feature{name: "field validation", since: 23, gate: "ServerSideFieldValidation"}
	// MatchConditions: webhooks have matchConditions (W-116).
	MatchConditions = Feature{name: "match conditions of webhooks", since: 27, gate: "AdmissionWebhookMatchConditions"}
	// ManagedFields: the fields of every object have managers, not only those of objects that were once applied.
	ManagedFields = Feature{name: "managed fields of objects that are not applied", since: 18}
	// NamedCreates: admission knows the name of the object that a POST creates (W-011).
	NamedCreates = Feature{name: "names in admission of creates", since: 16}
	// NamespacedNamespaces: for admission, the namespace of a new namespace is the namespace itself (W-012).
	NamespacedNamespaces = Feature{name: "namespace in admission of new namespaces", since: 20}
	// NoSelfLinks: answers have no metadata.selfLink.
	NoSelfLinks = Feature{name: "no metadata.selfLink in answers", since: 16, gate: "RemoveSelfLink"}
	// ObjectNamespaces: a POST without metadata.namespace gets it before admission, not after.
	ObjectNamespaces = Feature{name: "metadata.namespace filled in before admission", since: 24}
	// OmitsZeroTimes: an unset creationTimestamp is omitted, not null (W-138).
	OmitsZeroTimes = Feature{name: "zero creationTimestamp left out", since: 34}
	// PatchTextPolicy: the failure policy of the webhook applies to a patch that is not JSON (W-189).
	PatchTextPolicy = Feature{name: "failurePolicy for patches that are no JSON", since: 34}
	// RecoversPanics: the failure policy applies to a panic of the server in the call of a validating webhook; the
	// server does not end (W-240).
	RecoversPanics = Feature{name: "recovery from panics in validating webhooks", since: 25}
	// RequestDeadline: webhooks are called within the time of the request (W-031).
	RequestDeadline = Feature{name: "deadline of requests for webhooks", since: 16}
	// RequestDeadlineFilter: a filter of the server enforces the timeout that a client asks for, and refuses an invalid one.
	// Before, only the handlers watched the time (W-031, W-032).
	RequestDeadlineFilter = Feature{since: 21}
	// ScaleOwners: the field manager of a scale also owns the replicas of the object, and vice versa.
	ScaleOwners = Feature{name: "owners of replicas through scale", since: 22}
	// SelectorsFirst: the selectors of a webhook are evaluated before its rules (W-127).
	SelectorsFirst = Feature{name: "selectors of webhooks before rules", since: 20}
	// ServerSideApply: patches of type apply, and field managers of objects.
	ServerSideApply = Feature{name: "server-side apply", since: 16, gate: "ServerSideApply"}
	// ServicePorts: the URL of a webhook's service has the port of the service; before that it always had 443 (W-143).
	ServicePorts = Feature{name: "ports in URLs of webhook services", since: 16}
	// SystemMetadata: metadata that only the server sets is removed from a new object before admission, not after the
	// mutating phase (W-022).
	SystemMetadata = Feature{name: "system metadata taken away before admission", since: 25}
	// TimeoutDash: the message about the time of a request has a dash before its reason (W-032).
	TimeoutDash = Feature{since: 22}
	// ValuesAsJSON: an invalid value is shown as JSON, not as Go (ER-06), and so is a difference between values (ER-07).
	ValuesAsJSON = Feature{name: "invalid values shown as JSON", since: 34}
	// Warnings: Warning headers, by the server and by webhooks (W-253).
	Warnings = Feature{name: "warnings", since: 19}
	// ValidatingFailureReasons: the message about a failure of a validating webhook says at which step it occurred
	// (W-169).
	ValidatingFailureReasons = Feature{name: "reasons in failures of validating webhooks", since: 23}
	// WebhookAnnotations: changes by a webhook are in the audit log (W-244, W-245).
	WebhookAnnotations = Feature{name: "audit annotations of webhook calls", since: 16}
	// MutatingFailureReasons: the same for a mutating webhook.
	MutatingFailureReasons = Feature{name: "reasons in failures of mutating webhooks", since: 22}
	// WebhooksV1: webhook configurations and AdmissionReviews of version v1 (W-056, W-130).
	WebhooksV1 = Feature{name: "webhooks v1", since: 16}
)

// named lists the features that a comparison of releases shows.
var named = []Feature{
	AuthorizerSelectors,
	BoundTokens,
	ConnectOptions,
	DenialsOfMutators,
	DryRuns,
	FailOpenAnnotations,
	FieldValidation,
	WebhooksChosenInTurn,
	ManagedFields,
	MatchConditions,
	MutatingFailureReasons,
	NamedCreates,
	NamespacedNamespaces,
	NoSelfLinks,
	ObjectNamespaces,
	ObjectSelectors,
	OmitsZeroTimes,
	PatchTextPolicy,
	RecoversPanics,
	RequestDeadline,
	RequestsInReviews,
	ScaleOwners,
	SelectorsFirst,
	ServerSideApply,
	ServicePorts,
	SystemMetadata,
	ValidatingFailureReasons,
	ValuesAsJSON,
	Warnings,
	WebhookAnnotations,
	WebhookAuditAnnotations,
	WebhookTimeouts,
	WebhooksV1,
}

// Has reports whether the server has a feature, and whether its gate is on, if it has one.
func (r *Release) Has(f Feature) bool {
	if f.gate != "" {
		if on, ok := r.Gate(f.gate); ok {
			return on
		}
	}
	return f.In(r.Minor) && !(f.backported && r.early)
}

// In reports whether the last patch release of 1.minor has the feature, regardless of its gates.
func (f Feature) In(minor int) bool { return minor >= f.since }

// Since returns the first release with the feature, such as "1.36".
func (f Feature) Since() string { return fmt.Sprintf("1.%d", f.since) }
