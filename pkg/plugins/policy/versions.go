package policy

import (
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// A version has the objects of a request in one version. Policies that matched through the same version share it.
type version struct {
	kind        schema.GroupVersionKind
	object, old runtime.Object
	dirty       bool // a mutation was applied to object
}

// versions has the versions of the objects of one request that were used.
type versions map[schema.GroupVersionKind]*version

// of returns a version. It is converted on first use, and always from the objects that the request came with (W-318).
func (v versions) of(t *objects.Types, req admission.Request, kind schema.GroupVersionKind) (*version, error) {
	if known, ok := v[kind]; ok {
		return known, nil
	}
	converted := &version{kind: kind}
	var err error
	if converted.object, err = convert(t, req.Object, kind); err != nil {
		return nil, err
	}
	if converted.old, err = convert(t, req.OldObject, kind); err != nil {
		return nil, err
	}
	v[kind] = converted
	return converted, nil
}

func convert(t *objects.Types, o runtime.Object, kind schema.GroupVersionKind) (runtime.Object, error) {
	if o == nil {
		return nil, nil
	}
	return t.Convert(o, kind)
}

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// namespaceOf returns the value of namespaceObject: nil for a cluster-scoped request, and for a request for a Namespace
// (W-295). A missing namespace is looked up, which step records. It is an error regardless of the failurePolicy (W-279,
// W-305).
func (o Options) namespaceOf(s *cluster.State, req admission.Request, step *trace.Step) (*corev1.Namespace, error) {
	if req.Namespace == "" || req.Kind == namespaceKind || !o.Namespaces {
		return nil, nil
	}
	n, ok := cluster.Get[*corev1.Namespace](s, namespaceKind.GroupKind(), "", req.Namespace)
	if !ok {
		if o.LooksUpNamespaces {
			step.LookUp(req.Elapsed, corev1.SchemeGroupVersion.WithResource("namespaces"), "", req.Namespace, false)
		}
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, req.Namespace)
	}
	return n, nil
}
