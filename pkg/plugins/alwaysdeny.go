package plugins

import (
	"context"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// alwaysDeny refuses everything, in the mutating phase already (AD-01).
type alwaysDeny struct{}

func (alwaysDeny) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	return forbid(begin(req), req, "admission control is denying all modifications"), nil
}

func (alwaysDeny) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	return forbid(begin(req), req, "admission control is denying all modifications"), nil
}
