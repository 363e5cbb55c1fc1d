// Package recording reads requests that were recorded in a real cluster: audit logs of API servers and admission
// reviews that a webhook received, one at a time, in bounded memory.
//
// Start with [Find] and [NewReader]; [Reader.Next] returns one [Record] for each event and each review, in the order in
// which they were written. A Record holds the request in a form that can be run again, what the cluster answered, what
// the webhooks answered, and the object as it was before. Nothing is guessed silently: if a request cannot be rebuilt,
// Skip says why, and Unknown lists what is not known or was assumed.
//
// What is not needed stays JSON: objects are cut out of a line, not decoded. The package does not know what is done
// with the requests, and decides nothing about them.
//
// The files of the package, in the order of the data: files.go opens sources, json.go finds the ends of JSON values,
// documents.go splits a stream into documents, review.go and event.go read a document, request.go and patchtype.go
// rebuild a request, calls.go reads what webhooks did, fold.go, part.go and store.go keep what objects looked like,
// filter.go and shard.go choose, reader.go puts everything together, convert.go writes audit events as reviews. code.go has
// the reasons for all that is left out or not known.
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

// A Position says where a record was written.
type Position struct {
	Source int    // index of the source
	File   string // name of the source
	Line   int    // from 1; where the record begins
	Offset int64  // in bytes, from 0; in the decompressed text
}

func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// after reports whether p comes later than q in the same sources.
func (p Position) after(q Position) bool {
	return p.Source > q.Source || p.Source == q.Source && p.Offset > q.Offset
}

// A Form is the form in which a record was written.
type Form string

// The forms.
const (
	Review   Form = "review"   // an AdmissionReview or AdmissionRequest
	Recorded Form = "recorded" // a line of admsim record
	Audit    Form = "audit"    // an audit event
)

// A Record is one event or review. The JSON, maps and slices in it are shared and must not be changed.
type Record struct {
	Position
	Form Form
	ID   string // the auditID, or the uid of the review

	Time    time.Time     // when the request arrived; zero if not recorded
	Latency time.Duration // until it was answered; 0 if not recorded

	// Verb, Resource, Subresource, Namespace, Name and User describe the request, even if it cannot be run. For a
	// created object, Name is the name that it received.
	Verb        string
	Resource    schema.GroupVersionResource
	Subresource string
	Namespace   string
	Name        string
	User        authenticationv1.UserInfo
	UserAgent   string // the server derives the name of a field manager from it

	// Skip says why the request cannot be run, or was not chosen. If it is the zero Reason, the request can be run, and
	// one of Request and Review is set.
	Skip    Reason
	Request *rest.Request
	Review  *admissionv1.AdmissionRequest

	Old     Before
	Answer  Answer
	Calls   []Call   // the known answers of webhooks
	Effects []Effect // what the record shows of the cluster after the request
	Unknown []Reason // what is unknown or was assumed, although the request can be run

	// Webhook is the address that was called, At the address of the recorder in front of it, and Digest identifies the
	// configuration in force. They are set for lines of admsim record, from source, at and configDigest.
	Webhook, At, Digest string

	event json.RawMessage // as it was logged; nil: not an event
}

// Runs reports whether the record is a request to run.
func (r *Record) Runs() bool { return r.Skip.Code == "" }

// chosen reports whether the record can be run, or is skipped only for a reason in the record itself.
func (r *Record) chosen() bool {
	switch r.Skip.Code {
	case Filtered, NotSampled, OtherShard, AlreadyRun:
		return false
	}
	return true
}

// Key returns the key of the object that the request is about.
func (r *Record) Key() Key {
	return keyOf(r.Resource, r.Namespace, r.Name)
}

func keyOf(r schema.GroupVersionResource, namespace, name string) Key {
	if isNamespace(r.GroupResource()) {
		namespace = "" // requests for a namespace are in it, but the object is not
	}
	return Key{Group: r.Group, Resource: r.Resource, Namespace: namespace, Name: name}
}

func isNamespace(r schema.GroupResource) bool { return r.Group == "" && r.Resource == "namespaces" }

// A Key identifies an object by its resource, in any version.
type Key struct {
	Group, Resource, Namespace, Name string
}

// A Knowledge says how much is known about an object before a request.
type Knowledge string

// The possible values.
const (
	Unseen Knowledge = ""       // nothing
	Exists Knowledge = "exists" // Object is set
	Absent Knowledge = "absent" // the object did not exist
)

// Before is the object of a request as it was before the request.
type Before struct {
	Knowledge Knowledge
	Object    json.RawMessage // in the version in which it was last seen
}

// An Effect is what is known about one object after a request.
type Effect struct {
	Key    Key
	Object json.RawMessage // nil: it does not exist any more, or see Unknown
	// Unknown says what happened to the object, if that does not show its current state.
	Unknown string

	version, generation int64
	part                []byte // what is known of the object instead: its Scale, or its Binding
	stale               string // what happened since that Object may not show completely
}

// An Answer is what the cluster answered.
type Answer struct {
	Code   int // 0: not recorded
	Status *metav1.Status
	// Object is the response, which may be a Status; nil if it was not recorded.
	Object      json.RawMessage
	Annotations map[string]string // all annotations of the audit event

	// Response is the response of the webhook, if the record is a review; nil if not recorded.
	Response *admissionv1.AdmissionResponse
	Error    string // why that webhook gave no response, if recorded
}
