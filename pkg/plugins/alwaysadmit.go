package plugins

import (
	"context"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// alwaysAdmit has nothing against anything (AA-01).
type alwaysAdmit struct{}

func (alwaysAdmit) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	return allow(begin(req), "always"), nil
}

func (alwaysAdmit) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	return allow(begin(req), "always"), nil
}
