package policy

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

// A paramRef is a binding's choice of params, compiled.
type paramRef struct {
	name, namespace string
	selector        labels.Selector // nil: by name
	selectorErr     error
	denies          bool // parameterNotFoundAction Deny
}

func compileParamRef(r *admissionregistrationv1.ParamRef) *paramRef {
	if r == nil {
		return nil
	}
	p := &paramRef{name: r.Name, namespace: r.Namespace}
	p.denies = r.ParameterNotFoundAction != nil && *r.ParameterNotFoundAction == admissionregistrationv1.DenyAction
	if r.Selector != nil {
		p.selector, p.selectorErr = metav1.LabelSelectorAsSelector(r.Selector)
	}
	return p
}

// paramResource returns the resource of the policy's paramKind.
func (o Options) paramResource(p *policy) (discovery.Resource, error) {
	r, ok := o.Resources.ForKind(*p.paramKind)
	if !ok || !r.Served {
		return r, &unservedError{*p.paramKind, o.Resources.HintKind(*p.paramKind)}
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

// hintOf returns the hint of one of our errors.
func hintOf(err error) string {
	var with interface{ Hint() string }
	if errors.As(err, &with) {
		return with.Hint()
	}
	return ""
}

// noParam stands for one evaluation without params.
var noParam = []runtime.Object{nil}

// params returns the params with which a policy is evaluated under one of its bindings, one evaluation for each, and at
// least one (W-276 .. W-278): kubernetes/apiserver:pkg/admission/plugin/policy/generic/policy_dispatcher.go.
func (o Options) params(s *cluster.State, p *policy, b *binding, namespace string) ([]runtime.Object, error) {
	if p.paramKind == nil || b.params == nil {
		return noParam, nil
	}
	resource, err := o.paramResource(p)
	if err != nil {
		return nil, err
	}
	ref := b.params
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
	found, err := o.find(s, resource, ref, namespace)
	if err == nil && len(found) == 0 {
		err = &noParamsError{s, resource, ref, namespace}
	}
	return found, err
}

// A noParamsError reports that the params of a binding do not exist, which the binding may allow.
type noParamsError struct {
	in        *cluster.State
	resource  discovery.Resource
	ref       *paramRef
	namespace string
}

func (e *noParamsError) Error() string {
	if !e.ref.denies {
		return "the binding's params do not exist, which its parameterNotFoundAction allows: " + e.Hint()
	}
	return "no params found for policy binding with `Deny` parameterNotFoundAction"
}

// allowedByBinding reports whether err only says that there are no params, and the binding allows that: the policy is
// not evaluated then.
func allowedByBinding(err error) bool {
	missing := (*noParamsError)(nil)
	return errors.As(err, &missing) && !missing.ref.denies
}

// Hint says which params the binding refers to that do not exist.
func (e *noParamsError) Hint() string {
	if e.ref.selector != nil {
		in := ""
		if e.namespace != "" {
			in = fmt.Sprintf(" in namespace %q", e.namespace)
		}
		return fmt.Sprintf("no %s%s has the labels %s", e.resource.Kind.Kind, in, e.ref.selector)
	}
	var names []string
	for object := range e.in.List(e.resource.Storage.GroupKind(), e.namespace) {
		if m, err := meta.Accessor(object.Object); err == nil {
			names = append(names, m.GetName())
		}
	}
	return e.resource.HintObject(e.namespace, e.ref.name, names)
}

// find returns the objects that ref refers to, in the version of the paramKind.
func (o Options) find(s *cluster.State, resource discovery.Resource, ref *paramRef, namespace string) ([]runtime.Object, error) {
	var stored []runtime.Object
	key := cluster.Key{GroupKind: resource.Storage.GroupKind(), Namespace: namespace, Name: ref.name}
	switch {
	case ref.selectorErr != nil:
		return nil, ref.selectorErr
	case ref.selector == nil:
		if object, ok := s.Find(key); ok {
			stored = append(stored, object.Object)
		}
	default:
		for object := range s.List(key.GroupKind, namespace) {
			if m, err := meta.Accessor(object.Object); err == nil && ref.selector.Matches(labels.Set(m.GetLabels())) {
				stored = append(stored, object.Object)
			}
		}
	}
	for i := range stored {
		var err error
		if stored[i], err = o.Types.Convert(stored[i], resource.Kind); err != nil {
			return nil, err
		}
	}
	return stored, nil
}

// paramText returns the kind and name of a param, or "" if there is none.
func paramText(param runtime.Object) string {
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
