package latency

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
)

// Document converts the result to the form that is shown.
func (r *Result) Document() *document.Latency {
	l := &document.Latency{
		TypeMeta: document.TypeMeta(document.LatencyKind), Request: r.Request, Requests: r.Requests, Samples: r.Samples, Random: r.Random, Seed: r.Seed,
		Total: percentilesOf(r.Total), Mean: metav1.Duration{Duration: r.Mean}, Limit: metav1.Duration{Duration: r.Limit},
		Timeout: document.Chance(r.Timeout), Over: document.Chance(r.Over), Fails: document.Chance(r.Fails), Unchecked: document.Chance(r.Open),
		Denied:   document.Chance(r.Denied),
		Webhooks: []document.WebhookLatency{},
	}
	for _, d := range r.Denials {
		l.Denials = append(l.Denials, document.LatencyDenial(d))
	}
	for _, p := range r.Phases {
		l.Phases = append(l.Phases, document.PhaseLatency{Phase: string(p.Phase), Total: percentilesOf(p.Total)})
	}
	for _, w := range r.Webhooks {
		l.Webhooks = append(l.Webhooks, document.WebhookLatency{
			Webhook: w.Webhook, Calls: w.Calls, Known: w.Known, Total: percentilesOf(w.Total),
			Timeouts: document.Chance(w.Timeouts), Decides: document.Chance(w.Decides),
		})
	}
	return l
}

func percentilesOf(all []Percentile) (shown []document.Percentile) {
	for _, p := range all {
		shown = append(shown, document.Percentile{
			Percent: p.Percent, Is: metav1.Duration{Duration: p.Is}, Low: metav1.Duration{Duration: p.Low}, High: metav1.Duration{Duration: p.High},
		})
	}
	return shown
}
