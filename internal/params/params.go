// Package params finds the params of admission policies: the objects of the cluster with which a policy is evaluated
// under one of its bindings.
//
// Start with [World.Find]. The package evaluates nothing, and does not know what follows from params that do not exist.
package params

import (
	"cmp"
	"errors"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
)

// A Ref is a binding's choice of params, compiled.
type Ref struct {
	name, namespace string
	selector        labels.Selector // nil: by name
	selectorErr     error
	denies          bool // parameterNotFoundAction Deny
}

// Compile compiles a paramRef, which may be nil.
func Compile(r *admissionregistrationv1.ParamRef) *Ref {
	if r == nil {
		return nil
	}
	ref := &Ref{name: r.Name, namespace: r.Namespace}
	ref.denies = r.ParameterNotFoundAction != nil && *r.ParameterNotFoundAction == admissionregistrationv1.DenyAction
	if r.Selector != nil {
		ref.selector, ref.selectorErr = metav1.LabelSelectorAsSelector(r.Selector)
	}
	return ref
}

// KindOf returns the kind that a paramKind names, or nil.
func KindOf(k *admissionregistrationv1.ParamKind) *schema.GroupVersionKind {
	if k == nil {
		return nil
	}
	gvk := schema.FromAPIVersionAndKind(k.APIVersion, k.Kind)
	return &gvk
}

// A World is where params are found.
type World struct {
	State     *cluster.State
	Resources *discovery.Resources
}

// Resource returns the resource of a paramKind.
func (w World) Resource(kind schema.GroupVersionKind) (discovery.Resource, error) {
	r, ok := w.Resources.ForKind(kind)
	if !ok || !r.Served {
		return r, &unservedError{kind, w.Resources.HintKind(kind)}
	}
	return r, nil
}

// An unservedError reports that the kind of params does not exist, and which one may be meant.
type unservedError struct {
	kind schema.GroupVersionKind
	hint string
}

func (e *unservedError) Error() string {
	return fmt.Sprintf("failed to find resource referenced by paramKind: '%v'", e.kind)
}

func (e *unservedError) Hint() string {
	return cmp.Or(e.hint, "paramKind names the kind, such as ConfigMap, and its apiVersion")
}

// none stands for one evaluation without params.
var none = []runtime.Object{nil}

// Find returns the params with which a policy is evaluated under one of its bindings, for a request from a namespace:
// one evaluation for each, and at least one (W-276 .. W-278). They are in the version in which they are stored. kind,
// which is the paramKind, and ref may be nil.
// kubernetes/apiserver:pkg/admission/plugin/policy/generic/policy_dispatcher.go.
func (w World) Find(kind *schema.GroupVersionKind, ref *Ref, namespace string) (found []runtime.Object, err error) {
	if kind == nil || ref == nil {
		return none, nil
	}
	resource, err := w.Resource(*kind)
	if err != nil {
		return nil, err
	}
	switch {
	case !resource.Namespaced:
		namespace = ""
		if ref.namespace != "" {
			return nil, errors.New("paramRef.namespace must not be provided for a cluster-scoped `paramKind`")
		}
	case ref.namespace != "":
		namespace = ref.namespace
	case namespace == "":
		return nil, errors.New("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
	}
	key := cluster.Key{GroupKind: resource.Storage.GroupKind(), Namespace: namespace, Name: ref.name}
	switch {
	case ref.selectorErr != nil:
		return nil, ref.selectorErr
	case ref.selector == nil:
		if object, ok := w.State.Find(key); ok {
			found = append(found, object.Object)
		}
	default:
		for object := range w.State.List(key.GroupKind, namespace) {
			if m, err := meta.Accessor(object.Object); err == nil && ref.selector.Matches(labels.Set(m.GetLabels())) {
				found = append(found, object.Object)
			}
		}
	}
	if len(found) == 0 {
		return nil, &missingError{w.State, resource, ref, namespace}
	}
	return found, nil
}

// Namespaces returns the namespaces from which requests may be evaluated with params of their own: those that have
// objects of the kind. ok is false if params do not depend on the namespace of a request.
func (w World) Namespaces(kind *schema.GroupVersionKind, ref *Ref) (names []string, ok bool) {
	if kind == nil || ref == nil || ref.namespace != "" {
		return nil, false
	}
	resource, err := w.Resource(*kind)
	if err != nil || !resource.Namespaced {
		return nil, false
	}
	for object := range w.State.List(resource.Storage.GroupKind(), "") {
		if m, err := meta.Accessor(object.Object); err == nil && (len(names) == 0 || names[len(names)-1] != m.GetNamespace()) {
			names = append(names, m.GetNamespace())
		}
	}
	return names, true
}

// Lacking says which params a binding refers to that no request finds, wherever it is from.
func (w World) Lacking(kind *schema.GroupVersionKind, ref *Ref) string {
	resource, err := w.Resource(*kind)
	if err != nil {
		return err.Error()
	}
	return (&missingError{w.State, resource, ref, ref.namespace}).Hint()
}

// A missingError reports that the params of a binding do not exist, which the binding may allow.
type missingError struct {
	in        *cluster.State
	resource  discovery.Resource
	ref       *Ref
	namespace string
}

func (e *missingError) Error() string {
	if !e.ref.denies {
		return "the binding's params do not exist, which its parameterNotFoundAction allows: " + e.Hint()
	}
	return "no params found for policy binding with `Deny` parameterNotFoundAction"
}

// Missed returns the param that a binding names, if err says that it does not exist.
func Missed(err error) (resource schema.GroupVersionResource, namespace, name string, ok bool) {
	missing, ok := errors.AsType[*missingError](err)
	if !ok || missing.ref.selector != nil {
		return resource, "", "", false
	}
	return missing.resource.GroupVersionResource, missing.namespace, missing.ref.name, true
}

// AreOptional reports whether err only says that there are no params, and the binding allows that: the policy is not
// evaluated then.
func AreOptional(err error) bool {
	missing, ok := errors.AsType[*missingError](err)
	return ok && !missing.ref.denies
}

// Hint says which params the binding refers to that do not exist.
func (e *missingError) Hint() string {
	if e.ref.selector != nil {
		what := e.resource.Kind.Kind
		if e.namespace != "" {
			what += fmt.Sprintf(" in namespace %q", e.namespace)
		}
		if e.ref.selector.Empty() {
			return "there is no " + what
		}
		return fmt.Sprintf("no %s has the labels %s", what, e.ref.selector)
	}
	var names []string
	for object := range e.in.List(e.resource.Storage.GroupKind(), e.namespace) {
		if m, err := meta.Accessor(object.Object); err == nil {
			names = append(names, m.GetName())
		}
	}
	return e.resource.HintObject(e.namespace, e.ref.name, names)
}

// Text returns the kind and name of a param, or "" if there is none.
func Text(param runtime.Object) string {
	if param == nil {
		return ""
	}
	text := param.GetObjectKind().GroupVersionKind().Kind + " "
	m, err := meta.Accessor(param)
	if err != nil {
		return text
	}
	if m.GetNamespace() != "" {
		text += m.GetNamespace() + "/"
	}
	return text + m.GetName()
}
