package whatif

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// finalState looks for who judged an object that changed later, and for who does not accept
// what others made.
func (a *attempt) finalState(result *simulator.Result) error {
	called := mutators(a.admission, 0)
	changed := false
	for _, one := range called {
		changed = changed || one.Outcome == trace.Changed
	}
	if !changed {
		return nil
	}
	if !allowed(result) {
		return a.refusedOutcome(result, called)
	}
	final := mutated(a.admission)
	for i, one := range called {
		later := lastChange(called[i+1:])
		if later == nil {
			continue
		}
		again, err := a.run(a.webhooks.only(one.Actor), final)
		if err != nil {
			return err
		}
		for _, h := range mutators(again, 0) {
			if h.Outcome == trace.Denied {
				a.report(Finding{
					Check: FinalState, Webhook: one.Actor, Other: later.Actor,
					Text:   "admits the request, and would refuse what becomes of it",
					Remedy: "refuse in a validating webhook, which sees the object as it will be",
				}, h.Denial.Message)
			}
		}
	}
	return nil
}

func lastChange(hooks []acted) *acted {
	for i := len(hooks) - 1; i >= 0; i-- {
		if hooks[i].Outcome == trace.Changed {
			return &hooks[i]
		}
	}
	return nil
}

// refusedOutcome tells whether the request is refused because of what webhooks made of it.
func (a *attempt) refusedOutcome(result *simulator.Result, called []acted) error {
	by := decider(result)
	if by.Plugin == mutatingWebhooks {
		return nil
	}
	asked := a.turn.asked[0]
	v := a.webhooks
	v.mutating = nil
	sim, err := v.in(a.varied(), asked.Simulator.State())
	if err != nil {
		return err
	}
	asked.Simulator = sim
	without, err := asked.Answer(a.ctx)
	if err != nil || !allowed(without) {
		return err
	}
	f := Finding{
		Check: FinalState, Webhook: by, Other: lastChange(called).Actor,
		Text:   "refuses what a mutating webhook makes of a request that it would admit",
		Remedy: "have one of the two leave such objects alone",
	}
	if by == (Actor{}) {
		f.Text = "finds invalid what a mutating webhook makes of a valid object"
		f.Remedy = "the patch of the webhook is wrong for such objects"
	}
	a.report(f, message(result))
	return nil
}

// bypass asks webhooks about requests that a selector or a condition kept from them, and
// notes those that pass once a webhook fails that is to be ignored.
func (a *attempt) bypass(result *simulator.Result) error {
	for _, step := range a.admission.Steps {
		if !isWebhook(step) || step.Round > 0 {
			continue
		}
		for _, h := range step.Hooks {
			by := hookOf(step, h)
			if h.Outcome == trace.Denied && a.ignored(by) {
				a.report(Finding{
					Check: Bypass, Webhook: by, Text: "refuses requests that pass once it does not answer: its failurePolicy is Ignore",
					Remedy: "failurePolicy: Fail, with the namespaces left out that a cluster needs to heal",
				}, message(result))
			}
			condition, _, _ := strings.Cut(h.Because, ":")
			if h.Outcome != trace.Skipped || !dodged[condition] {
				continue
			}
			refusal, err := a.unselected(by)
			if err != nil {
				return err
			}
			if refusal != "" {
				a.report(Finding{
					Check: Bypass, Webhook: by, Field: condition, Text: "would refuse requests that its " + condition + " keeps from it",
					Remedy: bypassRemedy[condition],
				}, h.Because+"; it says: "+refusal)
			}
		}
	}
	return nil
}

// What may keep a request from a webhook though its rules apply.
var (
	dodged       = map[string]bool{"namespaceSelector": true, "objectSelector": true, "matchConditions": true, "matchCondition": true}
	bypassRemedy = map[string]string{
		"namespaceSelector": "see that only administrators can label namespaces, and that those left out need it",
		"objectSelector":    "whoever writes an object can label it: select by namespace, or ask about all objects",
	}
)

func (a *attempt) ignored(by Actor) bool {
	for _, w := range a.turn.graph().Webhooks() {
		if w.Configuration == by.Configuration && w.Name == by.Name && actorOf(w).Plugin == by.Plugin {
			return !w.FailsClosed()
		}
	}
	return false
}

// unselected is why a webhook would refuse the request if no selector and no condition kept
// it away; empty where it would not.
func (a *attempt) unselected(by Actor) (string, error) {
	v, object := variant{}, mutated(a.admission)
	for _, w := range a.webhooks.mutating {
		if by.Plugin == mutatingWebhooks && w.configuration == by.Configuration && w.Name == by.Name {
			w.NamespaceSelector, w.ObjectSelector, w.MatchConditions = &metav1.LabelSelector{}, &metav1.LabelSelector{}, nil
			v.mutating, object = append(v.mutating, w), a.admission.Request.Object
		}
	}
	for _, w := range a.webhooks.validating {
		if by.Plugin == validatingWebhooks && w.configuration == by.Configuration && w.Name == by.Name {
			w.NamespaceSelector, w.ObjectSelector, w.MatchConditions = &metav1.LabelSelector{}, &metav1.LabelSelector{}, nil
			v.validating = append(v.validating, w)
		}
	}
	return a.refusal(v, object)
}

func (a *attempt) refusal(v variant, object runtime.Object) (string, error) {
	got, err := a.run(v, object)
	if err != nil {
		return "", err
	}
	for _, step := range got.Steps {
		for _, h := range step.Hooks {
			if isWebhook(step) && h.Outcome == trace.Denied {
				return h.Denial.Message, nil
			}
		}
	}
	return "", nil
}
