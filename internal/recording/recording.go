// Package recording reads requests that were recorded in a real cluster: audit logs of API servers
// and admission reviews that a webhook received, one at a time, in bounded memory.
//
// Start with [Find] and [NewReader]; [Reader.Next] returns one [Record] for each event and
// each review, in the order in which they were written. A Record holds the request as it
// can be run again, what the cluster answered, what the webhooks answered, the object as
// it was before, and what of all this is not known. Nothing is guessed in silence: a
// request that cannot be rebuilt says why in Skip, and Unknown lists what was assumed.
//
// What is not needed stays JSON: objects are cut out of a line, not decoded. The package
// never knows what is done with the requests, and decides nothing about them.
//
// The files of the package, in the order of the data: files.go opens sources, json.go finds
// the ends of JSON values, documents.go splits a stream into them, review.go and event.go
// read one, request.go and patchtype.go rebuild a request, calls.go reads what webhooks
// did, fold.go, part.go and store.go keep what objects looked like, filter.go and shard.go choose,
// reader.go puts all this together, convert.go writes audit events as reviews.
package recording

import (
	"encoding/json"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// A Position is where a record was written.
type Position struct {
	Source int    // index of the source
	File   string // its name
	Line   int    // from 1, where the record begins
	Offset int64  // in bytes, from 0, in what was compressed where the file is
}

func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// after reports whether p comes later than q in the same sources.
func (p Position) after(q Position) bool {
	return p.Source > q.Source || p.Source == q.Source && p.Offset > q.Offset
}

// A Form is what a record was written as.
type Form string

// The forms.
const (
	Review   Form = "review"   // an AdmissionReview or AdmissionRequest
	Recorded Form = "recorded" // a line of admsim record
	Audit    Form = "audit"    // an audit event
)

// A Record is one thing that happened. The JSON in it, and the maps and slices, are shared
// and must not be changed.
type Record struct {
	Position
	Form Form
	ID   string // the auditID or the review's uid

	Time    time.Time     // when the request came; zero where not recorded
	Latency time.Duration // until it was answered; 0 where not recorded

	// Verb, Resource, Subresource, Namespace, Name and User say what was asked, also where
	// that cannot be run. A created object has the name that it got.
	Verb        string
	Resource    schema.GroupVersionResource
	Subresource string
	Namespace   string
	Name        string
	User        authenticationv1.UserInfo
	UserAgent   string // from which the server makes the name of a field manager

	// Skip says why the request cannot be run, or was not chosen; with the zero Reason it
	// can, and one of Request and Review is set.
	Skip    Reason
	Request *rest.Request
	Review  *admissionv1.AdmissionRequest

	Old     Before
	Answer  Answer
	Calls   []Call   // what webhooks are known to have answered
	Effects []Effect // what the cluster holds since then, as far as the record says
	Unknown []Reason // what is not known, or was assumed, though the request can be run

	// Webhook is the address that was called, At that of the recorder in front of it, and Digest the configuration
	// in force, for those of admsim record: its source, at and configDigest.
	Webhook, At, Digest string

	event json.RawMessage // as it was logged; nil: it is none
}

// Runs reports whether the record is a request to run.
func (r *Record) Runs() bool { return r.Skip.Code == "" }

// chosen reports whether nothing but the record itself is why it does not run.
func (r *Record) chosen() bool {
	switch r.Skip.Code {
	case Filtered, NotSampled, OtherShard, AlreadyRun:
		return false
	}
	return true
}

// Key names the object of the request.
func (r *Record) Key() Key {
	return keyOf(r.Resource, r.Namespace, r.Name)
}

func keyOf(r schema.GroupVersionResource, namespace, name string) Key {
	if isNamespace(r.GroupResource()) {
		namespace = "" // requests for a namespace are in it, the object is not
	}
	return Key{Group: r.Group, Resource: r.Resource, Namespace: namespace, Name: name}
}

func isNamespace(r schema.GroupResource) bool { return r.Group == "" && r.Resource == "namespaces" }

// A Key names an object by the resource that serves it, in whatever version.
type Key struct {
	Group, Resource, Namespace, Name string
}

// A Knowledge says how much is known of an object before a request.
type Knowledge string

// What can be known.
const (
	Unseen Knowledge = ""       // nothing
	Exists Knowledge = "exists" // Object is it
	Absent Knowledge = "absent" // there was none
)

// Before is the object of a request as it was before.
type Before struct {
	Knowledge Knowledge
	Object    json.RawMessage // in the version in which it was last seen
}

// An Effect is what is known of one object after a request.
type Effect struct {
	Key    Key
	Object json.RawMessage // nil: there is none any more, or see Unknown
	// Unknown says what happened to the object where that does not show how it is now.
	Unknown string

	version, generation int64
	part                []byte // what is known of the object instead: its Scale, or its Binding
	stale               string // what happened to Object that it may not show all of
}

// An Answer is what the cluster answered.
type Answer struct {
	Code   int // 0: not recorded
	Status *metav1.Status
	// Object is the response, a Status among them; nil if it was not recorded.
	Object      json.RawMessage
	Annotations map[string]string // of the audit event, all of them

	// Response is that of the webhook which was asked, for a review; nil if not
	// recorded.
	Response *admissionv1.AdmissionResponse
	Error    string // why that webhook gave none, if recorded
}

// A Code is the sort of a Reason.
type Code string

// Why a record is no request to run.
const (
	NotFinal        Code = "not-final"         // an event of an earlier stage; that of the answer is another one
	Panicked        Code = "panicked"          // the server broke off
	ReadOnly        Code = "read-only"         // get, list, watch: admission is not asked
	NonResource     Code = "non-resource"      // /healthz, discovery and the like
	Unauthenticated Code = "unauthenticated"   // it is not known as which user to run it
	Unauthorized    Code = "unauthorized"      // refused before admission
	Throttled       Code = "throttled"         // the server had no time for it
	Truncated       Code = "truncated"         // the event was too large, so that the server cut the objects
	BodyNotLogged   Code = "body-not-logged"   // level Metadata, or answered by an aggregated API server
	BodyRefused     Code = "body-refused"      // the server could not decode it, and logs only what it decoded
	URINotParsed    Code = "uri-not-parsed"    // no path of the API
	UnknownVerb     Code = "unknown-verb"      // none that a server has
	PatchNotLogged  Code = "patch-not-decoded" // a patch in a shape that no content type has
	NoReviewRequest Code = "no-request"        // a review with a response only
)

// Why a record was not chosen, see [Filter].
const (
	Filtered   Code = "filtered"
	NotSampled Code = "not-sampled"
	OtherShard Code = "other-shard"
	AlreadyRun Code = "already-run"
)

// What is not known of a request that can be run.
const (
	OldUnknown     Code = "old-object-unknown"     // never seen before
	OldStale       Code = "old-object-stale"       // changed since it was seen, by what does not show it
	OldNewer       Code = "old-object-newer"       // seen only as it was after this request
	OldBehind      Code = "old-object-behind"      // changed in between by what is not in the log
	BodyDecoded    Code = "body-decoded"           // the body is logged with defaults and without unknown fields
	PatchAssumed   Code = "patch-type-assumed"     // the content type is not in the event
	OptionsUnknown Code = "delete-options-unknown" // at level Metadata a body does not show
	AnswerUnknown  Code = "answer-unknown"         // no response object, or not even a code
	WithoutManaged Code = "managed-fields-omitted" // by the policy of the log
)

// A Reason says in words what a Code means for one record.
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
