package scaffold

import (
	"bytes"
	"context"
	"maps"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A result is the outcome of a request, as far as a case states it.
type result struct {
	*simulator.Result
	hooks []hook // all that were involved, in order
}

// A hook is a webhook or policy of a plugin.
type hook struct {
	trace.Hook
	plugin  string
	changed bool // changed something that a client sees
}

// A decider is the plugin that denied a request, and its webhook or policy. If nothing is set, it is the server outside
// of admission.
type decider struct{ plugin, configuration, name string }

// ask sends a request to the world of the suite.
func (b *Builder) ask(ctx context.Context, w *worlds.Loaded, r scenario.Request) (*result, error) {
	asked, err := w.Ask(w.Simulator(), r, b.Defaults)
	if err != nil {
		return nil, err
	}
	answer, err := asked.Answer(ctx)
	if err != nil {
		return nil, err
	}
	shown := &result{Result: answer}
	for _, a := range answer.Admissions {
		for _, s := range a.Steps {
			for _, h := range s.Hooks {
				one := hook{Hook: h, plugin: s.Plugin}
				if one.changed, err = changes(answer, h); err != nil {
					return nil, err
				}
				shown.hooks = append(shown.hooks, one)
			}
		}
	}
	return shown, nil
}

// changes reports whether a client sees what a hook changed in the object.
func changes(answer *simulator.Result, h trace.Hook) (bool, error) {
	if h.Outcome != trace.Changed {
		return false, nil
	}
	before, err := answer.Next.View().Types().Encode(h.Before)
	if err != nil {
		return false, err
	}
	after, err := answer.Next.View().Types().Encode(h.After)
	return !bytes.Equal(before, after), err
}

// deniedBy returns what ended the request.
func (r *result) deniedBy() (by decider) {
	step, h := r.Decider()
	if step != nil {
		by.plugin = step.Plugin
	}
	if h != nil {
		by.configuration, by.name = h.Configuration, h.Name
	}
	return by
}

// called reports whether the hook was called for the request.
func (h hook) called() bool { return h.Outcome != trace.Skipped }

// failure returns the expression because of which the hook could not decide; nil if it did.
func (h hook) failure() *trace.Expression {
	if !h.Outcome.Ends() && h.Outcome != trace.FailedOpen {
		return nil
	}
	for _, e := range h.Expressions {
		if e.Error != "" {
			return &e
		}
	}
	return nil
}

// denialOf returns the expectation for a result: if several answers are possible, what they have in common.
func denialOf(r *result) *convert.Denial {
	if r.Allowed() {
		return nil
	}
	d := deniedAs(r)
	for _, possible := range r.Alternatives {
		other := deniedAs(&result{Result: &simulator.Result{Response: possible}})
		if other.Code != d.Code {
			d.Code = 0
		}
		if other.Message != d.Message {
			d.Message = ""
		}
		if !maps.Equal(other.By, d.By) {
			d.By = nil
		}
	}
	return d
}

func deniedAs(r *result) *convert.Denial {
	d := &convert.Denial{Code: r.Code}
	if s := r.Status(); s != nil {
		d.Message = s.Message
	}
	switch by := r.deniedBy(); {
	case by.plugin == "":
	case by.configuration == "":
		d.By = map[string]string{"plugin": by.plugin}
	case by.plugin == "MutatingAdmissionWebhook":
		d.By = map[string]string{"mutatingWebhook": by.name}
	case by.plugin == "ValidatingAdmissionWebhook":
		d.By = map[string]string{"validatingWebhook": by.name}
	default:
		d.By = map[string]string{"policy": by.configuration}
	}
	return d
}
