package resources

import (
	"context"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// AlwaysAdmit allows everything (AA-01).
type AlwaysAdmit struct{}

func (AlwaysAdmit) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	return plugin.Allow(plugin.Begin(req), "always"), nil
}

func (AlwaysAdmit) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	return plugin.Allow(plugin.Begin(req), "always"), nil
}
