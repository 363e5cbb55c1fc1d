package recording

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
)

// A parser reads documents. It may be used by one goroutine at a time, and its results do not depend on what it read
// before.
type parser struct {
	users map[string]authenticationv1.UserInfo // by their JSON; a few users send most requests
}

// parse reads a document according to its contents. It returns nil for a document that belongs to a recording but has
// no record.
func (p *parser) parse(d *document) (*Record, error) {
	var kind, version string
	var has struct{ review, request, stage, end, operation bool }
	for _, f := range d.fields {
		switch string(d.raw[f.key:f.keyEnd]) {
		case `"kind"`:
			kind = unquote(d.value(f))
		case `"apiVersion"`:
			version = unquote(d.value(f))
		case `"review"`, `"event"`:
			has.review = true
		case `"request"`, `"response"`:
			has.request = true
		case `"stage"`, `"auditID"`:
			has.stage = true
		case `"end"`:
			has.end = true
		case `"operation"`:
			has.operation = true
		}
	}
	switch {
	case has.review:
		return p.recorded(d)
	case kind == "AdmissionReview" || kind == "" && has.request:
		return p.review(d)
	case strings.HasPrefix(version, "audit.k8s.io/") && kind == "Event", version == "" && has.stage:
		return p.event(d, nil)
	case has.operation && version == "":
		r := &Record{Position: d.Position, Form: Review}
		return r, p.request(r, d.raw)
	case has.end && kind == "":
		return nil, nil // the last line of admsim record
	}
	return nil, &foreignError{kind, version}
}

// A foreignError says that a document is no record.
type foreignError struct{ kind, apiVersion string }

func (e *foreignError) Error() string {
	return fmt.Sprintf("neither an admission review nor an audit event (kind %q, apiVersion %q)", e.kind, e.apiVersion)
}

// recorded reads a line of admsim record.
func (p *parser) recorded(d *document) (r *Record, err error) {
	r = &Record{Position: d.Position, Form: Recorded}
	var raw, event []byte
	var skip Reason
	for _, f := range d.fields {
		value := d.value(f)
		switch d.key(f) {
		case "t":
			r.Time, err = timeOf(value, "t")
		case "latency":
			r.Latency, err = time.ParseDuration(unquote(value))
		case "review":
			err = p.reviewed(r, value)
		case "source":
			r.Webhook = unquote(value)
		case "at":
			r.At = unquote(value)
		case "configDigest":
			r.Digest = unquote(value)
		case "error":
			r.Answer.Error = unquote(value)
		case "raw":
			raw = value
		case "event":
			event = value
		case "skip":
			err = decode(value, &skip, "skip")
		}
		if err != nil {
			return nil, err
		}
	}
	if given(event) {
		return p.readEvent(r, event, skip)
	}
	if given(raw) && r.Answer.Error == "" {
		r.Answer.Error = "no review: " + unquote(raw)
	}
	return r, nil
}

// review reads an AdmissionReview. v1 and v1beta1 have the same fields.
func (p *parser) review(d *document) (*Record, error) {
	r := &Record{Position: d.Position, Form: Review}
	return r, p.reviewed(r, d.raw)
}

func (p *parser) reviewed(r *Record, review []byte) error {
	var request, response []byte
	eachField(review, func(key, value []byte) {
		switch string(key) {
		case "request":
			request = value
		case "response":
			response = value
		}
	})
	if given(response) {
		r.Answer.Response = &admissionv1.AdmissionResponse{}
		if err := decode(response, r.Answer.Response, "response"); err != nil {
			return err
		}
	}
	if !given(request) {
		r.Skip.Code = NoReviewRequest
		return nil
	}
	return p.request(r, request)
}

// request reads an AdmissionRequest. The objects in it stay JSON, and are not even copied.
func (p *parser) request(r *Record, request []byte) (err error) {
	a := &admissionv1.AdmissionRequest{}
	eachField(request, func(key, value []byte) {
		if e := p.requestField(a, key, value); e != nil && err == nil {
			err = e
		}
	})
	if err != nil {
		return err
	}
	if a.Operation == "" || a.Resource.Resource == "" {
		return fmt.Errorf("an admission request without operation or resource")
	}
	if !slices.Contains(operations, string(a.Operation)) {
		return didyoumean.Unknown(fmt.Sprintf("operation %q is unknown", a.Operation), string(a.Operation), operations)
	}
	r.Review = a
	r.ID, r.User = string(a.UID), a.UserInfo
	r.Verb = strings.ToLower(string(a.Operation))
	r.Resource, r.Subresource = schema.GroupVersionResource(a.Resource), a.SubResource
	r.Namespace, r.Name = a.Namespace, a.Name
	if len(a.OldObject.Raw) > 0 {
		r.Old = Before{Knowledge: Exists, Object: a.OldObject.Raw}
	}
	return nil
}

var operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// requestKeys are the fields of an AdmissionRequest. A field that is not known is a slip: a request without what it
// means to say would be another request.
var requestKeys = []string{
	"uid", "kind", "resource", "subResource", "requestKind", "requestResource", "requestSubResource", "name", "namespace",
	"operation", "userInfo", "object", "oldObject", "dryRun", "options",
}

var userKeys = []string{"username", "uid", "groups", "extra"}

func (p *parser) requestField(a *admissionv1.AdmissionRequest, key, value []byte) (err error) {
	if !given(value) {
		return nil
	}
	raw := runtime.RawExtension{Raw: value}
	switch string(key) {
	case "uid":
		err = decode(value, &a.UID, string(key))
	case "kind":
		a.Kind = kindOf(value)
	case "resource":
		a.Resource = resourceOf(value)
	case "subResource":
		a.SubResource = unquote(value)
	case "requestKind":
		kind := kindOf(value)
		a.RequestKind = &kind
	case "requestResource":
		resource := resourceOf(value)
		a.RequestResource = &resource
	case "requestSubResource":
		a.RequestSubResource = unquote(value)
	case "name":
		a.Name = unquote(value)
	case "namespace":
		a.Namespace = unquote(value)
	case "operation":
		a.Operation = admissionv1.Operation(unquote(value))
	case "userInfo":
		eachField(value, func(key, _ []byte) {
			if !slices.Contains(userKeys, string(key)) {
				err = didyoumean.Unknown(fmt.Sprintf("request.userInfo.%s is unknown", key), string(key), userKeys)
			}
		})
		if err == nil {
			a.UserInfo, err = p.user(value)
		}
	case "object":
		a.Object = raw
	case "oldObject":
		a.OldObject = raw
	case "dryRun":
		err = decode(value, &a.DryRun, string(key))
	case "options":
		a.Options = raw
	default:
		return didyoumean.Unknown(fmt.Sprintf("request.%s is unknown", key), string(key), requestKeys)
	}
	return err
}

func kindOf(value []byte) (k metav1.GroupVersionKind) {
	eachField(value, func(key, value []byte) {
		switch string(key) {
		case "group":
			k.Group = unquote(value)
		case "version":
			k.Version = unquote(value)
		case "kind":
			k.Kind = unquote(value)
		}
	})
	return k
}

func resourceOf(value []byte) (r metav1.GroupVersionResource) {
	eachField(value, func(key, value []byte) {
		switch string(key) {
		case "group":
			r.Group = unquote(value)
		case "version":
			r.Version = unquote(value)
		case "resource":
			r.Resource = unquote(value)
		}
	})
	return r
}

// manyUsers is the number of users after which a parser forgets them all.
const manyUsers = 4096

func (p *parser) user(value []byte) (u authenticationv1.UserInfo, err error) {
	if u, ok := p.users[string(value)]; ok {
		return u, nil
	}
	if err := decode(value, &u, "user"); err != nil {
		return u, err
	}
	if p.users == nil || len(p.users) >= manyUsers {
		p.users = map[string]authenticationv1.UserInfo{}
	}
	p.users[string(value)] = u
	return u, nil
}

func decode(value []byte, into any, what string) error {
	if err := json.Unmarshal(value, into); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

func timeOf(value []byte, what string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, unquote(value))
	if err != nil {
		return t, fmt.Errorf("%s: %w", what, err)
	}
	return t, nil
}
