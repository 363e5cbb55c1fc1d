package resources

import (
	"context"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// DenyServiceExternalIPs refuses to add external IPs to services (DSE-01).
type DenyServiceExternalIPs struct{}

func (DenyServiceExternalIPs) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "services") {
		return plugin.Skip(step, "not a service"), nil
	}
	service, err := plugin.ObjectOf[*corev1.Service](req)
	if err != nil {
		return step, err
	}
	var before []string
	if req.Operation == admissionv1.Update {
		old, err := plugin.OldObjectOf[*corev1.Service](req)
		if err != nil {
			return step, err
		}
		before = old.Spec.ExternalIPs
	}
	for _, ip := range service.Spec.ExternalIPs {
		if !slices.Contains(before, ip) {
			return plugin.Forbid(step, req, "Use of external IPs is denied by admission control"), nil
		}
	}
	return plugin.Allow(step, "no external IP is new"), nil
}
