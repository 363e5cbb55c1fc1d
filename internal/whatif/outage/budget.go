package outage

import (
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Budget is the maximum time that the webhooks of a request may take together: the mutating webhooks one after the
// other, the validating ones concurrently.
type Budget struct {
	Worst    document.Sample // the request with the maximum
	Serial   []TimeoutOf
	Parallel []TimeoutOf
	Sum      time.Duration
	Limit    time.Duration // of the request
	Over     int           // requests for which the sum exceeds the limit
}

// A TimeoutOf is how long a webhook may take.
type TimeoutOf struct {
	Webhook document.Actor
	Timeout time.Duration
}

// budget records how long the webhooks of a request may take.
func (r *run) budget(it *traffic.Item, usual *simulator.Result, s document.Sample) {
	b := Budget{Worst: s, Limit: it.Asked[0].API.Limit(it.Asked[0].Simulator.Release())}
	var longest time.Duration
	for step, h := range whatif.Hooks(usual) {
		if !h.Called || !whatif.IsWebhook(step) {
			continue
		}
		one := TimeoutOf{whatif.Actor(step, h), h.Timeout}
		if step.Plugin == document.MutatingWebhooks {
			b.Serial = append(b.Serial, one)
			b.Sum += one.Timeout
			continue
		}
		b.Parallel = append(b.Parallel, one)
		longest = max(longest, one.Timeout)
	}
	b.Sum += longest
	over := r.result.Budget.Over
	if b.Limit > 0 && b.Sum > b.Limit {
		over++
	}
	if b.Sum > r.result.Budget.Sum {
		r.result.Budget = b
	}
	r.result.Budget.Over = over
}
