package resources

import (
	"context"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// AlwaysDeny refuses everything, already in the mutating phase (AD-01).
type AlwaysDeny struct{}

func (AlwaysDeny) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	return plugin.Forbid(plugin.Begin(req), req, "admission control is denying all modifications"), nil
}

func (AlwaysDeny) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	return plugin.Forbid(plugin.Begin(req), req, "admission control is denying all modifications"), nil
}
