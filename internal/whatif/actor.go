package whatif

import (
	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// IsWebhook reports whether the hooks of a step are webhooks, not policies.
func IsWebhook(step trace.Step) bool {
	return step.Plugin == document.MutatingWebhooks || step.Plugin == document.ValidatingWebhooks
}

// Actor returns the actor for a hook of a step.
func Actor(step trace.Step, h trace.Hook) document.Actor {
	return document.Actor{Plugin: step.Plugin, Configuration: h.Configuration, Name: h.Name, Round: step.Round, Source: h.Source}
}

// IsConversion reports whether the hooks of a step are webhooks that convert custom resources.
func IsConversion(step trace.Step) bool { return step.Plugin == dispatch.ConversionWebhook }

// Webhook returns the actor for a webhook, without a round.
func Webhook(w *dependency.Webhook) document.Actor {
	plugin := document.ValidatingWebhooks
	switch {
	case w.Converts:
		plugin = dispatch.ConversionWebhook
	case w.Mutating:
		plugin = document.MutatingWebhooks
	}
	return document.Actor{Plugin: plugin, Configuration: w.Configuration, Name: w.Name, Source: w.Source}
}

// Decider returns the actor that denied a request.
func Decider(r *simulator.Result) document.Actor {
	step, hook := r.Decider()
	switch {
	case step == nil:
		return document.Actor{}
	case hook == nil:
		return document.Actor{Plugin: step.Plugin, Source: step.Source}
	}
	return Actor(*step, *hook)
}
