package kubeversion

// A Feature is something that the server does since some release and that is neither a
// plugin nor a resource. While it was new it may have had a feature gate.
type Feature string

const (
	// AuthorizerSelectors: CEL's authorizer knows fieldSelector and labelSelector (W-325).
	AuthorizerSelectors Feature = "selectors of CEL's authorizer"
	// BoundTokens: pods get a projected token instead of an account's secret.
	BoundTokens Feature = "bound service account tokens"
	// FailOpenAnnotations: what a webhook failed to look at is in the audit log (W-246, W-247).
	FailOpenAnnotations Feature = "audit annotations of failures that are ignored"
	// FieldValidation: the query parameter fieldValidation is heeded.
	FieldValidation Feature = "field validation"
	// MatchConditions: webhooks have matchConditions (W-116).
	MatchConditions Feature = "match conditions of webhooks"
	// ManagedFields: the fields of every object have managers, not only of those applied once.
	ManagedFields Feature = "managed fields of objects that are not applied"
	// NamedCreates: admission is told the name of what a POST creates (W-011).
	NamedCreates Feature = "names in admission of creates"
	// NamespacedNamespaces: a namespace that a POST creates is in itself, for admission (W-012).
	NamespacedNamespaces Feature = "namespace in admission of new namespaces"
	// NoSelfLinks: answers have no metadata.selfLink.
	NoSelfLinks Feature = "no metadata.selfLink in answers"
	// ObjectNamespaces: a POST without metadata.namespace gets it before admission, not after.
	ObjectNamespaces Feature = "metadata.namespace filled in before admission"
	// OmitsZeroTimes: a creationTimestamp that is not set is left out, not null (W-138).
	OmitsZeroTimes Feature = "zero creationTimestamp left out"
	// PatchTextPolicy: a patch that is no JSON goes by the webhook's failure policy (W-189).
	PatchTextPolicy Feature = "failurePolicy for patches that are no JSON"
	// RecoversPanics: a panic of the server in a validating webhook's call goes by its failure
	// policy, and does not end the server (W-240).
	RecoversPanics Feature = "recovery from panics in validating webhooks"
	// RequestDeadline: webhooks are called within the time of the request (W-031).
	RequestDeadline Feature = "deadline of requests for webhooks"
	// ScaleOwners: who wrote a scale owns the replicas of the object, and the other way round.
	ScaleOwners Feature = "owners of replicas through scale"
	// SelectorsFirst: the selectors of a webhook are asked before its rules (W-127).
	SelectorsFirst Feature = "selectors of webhooks before rules"
	// ServerSideApply: patches of type apply, and the field managers of objects.
	ServerSideApply Feature = "server-side apply"
	// ServicePorts: the URL of a webhook's service has its port, which was 443 before whatever
	// it is (W-143).
	ServicePorts Feature = "ports in URLs of webhook services"
	// SystemMetadata: what only the server sets is taken out of a new object before admission,
	// not after the mutating phase (W-022).
	SystemMetadata Feature = "system metadata taken away before admission"
	// ValuesAsJSON: an invalid value is shown as JSON, not as Go (ER-06).
	ValuesAsJSON Feature = "invalid values shown as JSON"
	// Warnings: Warning headers, of the server and of webhooks (W-253).
	Warnings Feature = "warnings"
	// ValidatingFailureReasons: the message of a failure of a validating webhook says at which
	// step it came (W-169).
	ValidatingFailureReasons Feature = "reasons in failures of validating webhooks"
	// WebhookAnnotations: what a webhook changed is in the audit log (W-244, W-245).
	WebhookAnnotations Feature = "audit annotations of webhook calls"
	// MutatingFailureReasons: the same of a mutating webhook.
	MutatingFailureReasons Feature = "reasons in failures of mutating webhooks"
	// WebhooksV1: webhook configurations and AdmissionReviews of version v1 (W-056, W-130).
	WebhooksV1 Feature = "webhooks v1"
)

// features136 are those of 1.36, which are for good.
var features136 = []Feature{
	AuthorizerSelectors, BoundTokens, FailOpenAnnotations, FieldValidation, ManagedFields, MatchConditions, MutatingFailureReasons, NamedCreates, NamespacedNamespaces, NoSelfLinks, ObjectNamespaces,
	OmitsZeroTimes, PatchTextPolicy, RecoversPanics, RequestDeadline, ScaleOwners, SelectorsFirst, ServerSideApply, ServicePorts,
	SystemMetadata, ValidatingFailureReasons, ValuesAsJSON, Warnings, WebhookAnnotations, WebhooksV1,
}

// Has tells whether the server has a feature, and its gate, if it has one, is on.
func (r *Release) Has(f Feature) bool {
	gate, ok := r.features[f]
	return ok && (gate == "" || r.gates[gate])
}
