package resources

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// NamespaceAutoProvision creates the missing namespaces of new objects (NAP-01 to NAP-06).
type NamespaceAutoProvision struct{ send plugin.Send }

func NewNamespaceAutoProvision(send plugin.Send) NamespaceAutoProvision {
	return NamespaceAutoProvision{send}
}

func (p NamespaceAutoProvision) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case req.DryRun:
		return plugin.Skip(step, "a dry run"), nil
	case req.Namespace == "" || req.Kind.GroupKind() == plugin.NamespaceKind:
		return plugin.Skip(step, "not an object in a namespace"), nil
	}
	if _, ok := s.Find(cluster.Key{GroupKind: plugin.NamespaceKind, Name: req.Namespace}); ok {
		return plugin.Allow(step, fmt.Sprintf("namespace %q exists", req.Namespace)), nil
	}
	sent, created, err := p.send(ctx, s, "create", "", &corev1.Namespace{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
		ObjectMeta: metav1.ObjectMeta{Name: req.Namespace},
	})
	if err != nil {
		return step, err
	}
	step.Send(req.Elapsed, sent)
	refused := sent.Refusal()
	if refused != nil && refused.Reason == metav1.StatusReasonAlreadyExists { // NAP-04
		return plugin.Allow(step, fmt.Sprintf("namespace %q exists, although caches do not have it yet", req.Namespace)), nil
	}
	if refused != nil {
		status := refused
		if refused.Reason != metav1.StatusReasonForbidden {
			status = admission.Forbidden(req, refused.Message)
		}
		return plugin.Deny(step, fmt.Sprintf("namespace %q could not be created", req.Namespace), status), nil
	}
	step.Write(created...)
	return plugin.Allow(step, fmt.Sprintf("created namespace %q", req.Namespace)), nil
}
