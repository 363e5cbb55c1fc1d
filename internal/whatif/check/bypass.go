package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// bypass asks webhooks and policies about requests that a selector or condition kept from them, and reports those that
// they would refuse. It also reports refusals that depend on a failurePolicy of Ignore.
func (a *attempt) bypass(result *simulator.Result) error {
	var all []kept
	for _, step := range a.admission.Steps {
		if step.Round > 0 {
			continue
		}
		for _, h := range step.Hooks {
			by := whatif.Actor(step, h)
			switch {
			case whatif.IsWebhook(step):
				if h.Outcome == trace.Skipped && dodged(h.Decided) {
					all = append(all, kept{by, h.Decided, h.Because})
				}
				a.passesIgnored(by, h, whatif.Message(result))
			case step.Plugin == document.ValidatingPolicies || step.Plugin == document.MutatingPolicies:
				if err := a.bypassPolicy(by, h, whatif.Allowed(result), step); err != nil {
					return err
				}
			}
		}
	}
	return a.bypassWebhooks(all)
}

// passesIgnored reports a refusal that lasts only as long as the webhook answers.
func (a *attempt) passesIgnored(by document.Actor, h trace.Hook, refused string) {
	if h.Outcome == trace.Denied && a.ignored(by) {
		a.report(Finding{
			Check: Bypass, Webhook: by, Text: "refuses requests that pass once it does not answer: its failurePolicy is Ignore",
			Remedy: "set failurePolicy: Fail, and exclude the namespaces that the cluster needs to recover",
		}, refused)
	}
}

// A kept webhook is a webhook that a condition kept from being asked.
type kept struct {
	by      document.Actor
	decided trace.Criterion
	because string
}

// bypassWebhooks asks the kept webhooks about the request: those of each phase together, and again without those that
// ended the request.
func (a *attempt) bypassWebhooks(all []kept) error {
	for _, plugin := range []string{document.MutatingWebhooks, document.ValidatingWebhooks} {
		left := slices.DeleteFunc(slices.Clone(all), func(k kept) bool { return k.by.Plugin != plugin })
		for len(left) > 0 {
			ended, err := a.askKept(left)
			if err != nil {
				return err
			}
			if len(ended) == 0 {
				break
			}
			left = slices.DeleteFunc(left, func(k kept) bool { return slices.Contains(ended, k) })
		}
	}
	return nil
}

// askKept asks these webhooks, and returns those that refuse, or that have no backend.
func (a *attempt) askKept(all []kept) (ended []kept, err error) {
	find := func(configuration, name string) (kept, bool) {
		i := slices.IndexFunc(all, func(k kept) bool { return k.by.Configuration == variant.Original(configuration) && k.by.Name == name })
		if i < 0 {
			return kept{}, false
		}
		return all[i], true
	}
	names := make([]document.Actor, len(all))
	for i, k := range all {
		names[i] = k.by
	}
	v, object := a.hooks.Unselected(names...), mutated(a.admission)
	if v.Mutates() {
		object = a.admission.Request.Object
	}
	got, err := a.run(v, object)
	if unanswered := (*dispatch.NoAnswerError)(nil); errors.As(err, &unanswered) {
		if k, known := find(unanswered.Configuration, unanswered.Webhook); known {
			a.unanswered = append(a.unanswered, k.by) // its answer was not needed until now
			return []kept{k}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	for _, step := range got.Steps {
		for _, h := range step.Hooks {
			if !whatif.IsWebhook(step) || h.Outcome != trace.Denied {
				continue
			}
			if k, known := find(h.Configuration, h.Name); known && !slices.Contains(ended, k) {
				a.dodge(k.by, k.decided, k.because, h.Denial.Message)
				ended = append(ended, k)
			}
		}
	}
	return ended, nil
}

// dodge reports that a criterion kept the request from a hook that would refuse it.
func (a *attempt) dodge(by document.Actor, c trace.Criterion, because, refusal string) {
	if refusal == "" {
		return
	}
	what := string(c.Part)
	if c.Condition != "" {
		what = fmt.Sprintf("matchCondition %q", c.Condition)
	}
	if c.OfBinding {
		what = "binding's " + what
	}
	f := Finding{Check: Bypass, Webhook: by, Field: c.String(), Text: "would refuse requests that its " + what + " keeps from it"}
	if !c.OfBinding {
		f.Remedy = bypassRemedy[c.Part]
	}
	a.report(f, because+"; it says: "+refusal)
}

// dodged reports whether a request was kept from a webhook or policy although its rules match.
func dodged(c trace.Criterion) bool {
	return c.Part == trace.NamespaceSelector || c.Part == trace.ObjectSelector || c.Part == trace.MatchConditions
}

var bypassRemedy = map[trace.Part]string{
	trace.NamespaceSelector: "see that only administrators can label namespaces, and that those left out need it",
	trace.ObjectSelector:    "whoever writes an object can label it: select by namespace, or ask about all objects",
}

func (a *attempt) ignored(by document.Actor) bool {
	for _, w := range a.item.World.Dependencies().Webhooks() {
		if w.Configuration == by.Configuration && w.Name == by.Name && whatif.Webhook(w).Plugin == by.Plugin {
			return !w.FailsClosed()
		}
	}
	return false
}

// bypassPolicy reports requests that a policy objects to but lets pass. A mutating policy objects to those for which it
// fails: it refuses no others.
func (a *attempt) bypassPolicy(by document.Actor, h trace.Hook, passes bool, step trace.Step) error {
	switch {
	case h.Outcome == trace.FailedOpen && passes:
		a.report(Finding{
			Check: Bypass, Webhook: by, Text: "fails, and lets requests pass: its failurePolicy is Ignore",
			Remedy: "an expression that bears such objects, and failurePolicy: Fail",
		}, h.Because)
	case passes && h.Outcome == trace.Skipped && h.Decided.Part == trace.ParamRef:
		a.report(Finding{
			Check: Bypass, Webhook: by, Field: "paramRef", Text: "is not asked about requests: its params do not exist, and parameterNotFoundAction is Allow",
			Remedy: "add what paramRef names, or parameterNotFoundAction: Deny",
		}, h.Because)
	case step.Plugin == document.MutatingPolicies:
	case h.Outcome == trace.Allowed && passes && finds(h):
		a.report(Finding{
			Check: Bypass, Webhook: by, Text: "objects to requests that are admitted: the validationActions of its binding do not include Deny",
			Remedy: "validationActions: [Deny], once it no longer finds anything that must be admitted",
		}, h.Because)
	case h.Outcome != trace.Skipped:
	case h.Decided.Part == trace.Bindings:
		refusal, err := a.unselectedPolicy(by)
		if refusal != "" {
			a.report(Finding{
				Check: Bypass, Webhook: by, Text: "would refuse requests if a binding named it",
				Remedy: "add a binding with the policy's name as policyName",
			}, "it says: "+refusal)
		}
		return err
	case dodged(h.Decided) && !(h.Decided.OfBinding && asked(step, by)):
		refusal, err := a.unselectedPolicy(by)
		a.dodge(by, h.Decided, h.Because, refusal)
		return err
	}
	return nil
}

// asked reports whether a policy is asked under another of its bindings.
func asked(step trace.Step, by document.Actor) bool {
	return slices.ContainsFunc(step.Hooks, func(h trace.Hook) bool { return h.Configuration == by.Configuration && h.Called })
}

// finds reports whether a policy objects to the request, whatever the consequence.
func finds(h trace.Hook) bool {
	return slices.ContainsFunc(h.Expressions, func(e trace.Expression) bool {
		return strings.HasPrefix(e.Field, "validations[") && strings.HasSuffix(e.Field, ".expression") && (e.Value == "false" || e.Error != "")
	})
}

// unselectedPolicy returns why a policy would refuse the request without webhooks, selectors, conditions and actions
// other than Deny; it returns "" if it would not.
func (a *attempt) unselectedPolicy(by document.Actor) (string, error) {
	if a.unpoliced == nil {
		var err error
		if a.unpoliced, err = variant.WithoutPolicies(a.bare); err != nil {
			return "", err
		}
	}
	sim, err := variant.UnselectedPolicy(a.bare, by, a.unpoliced)
	if err != nil {
		return "", err
	}
	got, err := a.admit(sim, mutated(a.admission))
	if err != nil {
		return "", err
	}
	for _, step := range got.Steps {
		for _, h := range step.Hooks {
			if step.Plugin == document.ValidatingPolicies && h.Outcome == trace.Denied {
				return h.Denial.Message, nil
			}
		}
	}
	return "", nil
}
