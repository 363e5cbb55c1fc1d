package outage

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/trouble"
)

// Document converts the result to the form that is shown.
func (r *Result) Document(corpus string) *document.Outage {
	o := &document.Outage{
		TypeMeta: document.TypeMeta(document.OutageKind),
		Corpus:   corpus, Requests: r.Requests, Denied: lossesOf(r.Denied), Undecided: r.Undecided, Assumed: r.Assumed,
		Outages: []document.OutageOf{}, Deadlocks: []document.Deadlock{},
	}
	for _, e := range r.Errors {
		o.Errors = append(o.Errors, document.DiffError{Request: e.Request, Error: e.Err.Error()})
	}
	for _, one := range r.Outages {
		shown := document.OutageOf{
			Name: one.Situation.Name, Asked: one.Asked, Longest: metav1.Duration{Duration: one.Longest},
			Fail: lossesOf(one.Fail), Unchecked: lossesOf(one.Unchecked), Delayed: lossesOf(one.Delayed),
		}
		for _, t := range one.Situation.Troubles {
			shown.Troubles = append(shown.Troubles, troubleOf(t))
		}
		o.Outages = append(o.Outages, shown)
	}
	o.Deadlocks = append(o.Deadlocks, r.Deadlocks...)
	if b := r.Budget; b.Sum > 0 {
		o.Budget = &document.Budget{
			Worst: b.Worst, Serial: timeoutsOf(b.Serial), Parallel: timeoutsOf(b.Parallel),
			Sum: metav1.Duration{Duration: b.Sum}, Limit: metav1.Duration{Duration: b.Limit}, Over: b.Over,
		}
	}
	return o
}

func troubleOf(t trouble.Webhook) document.WebhookTrouble {
	by := whatif.Webhook(t.Webhook)
	if t.Alike {
		by.Kind = "validating"
		if t.Mutating {
			by.Kind = "mutating"
		}
	}
	shown := document.WebhookTrouble{Webhook: by, Mode: string(t.Mode), TimeoutSeconds: t.Timeout()}
	if t.Mode == trouble.Slow {
		shown.Latency = &metav1.Duration{Duration: t.Latency}
	}
	switch {
	case t.Converts: // there is no policy: what needs a conversion fails
	case t.FailsClosed():
		shown.FailurePolicy = "Fail"
	default:
		shown.FailurePolicy = "Ignore"
	}
	return shown
}

func lossesOf(l Losses) document.Losses {
	shown := document.Losses{Requests: l.Requests}
	for _, s := range l.Samples {
		one := document.Loss{
			Request: s.Request, By: s.By, Message: s.Message, Ignored: s.Ignored,
			Took: metav1.Duration{Duration: s.Took}, Usually: metav1.Duration{Duration: s.Usually},
		}
		shown.Samples = append(shown.Samples, one)
	}
	return shown
}

func timeoutsOf(all []TimeoutOf) (shown []document.TimeoutOf) {
	for _, t := range all {
		shown = append(shown, document.TimeoutOf{Webhook: t.Webhook, Timeout: metav1.Duration{Duration: t.Timeout}})
	}
	return shown
}
