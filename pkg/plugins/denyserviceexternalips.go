package plugins

import (
	"context"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// denyServiceExternalIPs keeps services from getting external IPs that they do not have
// yet (DSE-01).
type denyServiceExternalIPs struct{}

func (denyServiceExternalIPs) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	if !concerns(req, "", "services") {
		return skip(step, "not a service"), nil
	}
	service, err := objectOf[*corev1.Service](req)
	if err != nil {
		return step, err
	}
	var before []string
	if req.Operation == admissionv1.Update {
		old, err := oldObjectOf[*corev1.Service](req)
		if err != nil {
			return step, err
		}
		before = old.Spec.ExternalIPs
	}
	for _, ip := range service.Spec.ExternalIPs {
		if !slices.Contains(before, ip) {
			return forbid(step, req, "Use of external IPs is denied by admission control"), nil
		}
	}
	return allow(step, "no external IP is new"), nil
}
