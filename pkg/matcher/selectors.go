package matcher

import (
	"errors"
	"iter"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// A selector is a compiled label selector, or the reason why it does not compile.
type selector struct {
	labels labels.Selector
	err    error
}

// compileSelector does the same as [metav1.LabelSelectorAsSelector], but goes through matchLabels in order, so that it
// always reports the same one of several invalid labels.
func compileSelector(s *metav1.LabelSelector) selector {
	if s == nil {
		return selector{labels: labels.Nothing()}
	}
	var requirements []labels.Requirement
	for _, key := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		r, err := labels.NewRequirement(key, selection.Equals, []string{s.MatchLabels[key]})
		if err != nil {
			return selector{err: err}
		}
		requirements = append(requirements, *r)
	}
	expressions, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: s.MatchExpressions})
	if err != nil {
		return selector{err: err}
	}
	more, _ := expressions.Requirements()
	return selector{labels: labels.NewSelector().Add(append(requirements, more...)...)}
}

// matchNamespace applies s to the namespace of req. An error carries the status with which the request is refused:
// kubernetes/apiserver:pkg/admission/plugin/webhook/predicates/namespace/matcher.go.
func (s selector) matchNamespace(req *admission.Request, w World) (bool, error) {
	if !namespaceAsked(req) {
		return true, nil
	}
	if s.err != nil && !w.NamespacesNeeded {
		return false, apierrors.NewInternalError(s.err)
	}
	if !s.needsNamespace(w) {
		return true, nil // without a lookup, so that the namespace may be missing (W-090)
	}
	l, err := namespaceLabels(req, w.State)
	if err != nil {
		return false, err
	}
	if s.err != nil {
		return false, apierrors.NewInternalError(s.err)
	}
	return s.labels.Matches(l), nil
}

// needsNamespace reports whether the namespace of a request is needed to apply s.
func (s selector) needsNamespace(w World) bool {
	return w.NamespacesNeeded || s.err == nil && !s.labels.Empty()
}

// LookUp records that the server asks itself for the namespace of a request, once for each of the hooks that match by it, if
// its cache does not have the namespace (W-094a).
func (w World) LookUp(step *trace.Step, req admission.Request, by iter.Seq[*Matcher]) {
	if req.Namespace == "" || labelsInRequest(&req) {
		return
	}
	if _, cached := w.State.Find(namespaceKey(req.Namespace)); !cached {
		w.lookUp(step, req, by)
	}
}

func (w World) lookUp(step *trace.Step, req admission.Request, by iter.Seq[*Matcher]) {
	_, found := w.State.Live().Find(namespaceKey(req.Namespace))
	for m := range by {
		if m.namespaces.needsNamespace(w) && (!w.RulesFirst || m.matchRules(&req, w).Applies) {
			step.LookUp(req.Elapsed, corev1.SchemeGroupVersion.WithResource("namespaces"), "", req.Namespace, found)
		}
	}
}

func namespaceKey(name string) cluster.Key {
	return cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name}
}

// namespaceAsked reports whether the namespaceSelector is evaluated: cluster-scoped objects other than namespaces are
// never exempt (W-091). As in the server, every resource called namespaces counts as one, in any group (W-096).
func namespaceAsked(req *admission.Request) bool {
	return req.Namespace != "" || req.Resource.Resource == "namespaces"
}

// labelsInRequest reports whether the selector applies to the labels of the namespace in the request (W-092) instead of
// those of the stored namespace (W-093).
func labelsInRequest(req *admission.Request) bool {
	return req.Resource.Resource == "namespaces" && req.Subresource == "" &&
		(req.Operation == admissionv1.Create || req.Operation == admissionv1.Update)
}

func namespaceLabels(req *admission.Request, state *cluster.State) (labels.Set, error) {
	if labelsInRequest(req) {
		m, err := meta.Accessor(req.Object)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		return m.GetLabels(), nil
	}
	if req.Namespace == "" {
		// Only a cluster-scoped custom resource called namespaces gets here. This is the error of the server's client
		// for an empty name.
		return nil, apierrors.NewInternalError(errors.New("resource name may not be empty"))
	}
	ns, ok := cluster.Get[*corev1.Namespace](state.Live(), schema.GroupKind{Kind: "Namespace"}, "", req.Namespace)
	if !ok {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, req.Namespace) // W-094
	}
	return ns.Labels, nil
}

// matchObjects applies s to the new and the old object of req; one of them has to match (W-098).
func (s selector) matchObjects(req *admission.Request) (bool, error) {
	if s.err != nil {
		return false, apierrors.NewInternalError(s.err)
	}
	if s.labels.Empty() {
		return true, nil
	}
	return s.matchObject(req.Object) || s.matchObject(req.OldObject), nil
}

func (s selector) matchObject(obj runtime.Object) bool {
	l, ok := objectLabels(obj)
	return ok && s.labels.Matches(l)
}

// objectLabels returns the labels of obj. If there is no object, or it has no metadata, ok is false: no selector
// matches it, not even one that requires the absence of a label (W-098, W-099).
func objectLabels(obj runtime.Object) (labels.Set, bool) {
	if obj == nil {
		return nil, false
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, false
	}
	return m.GetLabels(), true
}
