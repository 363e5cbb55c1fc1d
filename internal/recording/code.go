package recording

// A Reason explains a Code for one record.
type Reason struct {
	Code   Code   `json:"code"`
	Detail string `json:"detail,omitempty"`
}

func (r Reason) String() string {
	if r.Detail == "" {
		return string(r.Code)
	}
	return string(r.Code) + ": " + r.Detail
}

// A Code classifies a Reason; Meaning says what it means.
type Code string

// Why a record is not a request to run.
const (
	NotFinal        Code = "not-final"
	Panicked        Code = "panicked"
	ReadOnly        Code = "read-only"
	NonResource     Code = "non-resource"
	Unauthenticated Code = "unauthenticated"
	Unauthorized    Code = "unauthorized"
	Throttled       Code = "throttled"
	Truncated       Code = "truncated"
	BodyNotLogged   Code = "body-not-logged"
	BodyRefused     Code = "body-refused"
	URINotParsed    Code = "uri-not-parsed"
	UnknownVerb     Code = "unknown-verb"
	PatchNotLogged  Code = "patch-not-decoded"
	NoReviewRequest Code = "no-request"
)

// Why a record was not chosen; see [Filter].
const (
	Filtered   Code = "filtered"
	NotSampled Code = "not-sampled"
	OtherShard Code = "other-shard"
	AlreadyRun Code = "already-run"
)

// Why a record could not be read; see [BrokenError].
const (
	Broken  Code = "broken"
	Damaged Code = "damaged"
	Invalid Code = "invalid"
)

// Unread reports whether the code says why a record could not be read.
func (c Code) Unread() bool { return c == Broken || c == Damaged || c == Invalid }

// What is unknown about a request that can be run.
const (
	OldUnknown     Code = "old-object-unknown"
	OldStale       Code = "old-object-stale"
	OldNewer       Code = "old-object-newer"
	OldBehind      Code = "old-object-behind"
	BodyDecoded    Code = "body-decoded"
	PatchAssumed   Code = "patch-type-assumed"
	OptionsUnknown Code = "delete-options-unknown"
	AnswerUnknown  Code = "answer-unknown"
	WithoutManaged Code = "managed-fields-omitted"
)

// Why the answer to a request that can be run is unknown, or cannot be compared.
const (
	Unanswered       Code = "no-answer"
	BugInAdmsim      Code = "bug"
	Unreadable       Code = "not-readable"
	ResourceUnknown  Code = "resource-unknown"
	NamespaceUnknown Code = "namespace-unknown"
	WebhookUnknown   Code = "webhook-unknown"
)

// Why a request that can be run cannot be written as a review.
const (
	NoEvent        Code = "no-audit-event"
	NoReviewForm   Code = "no-review-form"
	KindUnknown    Code = "kind-unknown"
	PatchedUnknown Code = "patched-unknown"
	OldNeeded      Code = "old-object-needed"
)

// meanings say in words what the codes mean. Those of records that were not chosen say it themselves.
var meanings = map[Code]string{
	NotFinal:        "an event of an earlier stage",
	Panicked:        "the server panicked",
	ReadOnly:        "admission is not called",
	NonResource:     "not a request for a resource",
	Unauthenticated: "the user is unknown",
	Unauthorized:    "refused before admission",
	Throttled:       "the server was too busy",
	Truncated:       "the event was too large, so the log does not have the objects",
	BodyNotLogged:   "the log does not have the body, as at level Metadata",
	BodyRefused:     "the server could not decode the body, and logs only what it decoded",
	URINotParsed:    "not a path of the API",
	UnknownVerb:     "no server has this verb",
	PatchNotLogged:  "a patch in a shape that no content type has",
	NoReviewRequest: "a review with only a response",

	Broken:  "not JSON, or not a record of a request",
	Damaged: "the file can be read no further, and what was read of it may be wrong",
	Invalid: "a record that says something wrong, such as an unknown operation",

	OldUnknown:     "the object before it was never seen",
	OldStale:       "the object before it changed since it was seen",
	OldNewer:       "the object was seen only as it was after the request",
	OldBehind:      "the object before it was changed by something that is not in the log",
	BodyDecoded:    "the body as it was sent: the log has it with defaults and without unknown fields",
	PatchAssumed:   "the content type of the patch: it was taken from its shape",
	OptionsUnknown: "the options of the deletion: the log does not have them",
	AnswerUnknown:  "the answer: the log has no object of it",
	WithoutManaged: "the managed fields of the object: neither the log nor the cluster has them",

	Unanswered:       "the log does not show what a webhook answered, or something else that the answer needs",
	BugInAdmsim:      "admsim panicked; please report it",
	Unreadable:       "the recorded answer cannot be read",
	ResourceUnknown:  "neither the cluster nor the recording has the resource",
	NamespaceUnknown: "neither the cluster nor the recording has the namespace",
	WebhookUnknown:   "several webhooks may have received the review, and they answer differently",

	NoEvent:        "it was not read from an audit log",
	NoReviewForm:   "there is no single review: a collection has one for each of its objects",
	KindUnknown:    "the log does not say what kind of object the body is",
	PatchedUnknown: "the log does not show what the patch led to",
	OldNeeded:      "the log does not show the object before it",
}

// Meaning says in words what the code means. Empty: the code says it, or belongs to another package.
func (c Code) Meaning() string { return meanings[c] }
