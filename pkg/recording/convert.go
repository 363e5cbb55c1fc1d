package recording

import (
	"encoding/json"
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

// A Line is an audit event as admsim record would have written its review, to be encoded
// as JSON. Objects in it are as they were logged: who writes lines takes secrets out first.
type Line struct {
	V       int                          `json:"v"`
	Time    time.Time                    `json:"t"`
	Latency string                       `json:"latency"`
	Review  *admissionv1.AdmissionReview `json:"review"`
	Source  string                       `json:"source"`

	// What a webhook does not get to see: how the request ended, and what webhooks did.
	Answer  LineAnswer `json:"answer"`
	Calls   []Call     `json:"calls,omitempty"`
	Unknown []Reason   `json:"unknown,omitempty"`
}

// A LineAnswer is what the cluster answered.
type LineAnswer struct {
	Code        int               `json:"code"`
	Status      *metav1.Status    `json:"status,omitempty"`
	Object      json.RawMessage   `json:"object,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// readAnswer reads a LineAnswer back.
func (r *Record) readAnswer(value []byte) error {
	var a LineAnswer
	if err := decode(value, &a, "answer"); err != nil {
		return err
	}
	r.Answer.Code, r.Answer.Status, r.Answer.Object, r.Answer.Annotations = a.Code, a.Status, a.Object, a.Annotations
	return nil
}

// Why a request that can be run cannot be written as a review.
const (
	NoReviewForm   Code = "no-review-form"    // a review for each object of a collection
	KindUnknown    Code = "kind-unknown"      // of the body
	PatchedUnknown Code = "patched-unknown"   // what the patch makes of the object
	ObjectAnswered Code = "object-answered"   // of a patch: as it was in the answer
	OldNeeded      Code = "old-object-needed" // but not known
)

// LineOf returns the review that the API server would have sent for an audit event, or why
// there is none.
func LineOf(r *Record) (*Line, Reason) {
	if r.Request == nil {
		return nil, r.Skip
	}
	l := &Line{
		V: 1, Time: r.Time, Latency: r.Latency.String(), Source: r.Position.String(),
		Answer:  LineAnswer{r.Answer.Code, r.Answer.Status, r.Answer.Object, r.Answer.Annotations},
		Calls:   r.Calls,
		Unknown: r.Unknown,
	}
	request := &admissionv1.AdmissionRequest{
		UID:         types.UID(r.ID),
		Resource:    metav1.GroupVersionResource(r.Resource),
		SubResource: r.Subresource,
		Name:        r.Request.Name,
		Namespace:   r.Namespace,
		UserInfo:    r.User,
		OldObject:   runtime.RawExtension{Raw: r.Old.Object},
	}
	if reason := r.reviewed(l, request); reason.Code != "" {
		return nil, reason
	}
	kind, ok := r.kind(request)
	if !ok {
		return nil, Reason{Code: KindUnknown}
	}
	request.Kind = metav1.GroupVersionKind(kind)
	request.RequestKind, request.RequestResource = &request.Kind, &request.Resource
	request.RequestSubResource = request.SubResource
	dryRun := len(r.Request.Query["dryRun"]) > 0
	request.DryRun = &dryRun
	l.Review = &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request:  request,
		Response: r.lineResponse(),
	}
	return l, Reason{}
}

// reviewed sets what depends on the verb.
func (r *Record) reviewed(l *Line, a *admissionv1.AdmissionRequest) Reason {
	switch r.Request.Verb {
	case rest.Create:
		a.Operation, a.OldObject.Raw = admissionv1.Create, nil
		a.Object.Raw = r.Request.Body
		a.Name = r.Name
		a.Options.Raw = options("CreateOptions", r.Request.Query)
		return Reason{}
	case rest.Update:
		a.Operation = admissionv1.Update
		a.Object.Raw = r.Request.Body
		a.Options.Raw = options("UpdateOptions", r.Request.Query)
	case rest.Patch:
		a.Operation = admissionv1.Update
		head := headOf(r.Answer.Object)
		if r.Answer.Code >= 400 || !head.stored() || r.Subresource == "scale" {
			return Reason{Code: PatchedUnknown}
		}
		a.Object.Raw = r.Answer.Object
		a.Options.Raw = options("UpdateOptions", r.Request.Query)
		l.Unknown = append(l.Unknown[:len(l.Unknown):len(l.Unknown)], Reason{ObjectAnswered, "after all that changed it"})
	case rest.Delete:
		a.Operation = admissionv1.Delete
		if a.Options.Raw = r.Request.Body; len(a.Options.Raw) == 0 {
			a.Options.Raw = options("DeleteOptions", r.Request.Query)
		}
	default:
		return Reason{NoReviewForm, r.Request.Verb}
	}
	if r.Old.Knowledge != Exists {
		return Reason{Code: OldNeeded}
	}
	return Reason{}
}

// kind is that of the body, or of the object that is deleted.
func (r *Record) kind(a *admissionv1.AdmissionRequest) (schema.GroupVersionKind, bool) {
	if kind, ok := kubeversion.Default().KindFor(r.Resource, r.Subresource); ok {
		return kind, true
	}
	object := a.Object.Raw
	if object == nil {
		object = a.OldObject.Raw
	}
	head := headOf(object)
	version, err := schema.ParseGroupVersion(head.apiVersion)
	return version.WithKind(head.kind), err == nil && head.kind != ""
}

// options are those of the query, as far as a review shows them.
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
	text, _ := json.Marshal(o) // strings only, and what is valid
	return text
}

// lineResponse is what is known to have been said of the request: that it was allowed, or
// that a webhook denied it. A request that ended otherwise has none.
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
