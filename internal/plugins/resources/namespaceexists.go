package resources

import (
	"context"
	"fmt"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// NamespaceExists refuses objects in namespaces that do not exist, as NamespaceLifecycle does too (NE-01, NE-02).
type NamespaceExists struct{}

func (NamespaceExists) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if req.Namespace == "" || req.Kind.GroupKind() == plugin.NamespaceKind {
		return plugin.Skip(step, "not an object in a namespace"), nil
	}
	if _, ok := s.Live().Find(cluster.Key{GroupKind: plugin.NamespaceKind, Name: req.Namespace}); !ok {
		return plugin.DenyWithoutNamespace(step, req), nil
	}
	return plugin.Allow(step, fmt.Sprintf("namespace %q exists", req.Namespace)), nil
}
