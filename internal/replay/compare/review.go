package compare

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// calleesOf returns the webhooks of the cluster that a review may have been sent to, and the evidence for them.
func calleesOf(r *recording.Record, sim *simulator.Simulator, webhook string) ([]callee.Webhook, callee.Evidence) {
	if r.Review == nil {
		return nil, callee.None
	}
	all := callee.In(sim.WebhookConfigurations())
	if webhook == "" {
		return callee.Of(r, all)
	}
	return slices.DeleteFunc(all, func(hook callee.Webhook) bool { return !hook.Named(webhook) }), callee.Name
}

// compareReview compares the verdict on a review with that of the webhook that received it. The reasons for a denial
// are compared as far as the server repeats what the webhook said.
func (c *Comparison) compareReview(l *lines.Line, result *simulator.Result) {
	response := c.Record.Answer.Response
	if response == nil {
		detail := c.Record.Answer.Error
		if detail == "" {
			detail = "no response was recorded"
		}
		l.CannotTell(recording.AnswerUnknown, detail)
		return
	}
	var d differences
	got, hook, ok := c.verdictOf(result, &d)
	if !ok {
		l.CannotTell(recording.WebhookUnknown, "the recording does not say which webhook was asked, and it is called as "+strings.Join(c.mayBe(result), " and as ")+", which answer differently; --reviews-of NAME says it")
		return
	}
	denier := deniedBy(result)
	if hook != nil {
		denier = hook.Configuration + "/" + hook.Name
	}
	if response.Allowed != got.allowed {
		d.add(lines.Allowed, "", response.Allowed, got.allowed, denier)
	}
	switch recorded := response.Result; { // why one of the two denied
	case response.Allowed && !got.allowed && got.status != nil:
		d.add(lines.Message, "", nil, steady.Text(got.status.Message), denier)
	case !response.Allowed && got.allowed && recorded != nil && recorded.Message != "":
		d.add(lines.Message, "", steady.Text(recorded.Message), nil, denier)
	}
	if recorded := response.Result; recorded != nil && !response.Allowed && !got.allowed && got.status != nil {
		if recorded.Code >= 400 && recorded.Code != got.status.Code {
			d.add(lines.Code, "", recorded.Code, got.status.Code, denier)
		}
		want, text := steady.Text(recorded.Message), steady.Text(got.status.Message)
		if !strings.HasSuffix(text, want) {
			d.add(lines.Message, "", want, text, denier)
		}
	}
	switch {
	case hook == nil:
		c.denied(d.all, result)
	case !got.allowed:
		c.deniedByHook(d.all, hook)
	}
	if len(d.all) > 0 && c.Redactor != nil {
		pass := c.begun()
		for i := range d.all {
			d.all[i].Recorded, d.all[i].Simulated = hidden(pass, d.all[i].Recorded), hidden(pass, d.all[i].Simulated)
		}
	}
	conclude(l, d.all)
}

// calledCallees returns what those webhooks did that a review may have been sent to.
func (c *Comparison) calledCallees(result *simulator.Result) (all []*trace.Hook) {
	for _, a := range result.Admissions {
		for _, step := range a.Steps {
			for i := range step.Hooks {
				h := &step.Hooks[i]
				again := slices.ContainsFunc(all, func(o *trace.Hook) bool { return o.Configuration == h.Configuration && o.Name == h.Name })
				if h.Called && !again && callee.Contains(c.callees, step.Phase == trace.Mutating, h.Configuration, h.Name) {
					all = append(all, h)
				}
			}
		}
	}
	return all
}

func (c *Comparison) mayBe(result *simulator.Result) (names []string) {
	for _, h := range c.calledCallees(result) {
		names = append(names, h.Configuration+"/"+h.Name)
	}
	return names
}

// A verdict is the answer to a review.
type verdict struct {
	allowed bool
	status  *metav1.Status // of a denial
}

// verdictOf returns the verdict of the webhook that a review was sent to. If the request does not reach that webhook,
// or no webhook is known that the review may have been sent to, hook is nil and the verdict is that of the whole
// admission. ok is false if several webhooks are possible and they disagree.
func (c *Comparison) verdictOf(result *simulator.Result, d *differences) (v verdict, hook *trace.Hook, ok bool) {
	called := c.calledCallees(result)
	if len(called) == 0 {
		c.notCalled(result, d)
		return verdict{allowed: result.Code < 400, status: result.Status()}, nil, true
	}
	for i, h := range called { // their messages differ, as each names its webhook
		one := verdict{allowed: !h.Outcome.Ends(), status: h.Denial}
		if i > 0 && one.allowed != v.allowed {
			return v, nil, false
		}
		if i == 0 {
			v = one
		}
	}
	hook = called[0]
	switch {
	case hook.Outcome == trace.FailedOpen:
		d.add(lines.Webhooks, "", "answered", "failed, and was ignored: "+steady.Text(hook.Because), hook.Configuration+"/"+hook.Name)
	case len(called) == 1 && v.allowed && c.Record.Answer.Response.Allowed:
		c.patched(hook, d)
	}
	return v, hook, true
}

// notCalled adds a difference if the only webhook that a review may have been sent to is no longer called.
func (c *Comparison) notCalled(result *simulator.Result, d *differences) {
	if len(c.callees) != 1 || c.evidence == callee.None || result.Code >= 400 {
		return
	}
	one, what := c.callees[0], "not called"
	for h := range hooksOf(result) {
		if h.Configuration == one.Configuration && h.Name == one.Name && h.Because != "" {
			what += ": " + h.Because
		}
	}
	d.add(lines.Webhooks, "", "called", what, one.String())
}

// patched adds a difference if the webhook changes the object of the review in another way. Patches with the same
// result are equal.
func (c *Comparison) patched(h *trace.Hook, d *differences) {
	recorded := c.Record.Answer.Response.Patch
	if slices.Equal(recorded, h.Patch) {
		return
	}
	want, errWant := lines.Patched(c.Record, recorded)
	got, errGot := lines.Patched(c.Record, h.Patch)
	if errWant != nil || errGot != nil {
		return // the server refuses such a patch, and the verdict says so
	}
	before := len(d.all)
	both := pair{steady.Value(want), steady.Value(got)}
	d.values(lines.Object, "", both, both)
	for i := range d.all[before:] {
		d.all[before+i].Webhook = h.Configuration + "/" + h.Name
	}
}
