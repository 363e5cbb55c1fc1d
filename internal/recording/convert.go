package recording

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// A Line is an audit event in the form in which admsim record would have written its review, to be encoded as JSON. It
// also contains the event, so that replaying lines gives the same result as replaying the log. Objects are as they were
// logged: the caller removes secrets before writing lines.
type Line struct {
	V       int                          `json:"v"`
	Time    time.Time                    `json:"t"`
	Latency string                       `json:"latency"`
	Review  *admissionv1.AdmissionReview `json:"review,omitempty"`
	Source  string                       `json:"source"`

	Skip  *Reason         `json:"skip,omitempty"` // why it was not chosen
	Event json.RawMessage `json:"event"`

	Kind schema.GroupVersionKind `json:"-"` // of the body, if known
}

// LineOf returns the line for an audit event. It has the review that the API server would have sent; if not, the reason
// says why.
func LineOf(r *Record) (*Line, Reason) {
	if r.event == nil {
		return nil, Reason{Code: NoEvent}
	}
	l := &Line{V: 1, Time: r.Time, Latency: r.Latency.String(), Source: r.Position.String(), Event: r.event, Kind: r.kind()}
	if r.chosen() {
		reason := r.Skip
		if r.Request != nil {
			reason = r.review(l)
		}
		return l, reason
	}
	l.Skip = &r.Skip
	return l, r.Skip
}

// review adds the review to the line, or says why there is none.
func (r *Record) review(l *Line) Reason {
	request := &admissionv1.AdmissionRequest{
		UID:         types.UID(r.ID),
		Resource:    metav1.GroupVersionResource(r.Resource),
		SubResource: r.Subresource,
		Name:        r.Request.Name,
		Namespace:   r.Namespace,
		UserInfo:    r.User,
		OldObject:   runtime.RawExtension{Raw: r.Old.Object},
	}
	if reason := r.reviewed(request); reason.Code != "" {
		return reason
	}
	if l.Kind.Kind == "" {
		return Reason{Code: KindUnknown}
	}
	request.Kind = metav1.GroupVersionKind(l.Kind)
	request.RequestKind, request.RequestResource = &request.Kind, &request.Resource
	request.RequestSubResource = request.SubResource
	dryRun := len(r.Request.Query["dryRun"]) > 0
	request.DryRun = &dryRun
	l.Review = &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request:  request,
		Response: r.lineResponse(),
	}
	return Reason{}
}

// reviewed sets the fields that depend on the verb.
func (r *Record) reviewed(a *admissionv1.AdmissionRequest) Reason {
	switch verb := r.Request.Verb; {
	case verb == rest.Create, r.createsOtherwise():
		a.Operation, a.OldObject.Raw = admissionv1.Create, nil
		a.Object.Raw = r.Request.Body
		a.Name = r.Name
		a.Options.Raw = options("CreateOptions", r.Request.Query)
		return Reason{}
	case verb == rest.Update:
		a.Operation = admissionv1.Update
		a.Object.Raw = r.Request.Body
		a.Options.Raw = options("UpdateOptions", r.Request.Query)
	case verb == rest.Patch:
		a.Operation = admissionv1.Update
		head := headOf(r.Answer.Object)
		if r.Answer.Code >= 400 || !head.stored() || r.Subresource == "scale" {
			return Reason{Code: PatchedUnknown}
		}
		a.Object.Raw = r.Answer.Object
		a.Options.Raw = options("UpdateOptions", r.Request.Query)
	case verb == rest.Delete:
		a.Operation = admissionv1.Delete
		if a.Options.Raw = r.Request.Body; len(a.Options.Raw) == 0 {
			a.Options.Raw = options("DeleteOptions", r.Request.Query)
		}
	default:
		return Reason{NoReviewForm, verb}
	}
	if r.Old.Knowledge != Exists {
		return Reason{Code: OldNeeded}
	}
	return Reason{}
}

// createsOtherwise reports whether the request creates an object, though not with POST. An apply does that whenever the
// object does not exist, a PUT only for some resources.
func (r *Record) createsOtherwise() bool {
	apply := r.Request.PatchType == rest.ApplyPatch && r.Subresource == ""
	return r.Old.Knowledge == Absent && (apply || r.created())
}

// readEvent reads the event of a line. If the body is the object of the review, it is not written twice. The old object
// in the review makes the lines before it unnecessary.
func (p *parser) readEvent(r *Record, value []byte, skip Reason) (*Record, error) {
	fields, _, _, err := scanObject(value, false)
	if err != nil {
		return nil, fmt.Errorf("event: %w", err)
	}
	review := r.Review
	e, err := p.event(&document{Position: r.Position, raw: value, fields: fields}, review)
	if err != nil {
		return nil, err
	}
	if review != nil && len(review.OldObject.Raw) > 0 {
		e.Old.Object = review.OldObject.Raw
	}
	if skip.Code != "" {
		e.Skip = skip
	}
	return e, nil
}

// kind returns the kind of the body, or of the object that is deleted.
func (r *Record) kind() schema.GroupVersionKind {
	if kind, ok := kubeversion.Default().KindFor(r.Resource, r.Subresource); ok {
		return kind
	}
	bodies := [][]byte{r.Old.Object, r.Answer.Object}
	if r.Request != nil && r.Request.Verb != rest.Delete {
		bodies = [][]byte{r.Request.Body, r.Answer.Object, r.Old.Object}
	}
	for _, body := range bodies {
		head := headOf(body)
		version, err := schema.ParseGroupVersion(head.apiVersion)
		if err == nil && head.kind != "" && head.kind != "Status" {
			return version.WithKind(head.kind)
		}
	}
	return schema.GroupVersionKind{}
}

// options returns the options in the query, as far as a review contains them.
func options(kind string, query url.Values) []byte {
	o := map[string]any{"kind": kind, "apiVersion": "meta.k8s.io/v1"}
	if dryRun := query["dryRun"]; len(dryRun) > 0 {
		o["dryRun"] = dryRun
	}
	for _, key := range []string{"fieldManager", "fieldValidation", "propagationPolicy"} {
		if query.Get(key) != "" && (key == "propagationPolicy") == (kind == "DeleteOptions") {
			o[key] = query.Get(key)
		}
	}
	if grace := query.Get("gracePeriodSeconds"); grace != "" && kind == "DeleteOptions" && json.Valid([]byte(grace)) {
		o["gracePeriodSeconds"] = json.RawMessage(grace)
	}
	text, _ := json.Marshal(o) // cannot fail: strings only
	return text
}

// lineResponse returns the known outcome of admission: the request was allowed, or a webhook denied it. A request that
// ended in another way has none.
func (r *Record) lineResponse() *admissionv1.AdmissionResponse {
	response := &admissionv1.AdmissionResponse{UID: types.UID(r.ID), Allowed: true}
	if r.Answer.Code > 0 && r.Answer.Code < 400 {
		return response
	}
	for _, c := range r.Calls {
		if c.Denied != "" {
			response.Allowed, response.Result = false, r.Answer.Status
			return response
		}
	}
	return nil
}
