package plugins

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// namespaceExists keeps objects out of namespaces that are not there, which
// NamespaceLifecycle does as well (NE-01, NE-02).
type namespaceExists struct{}

func (namespaceExists) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if req.Namespace == "" || req.Kind.GroupKind() == namespaceKind {
		return skip(step, "not an object in a namespace"), nil
	}
	if _, ok := s.Find(cluster.Key{GroupKind: namespaceKind, Name: req.Namespace}); !ok {
		step = lacking(step, "Namespace", "", req.Namespace)
		return deny(step, "the namespace does not exist", admission.StatusOf(
			apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, req.Namespace))), nil
	}
	return allow(step, fmt.Sprintf("namespace %q exists", req.Namespace)), nil
}
