package kubeversion

// What was added to admission webhooks while they were betas, and the content of their calls. The files named are those
// of kubernetes/apiserver.
var (
	// AbsentResponses: a mutating webhook's review without a response is a failed call, not a panic of the server
	// (pkg/admission/plugin/webhook/mutating/dispatcher.go).
	AbsentResponses = Feature{since: 11}
	// AbsentResponseWords: the message about that starts with a lower-case letter.
	AbsentResponseWords = Feature{since: 16}
	// ConnectOptions: the object of a connection in admission is its options, with a kind of their own. The earlier
	// object could not be shown to webhooks (pkg/endpoints/handlers/rest.go; W-340).
	ConnectOptions = Feature{name: "options of connections in admission", since: 12}
	// DenialsOfMutators: a denial by a mutating webhook has its own status; it is not an internal error
	// (pkg/admission/plugin/webhook/mutating/dispatcher.go; W-335).
	DenialsOfMutators = Feature{name: "denials of mutating webhooks with their own status", since: 15}
	// DryRunParameter: the server supports the query parameter dryRun, and reviews say whether they are for a dry run.
	DryRunParameter = Feature{since: 12}
	// DryRuns: the server can process a request without writing.
	DryRuns = Feature{name: "dry runs", since: 12, gate: "DryRun"}
	// DryRunWords: the message that they are disabled does not call them an alpha (pkg/endpoints/handlers/create.go).
	DryRunWords = Feature{since: 19}
	// EmptyNamespaceSelectors: an empty namespaceSelector matches without looking up the namespace
	// (pkg/admission/plugin/webhook/namespace/matcher.go; W-337).
	EmptyNamespaceSelectors = Feature{since: 15}
	// ObjectSelectors: webhooks have objectSelector, matchPolicy and reinvocationPolicy (W-333).
	ObjectSelectors = Feature{name: "object selectors, match policies and second rounds of webhooks", since: 15}
	// OwnHostByHTTP2: webhooks on the server's own host are offered HTTP/2 (pkg/util/webhook/client.go; W-149).
	OwnHostByHTTP2 = Feature{since: 30}
	// PatchContext: an error about a JSON patch says in which operation it occurred (evanphx/json-patch 4.9).
	PatchContext = Feature{since: 16}
	// PatchedDocuments: a JSON patch may replace or test the whole document, and read items of lists by negative indices
	// (evanphx/json-patch 4.12).
	PatchedDocuments = Feature{since: 23}
	// RefusalsMended: the status of a webhook's refusal is corrected: Failure, and a code of at least 400
	// (pkg/admission/plugin/webhook/errors/statuserror.go; W-336).
	RefusalsMended = Feature{since: 15}
	// RequestsInReviews: reviews say which resource the request was for, and with which options, in addition to the
	// resource that the webhook asked for (pkg/admission/plugin/webhook/request/admissionreview.go; W-338).
	RequestsInReviews = Feature{name: "the original resource and the options in reviews", since: 15}
	// ReviewsV1Suffice: a configuration, or a definition with conversions, may support reviews of v1 only
	// (kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go).
	ReviewsV1Suffice = Feature{since: 17}
	// StreamErrorsOfPeers: the error about an HTTP/2 stream that the webhook ended says so (golang.org/x/net of 2021).
	StreamErrorsOfPeers = Feature{since: 21}
	// WebhookAuditAnnotations: the audit annotations of a webhook's answer count (W-339).
	WebhookAuditAnnotations = Feature{name: "audit annotations of webhooks", since: 12}
	// WebhookFailureWords: messages about failed calls say webhook, not admission webhook (pkg/util/webhook/error.go;
	// W-339).
	WebhookFailureWords = Feature{since: 13}
	// WebhookRoutes: the client of a webhook addresses the service as it resolves it, not by its name
	// (pkg/util/webhook/client.go; W-144).
	WebhookRoutes = Feature{since: 37, gate: "WebhookRoundTripLoadBalancing"}
	// WebhooksByHTTP1: not all webhooks are offered HTTP/2 (pkg/util/webhook/client.go; W-149).
	WebhooksByHTTP1 = Feature{since: 16}
	// WebhooksChosenInTurn: whether a mutating webhook is called is decided when its turn comes, for the object as earlier
	// webhooks left it, not for all webhooks before the first call (W-334).
	WebhooksChosenInTurn = Feature{name: "mutating webhooks chosen in turn", since: 15}
	// WebhookTimeouts: webhooks have timeoutSeconds, scopes of rules, and a list of the review versions that they
	// accept (W-333).
	WebhookTimeouts = Feature{name: "timeouts, scopes and review versions of webhooks", since: 14}
)
