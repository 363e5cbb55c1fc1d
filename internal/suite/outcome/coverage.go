package outcome

import (
	"fmt"

	"github.com/admsim/admsim/internal/yamldoc"
)

// Coverage is what of the admission configuration of all worlds the cases reached.
type Coverage struct {
	Items []Covered // in the order of files and lines
}

// A Part is a sort of thing that cases can reach.
type Part string

const (
	WebhookPart       Part = "webhook"        // called
	RulePart          Part = "rule"           // of a webhook: let a request through to the selectors
	SelectorPart      Part = "selector"       // each of a webhook's: fits, and does not
	ConditionPart     Part = "matchCondition" // of webhooks and policies: true, and false
	PolicyPart        Part = "policy"         // with a binding: evaluated
	ValidationPart    Part = "validation"     // of a policy: holds, and does not
	FailurePolicyPart Part = "failurePolicy"  // of a webhook: was what decided; of a policy only where it was
)

// Parts are all of them, in the order in which they are shown.
func Parts() []Part {
	return []Part{WebhookPart, RulePart, SelectorPart, ConditionPart, PolicyPart, ValidationPart, FailurePolicyPart}
}

// Covered is one thing that cases can reach, and how often they did.
type Covered struct {
	Part   Part
	Of     string // configuration/webhook, policy/binding or policy
	What   string // which of its parts, such as rules[0], namespaceSelector; empty: all of it
	Branch string // of two: matched, not matched; true, false; holds, fails
	Source yamldoc.Source
	Times  int
}

// A Count is how many things of a sort were reached.
type Count struct {
	Part           Part
	Reached, Total int
}

// Counts are those of all parts that there are.
func (c *Coverage) Counts() (all []Count) {
	for _, part := range Parts() {
		n := Count{Part: part}
		for _, item := range c.Items {
			if item.Part != part {
				continue
			}
			n.Total++
			if item.Times > 0 {
				n.Reached++
			}
		}
		if n.Total > 0 {
			all = append(all, n)
		}
	}
	return all
}

// Percent is how much of everything was reached, 100 where there is nothing to reach.
func (c *Coverage) Percent() float64 {
	reached := 0
	for _, item := range c.Items {
		if item.Times > 0 {
			reached++
		}
	}
	if len(c.Items) == 0 {
		return 100
	}
	return 100 * float64(reached) / float64(len(c.Items))
}

// coverageSuite is the name of the suite of what all suites have to reach together.
const coverageSuite = "(coverage)"

// Require fails cases that are all as expected and reached less than so many percent. It is reported as
// a case of its own, so that every form of the results has it.
func (r *Results) Require(percent float64) {
	got, s := r.Coverage.Percent(), r.Summary()
	if got >= percent || !s.OK() || s.Cases() == 0 {
		return
	}
	r.Suites = append(r.Suites, Suite{Name: coverageSuite, Cases: []Case{{
		Suite: coverageSuite, Name: "minimum", Outcome: Failed,
		Failures: []Failure{{
			Path: "coverage", Want: fmt.Sprintf("%g %% or more", percent), Got: fmt.Sprintf("%.1f %%", got),
			Hint: "--coverage shows what was not reached",
		}},
	}}})
}
