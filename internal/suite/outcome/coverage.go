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

// Coverage says which parts of the admission configuration of all worlds the cases reached.
type Coverage struct {
	Items   []Covered   // in the order of files and lines
	Plugins []PluginUse // by name; they do not count for the percentage
}

// A PluginUse says how often a built-in plugin ran, and how often it decided: changed or refused something, warned, or
// wrote to the cluster.
type PluginUse struct {
	Name         string
	Ran, Decided int
}

// A Part is a kind of thing that cases can reach.
type Part string

const (
	WebhookPart       Part = "webhook"           // called
	RulePart          Part = "rule"              // of webhooks, policies and bindings: matched, or excluded
	SelectorPart      Part = "selector"          // of the same, each: matches, and does not match
	ConditionPart     Part = "matchCondition"    // of webhooks and policies: true, and false
	PolicyPart        Part = "policy"            // evaluated
	BindingPart       Part = "binding"           // its policy was evaluated with it
	ValidationPart    Part = "validation"        // of a policy: holds, and fails
	MessagePart       Part = "messageExpression" // of a validation that fails: its text was the message
	AnnotationPart    Part = "auditAnnotation"   // of a policy: written, and not written if it can be empty
	MutationPart      Part = "mutation"          // of a policy: changed the object
	FailurePolicyPart Part = "failurePolicy"     // of a webhook: decided; of a policy: only counted where it decided
)

// Parts returns all kinds of parts, in the order in which they are shown.
func Parts() []Part {
	return []Part{
		WebhookPart, RulePart, SelectorPart, ConditionPart, PolicyPart, BindingPart, ValidationPart, MessagePart, AnnotationPart, MutationPart,
		FailurePolicyPart,
	}
}

// A Covered is one thing that cases can reach, and how often they did.
type Covered struct {
	Part   Part
	Of     string // configuration/webhook, policy or policy/binding
	What   string // the part, such as rules[0], namespaceSelector; empty: the whole
	Branch string // one of two: matched, not matched; true, false; holds, fails; written, not written
	Source yamldoc.Source
	Times  int
}

// A Count says how many things of a kind were reached.
type Count struct {
	Part           Part
	Reached, Total int
}

// Counts returns the counts of all kinds that exist.
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

// Percent returns how much of everything was reached, 100 if there is nothing to reach.
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

// PercentText returns the percentage with one decimal, rounded down: less than everything is never shown as 100, and
// less than a minimum is never shown as the minimum.
func (c *Coverage) PercentText() string { return fmt.Sprintf("%.1f %%", tenths(c.Percent())) }

func tenths(percent float64) float64 { return math.Floor(percent*10) / 10 }

// Undecided returns the plugins that ran but never decided anything.
func (c *Coverage) Undecided() (names []string) {
	for _, p := range c.Plugins {
		if p.Decided == 0 {
			names = append(names, p.Name)
		}
	}
	return names
}

// A Gap is a webhook, policy or binding that was not completely reached.
type Gap struct {
	Of            string
	Source        yamldoc.Source // of the first part that was not reached
	Missed, Total int
}

// Gaps returns all gaps, the largest first.
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

// largestGaps returns a sentence that names the largest gaps.
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

// coverageSuite is the name of the suite that stands for the coverage of all suites.
const coverageSuite = "(coverage)"

// Require adds a failed case if everything else is as expected, but less than percent was reached. Since it is a case
// of its own, every format of the results shows it.
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
