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

// An event is an audit event of v1 or v1beta1, which have the same fields. kubernetes/apiserver:pkg/audit decides what
// the server writes, and when.
type event struct {
	level, stage, uri, verb string
	ref                     struct{ resource, namespace, name, group, version, subresource string }
	status                  struct {
		code            int
		failed          bool
		message, reason string
	}
	request, response []byte
	answer            head // of response
	annotations       map[string]string
}

// The annotations that say how a request ended before admission, and that an event was truncated:
// kubernetes/apiserver:pkg/endpoints/filters/authorization.go, plugin/pkg/audit/truncate/truncate.go.
const (
	decisionAnnotation  = "authorization.k8s.io/decision"
	truncatedAnnotation = "audit.k8s.io/truncated"
)

// event reads an audit event and rebuilds its request, whose body may be in the review beside it.
func (p *parser) event(d *document, beside *admissionv1.AdmissionRequest) (*Record, error) {
	r := &Record{Position: d.Position, Form: Audit, event: d.raw}
	e := &event{}
	var user, impersonated authenticationv1.UserInfo
	var answered time.Time
	var err error
	for _, f := range d.fields {
		value := d.value(f)
		if !given(value) {
			continue
		}
		switch string(d.raw[f.key+1 : f.keyEnd-1]) {
		case "auditID":
			r.ID = unquote(value)
		case "level":
			e.level = unquote(value)
		case "stage":
			e.stage = unquote(value)
		case "requestURI":
			e.uri = unquote(value)
		case "verb":
			e.verb = unquote(value)
		case "userAgent":
			r.UserAgent = unquote(value)
		case "user":
			user, err = p.user(value)
		case "impersonatedUser":
			impersonated, err = p.user(value)
		case "objectRef":
			e.readRef(value)
		case "responseStatus":
			err = e.readStatus(r, value)
		case "requestObject":
			e.request = value
		case "responseObject":
			e.response = value
		case "requestReceivedTimestamp":
			r.Time, err = timeOf(value, "requestReceivedTimestamp")
		case "stageTimestamp":
			answered, err = timeOf(value, "stageTimestamp")
		case "annotations":
			e.readAnnotations(value)
		}
		if err != nil {
			return nil, err
		}
	}
	if e.stage == "" || e.verb == "" {
		return nil, fmt.Errorf("an audit event without stage or verb")
	}
	if !r.Time.IsZero() && !answered.IsZero() {
		r.Latency = answered.Sub(r.Time)
	}
	if e.request == nil && beside != nil && (e.verb == rest.Create || e.verb == rest.Update) {
		e.request = beside.Object.Raw
	}
	if r.User = user; impersonated.Username != "" {
		r.User = impersonated
	}
	e.into(r)
	return r, nil
}

// into copies what the event says into the record.
func (e *event) into(r *Record) {
	r.Verb = e.verb
	r.Resource = schema.GroupVersionResource{Group: e.ref.group, Version: e.ref.version, Resource: e.ref.resource}
	r.Subresource, r.Namespace, r.Name = e.ref.subresource, e.ref.namespace, e.ref.name
	r.Answer.Code = e.status.code
	r.Answer.Object = e.response
	r.Answer.Annotations = e.annotations
	if e.status.failed && r.Answer.Status == nil {
		r.Answer.Status = &metav1.Status{
			Status: metav1.StatusFailure, Code: int32(e.status.code),
			Message: e.status.message, Reason: metav1.StatusReason(e.status.reason),
		}
	}
	if e.final() {
		e.answer = headOf(e.response)
	}
	if r.Name == "" && e.verb == rest.Create && e.answer.stored() {
		r.Name = e.answer.name // a generated name
	}
	r.Skip = e.skip(r)
	if e.final() {
		r.Effects = e.effects(r)
	}
	if !r.Runs() {
		return
	}
	r.Request, r.Skip = e.rebuild(r)
	if r.Runs() {
		r.Calls = e.calls(r)
	}
}

func (e *event) final() bool { return e.stage == "ResponseComplete" }

func (e *event) succeeded() bool { return e.status.code >= 200 && e.status.code < 300 }

func (e *event) readRef(value []byte) {
	eachField(value, func(key, value []byte) {
		switch string(key) {
		case "resource":
			e.ref.resource = unquote(value)
		case "namespace":
			e.ref.namespace = unquote(value)
		case "name":
			e.ref.name = unquote(value)
		case "apiGroup":
			e.ref.group = unquote(value)
		case "apiVersion":
			e.ref.version = unquote(value)
		case "subresource":
			e.ref.subresource = unquote(value)
		}
	})
}

func (e *event) readStatus(r *Record, value []byte) error {
	eachField(value, func(key, value []byte) {
		switch string(key) {
		case "code":
			_ = json.Unmarshal(value, &e.status.code) // otherwise 0: unknown
		case "status":
			e.status.failed = unquote(value) == metav1.StatusFailure
		case "message":
			e.status.message = unquote(value)
		case "reason":
			e.status.reason = unquote(value)
		}
	})
	if !e.status.failed {
		return nil
	}
	r.Answer.Status = &metav1.Status{}
	return decode(value, r.Answer.Status, "responseStatus")
}

func (e *event) readAnnotations(value []byte) {
	e.annotations = map[string]string{}
	eachField(value, func(key, value []byte) { e.annotations[string(key)] = unquote(value) })
}
