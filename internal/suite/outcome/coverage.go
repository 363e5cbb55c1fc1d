package outcome

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/yamldoc"
)

// Coverage is what of the admission configuration of all worlds the cases reached.
type Coverage struct {
	Items   []Covered   // in the order of files and lines
	Plugins []PluginUse // by name; they count for no percentage
}

// A PluginUse is how often a built-in plugin ran, and how often it changed or refused something, warned about it, or wrote
// to the cluster.
type PluginUse struct {
	Name         string
	Ran, Decided int
}

// A Part is a sort of thing that cases can reach.
type Part string

const (
	WebhookPart       Part = "webhook"           // called
	RulePart          Part = "rule"              // of webhooks, policies and bindings: matched, or excluded
	SelectorPart      Part = "selector"          // of the same, each: fits, and does not
	ConditionPart     Part = "matchCondition"    // of webhooks and policies: true, and false
	PolicyPart        Part = "policy"            // evaluated
	BindingPart       Part = "binding"           // its policy was evaluated under it
	ValidationPart    Part = "validation"        // of a policy: holds, and does not
	MessagePart       Part = "messageExpression" // of a validation that does not hold: its text was the message
	AnnotationPart    Part = "auditAnnotation"   // of a policy: written; and not, if it can be empty
	MutationPart      Part = "mutation"          // of a policy: changed the object
	FailurePolicyPart Part = "failurePolicy"     // of a webhook: was what decided; of a policy only where it was
)

// Parts are all of them, in the order in which they are shown.
func Parts() []Part {
	return []Part{
		WebhookPart, RulePart, SelectorPart, ConditionPart, PolicyPart, BindingPart, ValidationPart, MessagePart, AnnotationPart, MutationPart,
		FailurePolicyPart,
	}
}

// Covered is one thing that cases can reach, and how often they did.
type Covered struct {
	Part   Part
	Of     string // configuration/webhook, policy or policy/binding
	What   string // which of its parts, such as rules[0], namespaceSelector; empty: all of it
	Branch string // of two: matched, not matched; true, false; holds, fails; written, not written
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

// PercentText is that with one place behind the point, rounded down: what is not all is not 100, and what is below a
// minimum does not look like it.
func (c *Coverage) PercentText() string { return fmt.Sprintf("%.1f %%", tenths(c.Percent())) }

func tenths(percent float64) float64 { return math.Floor(percent*10) / 10 }

// Undecided are the plugins that ran and never decided anything.
func (c *Coverage) Undecided() (names []string) {
	for _, p := range c.Plugins {
		if p.Decided == 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// A Gap is a webhook, policy or binding of which not everything was reached.
type Gap struct {
	Of            string
	Source        yamldoc.Source // of the first part that was not
	Missed, Total int
}

// Gaps are all of them, the largest first.
func (c *Coverage) Gaps() []Gap {
	type owner struct{ of, file string }
	found := map[owner]*Gap{}
	var all []*Gap
	for _, item := range c.Items {
		key := owner{item.Of, item.Source.File}
		g := found[key]
		if g == nil {
			g = &Gap{Of: item.Of}
			found[key] = g
			all = append(all, g)
		}
		g.Total++
		if item.Times > 0 {
			continue
		}
		if g.Missed++; g.Missed == 1 {
			g.Source = item.Source
		}
	}
	var gaps []Gap
	for _, g := range all {
		if g.Missed > 0 {
			gaps = append(gaps, *g)
		}
	}
	slices.SortStableFunc(gaps, func(a, b Gap) int { return cmp.Compare(b.Missed, a.Missed) })
	return gaps
}

func (g Gap) String() string {
	return fmt.Sprintf("%s (%d of %s not reached, %s)", g.Of, g.Missed, words.Plural(g.Total, "part"), g.Source)
}

// mostGaps is how many gaps a sentence names.
const mostGaps = 3

// largestGaps is a sentence that says where the most is missing.
func (c *Coverage) largestGaps() string {
	gaps := c.Gaps()
	var named []string
	for _, g := range gaps[:min(mostGaps, len(gaps))] {
		named = append(named, g.String())
	}
	if more := len(gaps) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	what := "the largest gaps are "
	if len(gaps) == 1 {
		what = "the only gap is "
	}
	return what + strings.Join(named, ", ") + "; --coverage lists every part"
}

// coverageSuite is the name of the suite of what all suites have to reach together.
const coverageSuite = "(coverage)"

// Require fails cases that are all as expected and reached less than so many percent. It is reported as
// a case of its own, so that every form of the results has it.
func (r *Results) Require(percent float64) {
	s := r.Summary()
	if r.Coverage.Percent() >= percent || !s.OK() || s.Cases() == 0 {
		return
	}
	r.Suites = append(r.Suites, Suite{Name: coverageSuite, Cases: []Case{{
		Suite: coverageSuite, Name: "minimum", Outcome: Failed,
		Failures: []Failure{{
			Path: "coverage", Want: fmt.Sprintf("%g %% or more", percent), Got: r.Coverage.PercentText(), Hint: r.Coverage.largestGaps(),
		}},
	}}})
}
