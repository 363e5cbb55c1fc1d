package compare

import (
	"context"
	"regexp"
	"slices"
	"sync"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/simulator"
)

// allowed adds why a request that only the cluster denied is not denied by admsim.
func (c *Comparison) allowed(ctx context.Context, l *lines.Line, result *simulator.Result) {
	i := slices.IndexFunc(l.Differences, func(d lines.Difference) bool { return d.What == lines.Allowed && d.Denied == nil })
	if i < 0 || !result.Allowed() {
		return
	}
	by, ok := recordedDenier(c.Record)
	if !ok {
		return
	}
	why := steady.Text(whatif.NoObjection(ctx, c.Simulator, result, by))
	if c.Redactor != nil {
		why = c.begun().Text(why)
	}
	l.Differences[i].Because = why
}

// deniedByPolicy matches the message of a denial by a policy.
var deniedByPolicy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)' with binding '([^']+)' denied request`)
})

// recordedDenier returns the webhook or policy that denied the request in the cluster.
func recordedDenier(r *recording.Record) (by document.Actor, ok bool) {
	for _, call := range r.Calls {
		if call.Denied != "" || call.Failed != "" {
			return document.Actor{Configuration: call.Configuration, Name: call.Webhook}, true
		}
	}
	if r.Answer.Status == nil {
		return by, false
	}
	if m := deniedByPolicy().FindStringSubmatch(r.Answer.Status.Message); m != nil {
		return document.Actor{Plugin: document.ValidatingPolicies, Configuration: m[1], Name: m[2]}, true
	}
	return by, false
}
