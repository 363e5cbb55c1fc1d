package pages

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// A besideView compares what was done for one request in two runs, step by step.
type besideView struct {
	Left, Right string // the names of the runs
	Groups      []besideGroup
}

// A besideGroup is one phase and round. Only differences have lines.
type besideGroup struct {
	Name  string
	Lines []besideLine
	Same  string // about the rest
}

// A besideLine is what one webhook, policy or plugin did in each run.
type besideLine struct {
	Name        string
	Parts       bool // the first line with different results
	Left, Right besideCell
}

// A besideCell is what it did in one of the runs.
type besideCell struct {
	Label string
	Did   *stepView // nil: see None
	Noted []string
	None  string
}

func (v *besideView) rich(w *markup.Writer) {
	w.Put(`<h3>Step by step</h3><table class="compare"><thead><tr><td></td><th scope="col">{}</th><th scope="col">{}</th></tr></thead>`, v.Left, v.Right)
	for i := range v.Groups {
		w.Begin()
		v.Groups[i].rich(w)
		w.End()
	}
	w.Put(`</table>`)
}

func (g *besideGroup) rich(w *markup.Writer) {
	w.Put(`<tbody><tr><th colspan="3" class="phase">{}</th></tr>`, g.Name)
	for i := range g.Lines {
		l := &g.Lines[i]
		w.Begin()
		w.Put(`<tr`)
		w.PutIf(l.Parts, ` class="parts"`)
		w.Put(`><th scope="row"><span class="who">{}</span>`, l.Name)
		w.PutIf(l.Parts, ` <span class="mark">here they part</span>`)
		w.Put(`</th>`)
		l.Left.rich(w)
		l.Right.rich(w)
		w.Put(`</tr>`)
		w.End()
	}
	w.PutAny(`<tr class="alike"><td colspan="3"><b>the same in both:</b> {}</td></tr>`, g.Same)
	w.Put(`</tbody>`)
}

func (c *besideCell) rich(w *markup.Writer) {
	w.Put(`<td data-side="{}">`, c.Label)
	if did := c.Did; did != nil {
		w.Put(`<p><span class="o t-{}">{}</span> <span class="dim">{}`, did.Outcome, did.Outcome, did.Because)
		w.PutAny(` {}`, did.Took)
		w.Put(`</span></p>`)
		w.PutAny(`<blockquote>{}</blockquote>`, did.Message)
		for _, warning := range did.Warnings {
			w.Put(`<p class="warning">{}</p>`, warning)
		}
		did.changes(w)
		for _, note := range c.Noted {
			w.Put(`<p class="dim"><b>audit</b> {}</p>`, note)
		}
	} else {
		w.Put(`<p class="dim">{}</p>`, c.None)
	}
	w.Put(`</td>`)
}

// An action is what one plugin, webhook or policy did in a phase.
type action struct {
	phase, name, outcome string
	because              string
	said                 []string // what the user sees
	noted                []string // for the audit log
	changes              []report.Change
	hook                 *report.Hook // if it was a webhook or policy
	view                 func() stepView
}

// actions returns the actions of a chain. What webhooks or policies did is not repeated for their plugin.
func (c chainView) actions(steps []report.Step) (all []action) {
	for _, s := range steps {
		phase := words.PhaseName(s)
		for _, h := range s.Hooks {
			all = append(all, action{phase, words.HookName(h), h.Outcome, words.OutcomeBecause(&h), said(h.Status, h.Warnings), noted(h.AuditAnnotations), h.Changes, &h, func() stepView { return c.hook(&h) }})
		}
		if len(s.Hooks) == 0 {
			all = append(all, action{phase, s.Plugin, s.Outcome, s.Because, said(s.Status, s.Warnings), noted(s.AuditAnnotations), s.Changes, nil, func() stepView { return c.step(s) }})
		}
	}
	return all
}

func said(status *metav1.Status, warnings []string) []string {
	return append(messageOf(status), strings.Join(warnings, "\n"))
}

// noted leaves out what the server notes about each call of a webhook: it contains the position of the webhook, and
// otherwise only repeats the action.
func noted(annotations []report.Annotation) (all []string) {
	for _, a := range annotations {
		if !strings.Contains(a.Key, ".webhook.admission.k8s.io/round_") {
			all = append(all, a.Key+"="+a.Value)
		}
	}
	return all
}

// same reports whether two actions look the same.
func (d action) same(other action) bool { return d.because == other.because && d.sameResult(other) }

// sameResult reports whether two actions had the same result, for whatever reason. It ignores times and the server's
// own metadata, which differ in any two runs.
func (d action) sameResult(other action) bool {
	a, kept := words.Apart(d.changes)
	b, keptToo := words.Apart(other.changes)
	return d.outcome == other.outcome && slices.Equal(d.said, other.said) && slices.Equal(d.noted, other.noted) && slices.Equal(kept, keptToo) &&
		slices.EqualFunc(a, b, func(x, y report.Change) bool {
			return x.Op == y.Op && x.Path == y.Path && string(x.Old) == string(y.Old) && string(x.Value) == string(y.Value)
		})
}

// idle reports whether an action had no effect.
func (d action) idle() bool { return d.outcome == string(trace.Skipped) }

func (d action) ends() bool { return trace.Outcome(d.outcome).Ends() }

// beside compares actions. Actions that are in one run only and had no effect are left out.
func beside(leftName, rightName string, left, right []action) *besideView {
	v := &besideView{Left: leftName, Right: rightName}
	leftNone, rightNone := noneIn(left), noneIn(right)
	parted := false
	for _, phase := range phasesOf(left, right) {
		g := besideGroup{Name: phase}
		var same []action
		for _, p := range pairsOf(inPhase(left, phase), inPhase(right, phase)) {
			switch {
			case p.left != nil && p.right != nil && p.left.same(*p.right):
				same = append(same, *p.left)
			case p.left == nil && p.right.idle(), p.right == nil && p.left.idle():
			default:
				parts := !parted && p.part()
				parted = parted || parts
				g.Lines = append(g.Lines, besideLine{p.name(), parts, cellOf(leftName, p.left, leftNone), cellOf(rightName, p.right, rightNone)})
			}
		}
		g.Same = sameIn(same)
		if len(g.Lines) > 0 || g.Same != "" && phase != words.ServerPhase {
			v.Groups = append(v.Groups, g)
		}
	}
	return v
}

func messageOf(s *metav1.Status) []string {
	if s == nil {
		return nil
	}
	return []string{s.Message}
}

// noneIn returns why there is nothing to show in a run.
func noneIn(all []action) string {
	if slices.ContainsFunc(all, action.ends) {
		return "not reached"
	}
	return "not there"
}

func cellOf(label string, d *action, none string) besideCell {
	if d == nil {
		return besideCell{Label: label, None: none}
	}
	view := d.view()
	return besideCell{Label: label, Did: &view, Noted: d.noted}
}

// phasesOf returns the phases of both runs, in order.
func phasesOf(left, right []action) (all []string) {
	names := func(actions []action) (names []string) {
		for _, d := range actions {
			if !slices.Contains(names, d.phase) {
				names = append(names, d.phase)
			}
		}
		return names
	}
	a, b := names(left), names(right)
	for _, p := range aligned(a, b) {
		if p[0] >= 0 {
			all = append(all, a[p[0]])
		} else if name := b[p[1]]; !slices.Contains(a, name) {
			all = append(all, name)
		}
	}
	return all
}

func inPhase(all []action, phase string) (some []*action) {
	for i := range all {
		if all[i].phase == phase {
			some = append(some, &all[i])
		}
	}
	return some
}

// A pair is what one hook or plugin did in both runs; nil if it did nothing.
type pair struct{ left, right *action }

// part reports whether the runs diverge here. They do not if both skip for different reasons.
func (p pair) part() bool { return p.left == nil || p.right == nil || !p.left.sameResult(*p.right) }

func (p pair) name() string {
	if p.left == nil {
		return p.right.name
	}
	return p.left.name
}

func pairsOf(left, right []*action) (all []pair) {
	names := func(actions []*action) []string {
		names := make([]string, len(actions))
		for i, d := range actions {
			names[i] = d.name
		}
		return names
	}
	for _, at := range aligned(names(left), names(right)) {
		var p pair
		if at[0] >= 0 {
			p.left = left[at[0]]
		}
		if at[1] >= 0 {
			p.right = right[at[1]]
		}
		all = append(all, p)
	}
	return all
}

// aligned returns the indices in a and b of all items, or -1 where one does not have the item, in an order that agrees
// with both.
func aligned(a, b []string) (all [][2]int) {
	i, j := 0, 0
	for _, common := range append(commonLines(a, b), [2]int{len(a), len(b)}) {
		for ; i < common[0]; i++ {
			all = append(all, [2]int{i, -1})
		}
		for ; j < common[1]; j++ {
			all = append(all, [2]int{-1, j})
		}
		if i < len(a) && j < len(b) {
			all = append(all, [2]int{i, j})
		}
		i, j = i+1, j+1
	}
	return all
}

// sameIn describes the actions that were the same.
func sameIn(all []action) string {
	byOutcome := map[string][]string{}
	var outcomes []string
	skipped := 0
	for _, d := range all {
		if d.idle() {
			skipped++
			continue
		}
		if byOutcome[d.outcome] == nil {
			outcomes = append(outcomes, d.outcome)
		}
		byOutcome[d.outcome] = append(byOutcome[d.outcome], d.name)
	}
	var parts []string
	for _, o := range outcomes {
		parts = append(parts, fmt.Sprintf("%s by %s", o, strings.Join(byOutcome[o], ", ")))
	}
	if skipped > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", skipped))
	}
	return strings.Join(parts, "; ")
}
