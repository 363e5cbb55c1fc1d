package dispatch

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The versions of AdmissionReview that the server supports.
const (
	v1      = "v1"
	v1beta1 = "v1beta1"
)

// A Review is what webhooks get to see of a request. Hooks that get the same version of the same objects share one
// Review, whose text is built once. A Review must not be modified or copied after its first use.
type Review struct {
	Request admission.Request
	Release *kubeversion.Release // determines the wording and the rules; nil: the newest

	// Resource and Kind are those that the webhook asked for (W-135). The subresource is that of the request.
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	// Object and OldObject are the objects of the request in that version, the other two the same as JSON. Nil if the
	// request has none (W-136).
	Object, OldObject         runtime.Object
	ObjectJSON, OldObjectJSON JSON

	first *Review // the Review that has the text, if it is not this one
	once  sync.Once
	text  []byte // everything after the uid
	err   error
}

// At returns the review for a webhook that is called after elapsed. Its text is the same.
func (r *Review) At(elapsed time.Duration) *Review {
	if r.Request.Elapsed == elapsed {
		return r
	}
	later := &Review{
		Request: r.Request, Release: r.Release, Resource: r.Resource, Kind: r.Kind,
		Object: r.Object, OldObject: r.OldObject, ObjectJSON: r.ObjectJSON, OldObjectJSON: r.OldObjectJSON,
		first: r,
	}
	if r.first != nil {
		later.first = r.first
	}
	later.Request.Elapsed = elapsed
	return later
}

// JSON returns the JSON of an object, built when it is first needed: most mocks do not need it.
type JSON func() (json.RawMessage, error)

// Text returns a JSON for existing text; nil stands for no object.
func Text(raw json.RawMessage) JSON {
	if raw == nil {
		return nil
	}
	return func() (json.RawMessage, error) { return raw, nil }
}

// has reports whether the server has a feature.
func (r *Review) has(f kubeversion.Feature) bool { return r.Release == nil || r.Release.Has(f) }

// chooseVersion returns the first version in a webhook's list that the server knows (W-130).
func (r *Review) chooseVersion(accepted []string) (string, bool) {
	if !r.has(kubeversion.WebhookTimeouts) { // releases without timeouts have no lists of versions either
		return v1beta1, true
	}
	for _, v := range accepted {
		if v == v1 && r.has(kubeversion.WebhooksV1) || v == v1beta1 {
			return v, true
		}
	}
	return "", false
}

// body returns the AdmissionReview as sent, byte for byte (W-131).
func (r *Review) body(version string, uid types.UID) ([]byte, error) {
	if r.first != nil {
		return r.first.body(version, uid)
	}
	r.once.Do(func() { r.text, r.err = r.encode() })
	if r.err != nil {
		return nil, r.err
	}
	const start, middle = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/`, `","request":{"uid":"`
	b := make([]byte, 0, len(start)+len(version)+len(middle)+len(uid)+len(r.text))
	b = append(b, start...)
	b = append(b, version...)
	b = append(b, middle...)
	b = append(b, uid...)
	return append(b, r.text...), nil
}

// encode writes everything that does not depend on the call: the members after uid in the server's order (W-132), where
// empty members are left out or null as in the server (W-133, W-136). From here on both versions of AdmissionReview are
// the same.
func (r *Review) encode() ([]byte, error) {
	req := r.Request
	object, err := r.ObjectJSON.text()
	if err != nil {
		return nil, fmt.Errorf("encoding the object: %w", err)
	}
	old, err := r.OldObjectJSON.text()
	if err != nil {
		return nil, fmt.Errorf("encoding the old object: %w", err)
	}
	m := members{text: make([]byte, 0, 768+len(object)+len(old))}
	m.text = append(m.text, '"') // ends the uid
	m.kind("kind", r.Kind)
	m.resource("resource", r.Resource)
	m.unlessEmpty("subResource", req.Subresource)
	if r.has(kubeversion.RequestsInReviews) {
		m.kind("requestKind", req.Kind)
		m.resource("requestResource", req.Resource)
		m.unlessEmpty("requestSubResource", req.Subresource)
	}
	m.unlessEmpty("name", req.Name)
	m.unlessEmpty("namespace", req.Namespace)
	m.value("operation", req.Operation)
	m.value("userInfo", req.User)
	m.raw("object", object)
	m.raw("oldObject", old)
	if r.has(kubeversion.DryRunParameter) {
		m.value("dryRun", req.DryRun)
	}
	if r.has(kubeversion.RequestsInReviews) {
		m.value("options", req.Options)
	}
	m.text = append(m.text, "}}\n"...)
	if m.err != nil {
		return nil, fmt.Errorf("encoding the review: %w", m.err)
	}
	return m.text, nil
}

func (j JSON) text() (json.RawMessage, error) {
	if j == nil {
		return nil, nil
	}
	return j()
}

// members writes the members of a JSON object one after the other.
type members struct {
	text []byte
	err  error
}

func (m *members) raw(name string, value []byte) {
	m.text = append(m.text, `,"`...)
	m.text = append(m.text, name...)
	m.text = append(m.text, `":`...)
	if len(value) == 0 {
		value = []byte("null")
	}
	m.text = append(m.text, value...)
}

func (m *members) value(name string, v any) {
	text, err := json.Marshal(v)
	if err != nil && m.err == nil {
		m.err = err
	}
	m.raw(name, text)
}

func (m *members) unlessEmpty(name, v string) {
	if v != "" {
		m.value(name, v)
	}
}

func (m *members) kind(name string, k schema.GroupVersionKind) {
	m.value(name, metav1.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
}

func (m *members) resource(name string, r schema.GroupVersionResource) {
	m.value(name, metav1.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource})
}
