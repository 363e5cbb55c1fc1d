package expression

import (
	"sync"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
)

// An Input is what expressions see of a request.
type Input struct {
	Request admission.Request

	// Resource and Kind are those that the webhook or policy matched. They may differ from those of the request. Match
	// conditions see this kind, but the resource of the request (W-118).
	Resource schema.GroupVersionResource
	Kind     schema.GroupVersionKind

	Object, OldObject runtime.Object // of that kind; nil if there is none

	// Authorizer is the variable `authorizer`. If it is nil, the variable has no value.
	Authorizer authorizer.UnconditionalAuthorizer

	// Params and Namespace are only seen by policies; nil is null.
	Params    runtime.Object
	Namespace *corev1.Namespace

	// Shared keeps the request and its objects in CEL's form for further evaluations. If it is nil, they are converted
	// each time.
	Shared *Shared
}

// A Shared holds what evaluations for the same request have in common. The zero value is ready to use, also
// concurrently.
type Shared struct {
	mu       sync.Mutex
	objects  map[any]map[string]any // by identity, since objects never change
	requests map[requestKey]map[string]any
}

// requestKey is what may differ between two views of one request.
type requestKey struct {
	resource schema.GroupVersionResource
	kind     schema.GroupVersionKind
}

// object returns obj as expressions see it, or nil if there is none.
func (s *Shared) object(obj runtime.Object, v view) (any, error) {
	switch obj := obj.(type) {
	case nil:
		return nil, nil
	case *unstructured.Unstructured:
		return obj.Object, nil // evaluation does not modify it, so no copy is needed
	}
	return s.converted(obj, obj, v)
}

// exposed marks a namespace of which most expressions only see a part.
type exposed struct{ *corev1.Namespace }

// namespace returns the variable namespaceObject (W-295).
func (s *Shared) namespace(n *corev1.Namespace, v view) (any, error) {
	switch {
	case n == nil:
		return nil, nil
	case v.namespace == wholeNamespace:
		return s.converted(n, n, v)
	}
	return s.converted(exposed{n}, exposedFields(n), v)
}

// converted returns an object in CEL's form, and keeps it.
func (s *Shared) converted(key any, obj runtime.Object, v view) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.objects[key]; ok {
		return known, nil
	}
	fields, err := v.converters.object(obj)
	if err != nil {
		return nil, err
	}
	if s.objects == nil {
		s.objects = map[any]map[string]any{}
	}
	s.objects[key] = fields
	return fields, nil
}

// request returns the variable request, for a hook that matched that resource and kind.
func (s *Shared) request(r admission.Request, seen requestKey, v view) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known, ok := s.requests[seen]; ok {
		return known, nil
	}
	fields, err := v.converters.fields(review(r, seen))
	if err != nil {
		return nil, err
	}
	if s.requests == nil {
		s.requests = map[requestKey]map[string]any{}
	}
	s.requests[seen] = fields
	return fields, nil
}

// review returns the part of a review that expressions see: everything except the uid and the objects (W-322).
func review(r admission.Request, seen requestKey) *admissionv1.AdmissionRequest {
	requestKind := metav1.GroupVersionKind(r.Kind)
	requestResource := metav1.GroupVersionResource(r.Resource)
	return &admissionv1.AdmissionRequest{
		Kind:               metav1.GroupVersionKind(seen.kind),
		Resource:           metav1.GroupVersionResource(seen.resource),
		SubResource:        r.Subresource,
		RequestKind:        &requestKind,
		RequestResource:    &requestResource,
		RequestSubResource: r.Subresource,
		Name:               r.Name,
		Namespace:          r.Namespace,
		Operation:          r.Operation,
		UserInfo:           r.User,
		DryRun:             &r.DryRun,
		Options:            runtime.RawExtension{Object: r.Options},
	}
}
