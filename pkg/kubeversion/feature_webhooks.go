package kubeversion

// What admission webhooks learned while they were betas, and what their calls are about. The files named are those of
// kubernetes/apiserver.
var (
	// AbsentResponses: a mutating webhook's review without a response is a failed call, and no panic of the server
	// (pkg/admission/plugin/webhook/mutating/dispatcher.go).
	AbsentResponses = Feature{since: 11}
	// AbsentResponseWords: that it is absent starts with a small letter.
	AbsentResponseWords = Feature{since: 16}
	// ConnectOptions: what is admitted of a connection are its options, as an object of a kind of their own. What was
	// before could not be shown to webhooks (pkg/endpoints/handlers/rest.go; W-340).
	ConnectOptions = Feature{name: "options of connections in admission", since: 12}
	// DenialsOfMutators: what a mutating webhook refuses is refused with its own status, not as an internal error
	// (pkg/admission/plugin/webhook/mutating/dispatcher.go; W-335).
	DenialsOfMutators = Feature{name: "denials of mutating webhooks with their own status", since: 15}
	// DryRuns: the server can go through a request without a write.
	DryRuns = Feature{name: "dry runs", since: 12, gate: "DryRun"}
	// DryRunWords: that they are switched off is not said of an alpha (pkg/endpoints/handlers/create.go).
	DryRunWords = Feature{since: 19}
	// DryRunParameter: the server knows the query parameter dryRun, and has reviews say whether they are about one.
	DryRunParameter = Feature{since: 12}
	// EmptyNamespaceSelectors: a namespaceSelector that is empty matches without a look at the namespace
	// (pkg/admission/plugin/webhook/namespace/matcher.go; W-337).
	EmptyNamespaceSelectors = Feature{since: 15}
	// HooksInTurn: whether a mutating webhook is called is decided when its turn comes, by what those before it made of
	// the object, and not for all of them before the first is called (W-334).
	HooksInTurn = Feature{name: "mutating webhooks chosen in turn", since: 15}
	// ObjectSelectors: webhooks have objectSelector, matchPolicy and reinvocationPolicy (W-333).
	ObjectSelectors = Feature{name: "object selectors, match policies and second rounds of webhooks", since: 15}
	// RefusalsMended: a webhook's refusal gets a status that is one: Failure, and a code from 400 on
	// (pkg/admission/plugin/webhook/errors/statuserror.go; W-336).
	RefusalsMended = Feature{since: 15}
	// RequestsInReviews: reviews say which resource the request was for, and with which options, beside those that the
	// webhook asked for (pkg/admission/plugin/webhook/request/admissionreview.go; W-338).
	RequestsInReviews = Feature{name: "the original resource and the options in reviews", since: 15}
	// WebhookAuditAnnotations: the audit annotations of a webhook's answer count (W-339).
	WebhookAuditAnnotations = Feature{name: "audit annotations of webhooks", since: 12}
	// WebhookFailureWords: a failed call is one of a webhook, not of an admission webhook (pkg/util/webhook/error.go; W-339).
	WebhookFailureWords = Feature{since: 13}
	// WebhookTimeouts: webhooks have timeoutSeconds, a scope of their rules, and the versions of reviews that they
	// accept (W-333).
	WebhookTimeouts = Feature{name: "timeouts, scopes and review versions of webhooks", since: 14}
)
