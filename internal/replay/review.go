package replay

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// callees are the webhooks of the cluster which a review may have been sent to, and what speaks for them.
func (w *worker) callees(r *recording.Record) ([]callee.Webhook, callee.Evidence) {
	if r.Review == nil {
		return nil, callee.None
	}
	all := callee.In(w.sim.WebhookConfigurations())
	if w.webhook == "" {
		return callee.Of(r, all)
	}
	return slices.DeleteFunc(all, func(hook callee.Webhook) bool { return !hook.Named(w.webhook) }), callee.Name
}

// isCallee reports whether a review may have been sent to the webhook.
func (a *answers) isCallee(p trace.Phase, configuration, webhook string) bool {
	return slices.ContainsFunc(a.callees, func(w callee.Webhook) bool {
		return w.Configuration == configuration && w.Name == webhook && w.Mutating == (p == trace.Mutating)
	})
}

// reviewed replies to a call while a review is run. The webhook that got the review answers as it did. Of all others
// nothing is known, nor of a second call of the webhook itself: they allow the request.
func (a *answers) reviewed(c dispatch.Call) dispatch.Reply {
	response := a.record.Answer.Response
	if response == nil || c.Number > 0 || !a.isCallee(c.Phase, c.Configuration, c.Webhook) {
		return review(c, map[string]any{"allowed": true})
	}
	recorded := *response
	recorded.UID = c.UID
	return encoded(map[string]any{"apiVersion": "admission.k8s.io/" + c.Version, "kind": "AdmissionReview", "response": recorded})
}

// calledCallees are what the webhooks did that a review may have been sent to.
func (w *worker) calledCallees(result *simulator.Result) (all []*trace.Hook) {
	for _, a := range result.Admissions {
		for _, step := range a.Steps {
			for i := range step.Hooks {
				h := &step.Hooks[i]
				again := slices.ContainsFunc(all, func(o *trace.Hook) bool { return o.Configuration == h.Configuration && o.Name == h.Name })
				if h.Called && !again && w.answers.isCallee(step.Phase, h.Configuration, h.Name) {
					all = append(all, h)
				}
			}
		}
	}
	return all
}

func (w *worker) mayBe(result *simulator.Result) (names []string) {
	for _, h := range w.calledCallees(result) {
		names = append(names, h.Configuration+"/"+h.Name)
	}
	return names
}

// A verdict is what was answered to a review.
type verdict struct {
	allowed bool
	status  *metav1.Status // of a denial
}

// verdictOf is the verdict of the webhook which a review was sent to. If the request does not come to the webhook, or no webhook
// is known that the review can have been sent to, hook is nil, and the verdict is that of all who were asked. It is not
// ok if several webhooks may be meant, and they do not agree.
func (w *worker) verdictOf(r *recording.Record, result *simulator.Result, d *differences) (v verdict, hook *trace.Hook, ok bool) {
	called := w.calledCallees(result)
	if len(called) == 0 {
		w.notCalled(result, d)
		return verdict{allowed: result.Code < 400, status: result.Status()}, nil, true
	}
	for i, h := range called { // the messages of several differ, as each names its webhook
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
	case len(called) == 1 && v.allowed && r.Answer.Response.Allowed:
		w.patched(r, hook, d)
	}
	return v, hook, true
}

// notCalled notes that the only webhook which a review can have been sent to does not get it any more.
func (w *worker) notCalled(result *simulator.Result, d *differences) {
	if len(w.answers.callees) != 1 || w.answers.evidence == callee.None || result.Code >= 400 {
		return
	}
	one, what := w.answers.callees[0], "not called"
	for h := range hooksOf(result) {
		if h.Configuration == one.Configuration && h.Name == one.Name && h.Because != "" {
			what += ": " + h.Because
		}
	}
	d.add(lines.Webhooks, "", "called", what, one.String())
}

// patched notes where the webhook makes another object of that of the review. How its patch says so does not matter.
func (w *worker) patched(r *recording.Record, h *trace.Hook, d *differences) {
	recorded := r.Answer.Response.Patch
	if slices.Equal(recorded, h.Patch) {
		return
	}
	want, errWant := lines.Patched(r, recorded)
	got, errGot := lines.Patched(r, h.Patch)
	if errWant != nil || errGot != nil {
		return // the server refuses such a patch, and the verdict says so
	}
	before := len(d.all)
	d.values(lines.Object, "", steady.Value(want), steady.Value(got))
	for i := range d.all[before:] {
		d.all[before+i].Webhook = h.Configuration + "/" + h.Name
	}
}
