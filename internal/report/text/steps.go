package text

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// stepsText writes the steps of one admission, phase by phase. Unless verbose, it only counts the plugins that did
// nothing, and does not write large values that the others changed: every pod has these, and readers look for what
// their webhooks did.
type stepsText struct {
	*page
	verbose bool
	hinted  bool // mentions verbose, once
	names   int  // columns for names, including their indentation
}

// Indentation: steps are below their phase, hooks below their step, changes below both.
const (
	phaseIndent  = 2
	stepIndent   = 4
	hookIndent   = 6
	changeIndent = 8

	mostNames = 50
	outcomes  = len("failed-open") + 2
)

func (t *stepsText) write(steps []report.Step) {
	t.names = t.measure(steps)
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].Phase == steps[0].Phase && steps[n].Round == steps[0].Round {
			n++
		}
		t.phase(steps[:n])
		steps = steps[n:]
	}
}

func (t *stepsText) measure(steps []report.Step) int {
	var column nameColumn
	for _, s := range steps {
		if t.quiet(s) {
			continue
		}
		column.add(stepIndent, s.Plugin)
		for _, h := range s.Hooks {
			column.add(hookIndent, words.HookName(h))
		}
	}
	return column.width()
}

// A nameColumn is a column of names. Names that are too long for it get a line of their own, and do not widen it.
type nameColumn struct{ widest int }

func (c *nameColumn) add(indent int, name string) {
	if width := indent + words.Columns(name) + 2; width <= mostNames {
		c.widest = max(c.widest, width)
	}
}

func (c *nameColumn) width() int { return cmp.Or(c.widest, mostNames/2) }

func (t *stepsText) phase(steps []report.Step) {
	var loud []report.Step
	var allowed []string
	skipped := 0
	for _, s := range steps {
		switch {
		case !t.quiet(s):
			loud = append(loud, s)
		case s.Outcome == string(trace.Allowed):
			allowed = append(allowed, s.Plugin)
		default:
			skipped++
		}
	}
	name := words.PhaseName(steps[0])
	rest := words.Summary(allowed, skipped)
	if skipped > 0 && !t.hinted {
		t.hinted = true
		rest += " (-v lists them)"
	}
	switch {
	case trace.Phase(steps[0].Phase) == trace.Server && len(loud) == 0:
		return
	case !t.verbose && steps[0].Round > 0 && !slices.ContainsFunc(steps, matters):
		loud, rest = nil, "no webhook is called again, nothing changes"
	}
	t.line(0, "")
	if len(loud) == 0 {
		head := strings.Repeat(" ", phaseIndent) + name
		t.wrapped(t.paint(t.bold, head)+"  ", words.Columns(head)+2, t.faint, rest)
		return
	}
	t.line(phaseIndent, t.paint(t.bold, name))
	for len(loud) > 0 {
		n := 1
		for n < len(loud) && loud[n].Plugin == loud[0].Plugin {
			n++
		}
		t.steps(loud[:n])
		loud = loud[n:]
	}
	t.paragraph(stepIndent, t.faint, rest)
}

// firstTries is how many steps are shown of a plugin that tries the same again and again, before the last of them.
const firstTries = 3

// steps writes the steps of one plugin in a phase. There are thousands of them if the server tries one address after the
// other for a service, and each is refused (PL-08f).
func (t *stepsText) steps(all []report.Step) {
	for i, s := range all {
		switch {
		case t.verbose || len(all) <= words.Many || i < firstTries || i == len(all)-1:
			t.step(s)
		case i == firstTries:
			t.line(stepIndent, t.paint(t.faint, fmt.Sprintf("%d more steps, -v lists them", len(all)-firstTries-1)))
		}
	}
}

// matters reports whether a step did something in a second round.
func matters(s report.Step) bool {
	return s.Outcome != string(trace.Allowed) && s.Outcome != string(trace.Skipped) ||
		len(s.Writes)+len(s.Warnings) > 0 ||
		slices.ContainsFunc(s.Hooks, func(h report.Hook) bool { return h.Outcome != string(trace.Skipped) })
}

// quiet reports whether a step is not shown.
func (t *stepsText) quiet(s report.Step) bool {
	return !t.verbose && words.Quiet(s)
}

func (t *stepsText) step(s report.Step) {
	changes, account := words.Apart(s.Changes)
	because := s.Because
	if len(account) > 0 {
		because = strings.TrimPrefix(because+"; sets metadata."+strings.Join(account, ", "), "; ")
	}
	source := s.Source
	if len(s.Hooks) > 0 {
		source = "" // it is shown below
	}
	if s.Status != nil && (len(s.Hooks) > 0 || trace.Phase(s.Phase) == trace.Server) {
		because = "" // the hooks, or the answer, say the same
	}
	t.row(stepIndent, s.Plugin, s.Outcome, because)
	t.paragraph(hookIndent, t.faint, source)
	if s.Status == nil { // the hint for a denial is shown with the answer
		t.hint(hookIndent, s.Hint)
	}
	t.changes(hookIndent, changes, !t.verbose)
	for _, w := range s.Writes {
		name := w.Name
		if w.Namespace != "" {
			name = w.Namespace + "/" + name
		}
		t.line(hookIndent, t.paint(t.changed, fmt.Sprintf("writes %s %s", w.Kind, name)))
	}
	t.hooks(s.Hooks)
}

func (t *stepsText) hooks(hooks []report.Hook) {
	skipped := 0
	for _, h := range hooks {
		if h.Outcome == string(trace.Skipped) {
			skipped++
		}
	}
	for _, h := range hooks {
		if h.Outcome == string(trace.Skipped) && skipped > words.Many && !t.verbose {
			continue
		}
		t.hook(h, t.verbose || isRepeated(h, hooks))
	}
	if skipped > words.Many && !t.verbose {
		t.line(hookIndent, t.paint(t.faint, fmt.Sprintf("%d more skipped, -v lists them", skipped)))
	}
}

// isRepeated reports whether the hook is one of several with its name: a binding that chose several params.
func isRepeated(h report.Hook, hooks []report.Hook) bool {
	same := 0
	for i := range hooks {
		if words.HookName(hooks[i]) == words.HookName(h) {
			same++
		}
	}
	return same > 1
}

func (t *stepsText) hook(h report.Hook, withParam bool) {
	took := ""
	if h.Duration.Duration > 0 {
		took = words.Briefly(h.Duration.Duration)
	}
	t.row(hookIndent, words.HookName(h), h.Outcome, words.Join(took, h.Source))
	if withParam && h.Param != "" {
		t.paragraph(changeIndent, t.faint, "params: "+h.Param)
	}
	t.paragraph(changeIndent, "", t.why(h))
	for _, note := range h.PatchNotes {
		t.paragraph(changeIndent, t.changed, note)
	}
	t.answered(h)
	if t.verbose && h.Matched != "" {
		t.paragraph(changeIndent, t.faint, h.Matched)
	}
	t.expressions(h)
	for _, note := range h.WarningNotes {
		t.paragraph(changeIndent, t.changed, note)
	}
	changes, account := words.Apart(h.Changes)
	t.changes(changeIndent, changes, false)
	if len(account) > 0 {
		t.line(changeIndent, t.paint(t.changed, "~ metadata."+strings.Join(account, ", ")))
	}
}

// answered says that a reply was only assumed, and shows the beginning of a useless reply, unless it was shown before.
func (t *stepsText) answered(h report.Hook) {
	for i, c := range h.Calls {
		if c.Assumed != "" && i == 0 {
			t.paragraph(changeIndent, t.changed, "assumed: "+c.Assumed)
		}
		if c.Answered != "" && !strings.Contains(h.Because, c.Answered) && len(h.PatchNotes) == 0 {
			t.paragraph(changeIndent, t.faint, fmt.Sprintf("it answered %d: %q", c.Status, c.Answered))
		}
	}
}

// why says why a hook ended as it did, unless its outcome makes that obvious.
func (t *stepsText) why(h report.Hook) string {
	switch trace.Outcome(h.Outcome) {
	case trace.Allowed, trace.Changed:
		return ""
	case trace.Denied:
		if len(h.Calls) == 0 {
			return h.Because // the message of a policy, without its name
		}
		if h.Status != nil {
			return strings.TrimPrefix(h.Status.Message, fmt.Sprintf("admission webhook %q denied the request: ", h.Name))
		}
	}
	return h.Because
}

// row writes a name, an outcome and a text.
func (t *stepsText) row(indent int, name, outcome, text string) {
	head := strings.Repeat(" ", indent) + name
	if words.Columns(head)+2 > t.names {
		t.line(0, head)
		head = ""
	}
	head = padded(head, t.names) + t.paint(t.of(outcome), padded(outcome, outcomes))
	t.wrapped(head, t.names+outcomes, "", text)
}
