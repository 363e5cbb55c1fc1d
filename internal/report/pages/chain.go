package pages

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// A resultView is the answer to one request as the page shows it.
type resultView struct {
	*document.Answer
	Title    string
	HTTP     string // 403 Forbidden
	Message  string // of a denial
	Repeated string // why there are several chains for one object
	Chains   []chainView
	Response []string // if it is not the object of the chain
}

// A chainView is one run of the chain.
type chainView struct {
	Title  string    // if there are several
	Time   *timeline // nil if nothing took any time
	Phases []phaseView
	Object *evolution

	axis    *axis
	verbose bool
}

// A phaseView is the steps of one phase and round, with the steps that did nothing kept apart.
type phaseView struct {
	Name   string
	Steps  []stepView
	Quiet  string        // about the steps that did nothing
	Silent []report.Step // these steps one by one, if requested
}

// A stepView is a line of the timeline: what a plugin did, or one of its webhooks or policies.
type stepView struct {
	Name, Outcome string
	Because       string
	Message       string // of a denial
	Source, Hint  string
	Bar           *bar
	Took          string
	Changes       []changeView
	Account       string // fields of the server's bookkeeping
	Writes        []string
	Warnings      []string
	Annotations   []report.Annotation
	Hook          *report.Hook // if it is a webhook or policy
	Hooks         []stepView
	Skipped       []report.Hook // if there are many
	Aside         string        // the time saved by calling webhooks concurrently
	Verbose       bool
}

// A changeView is one change, with the old and new values on as many lines as they need.
type changeView struct {
	Op, Path, Old, New string
}

// Short returns a change on one line, with values if they are short.
func (c changeView) Short() string {
	const most = 40
	text := c.Op + " " + c.Path
	if c.Old != "" && words.Columns(c.Old) <= most {
		text += " " + c.Old
	}
	if c.New != "" && words.Columns(c.New) <= most {
		text += " → " + c.New
	}
	return text
}

// Open reports whether a step is shown expanded.
func (s stepView) Open() bool {
	return s.Outcome != string(trace.Skipped) && s.Outcome != string(trace.Allowed)
}

// Body reports whether a step has more than its line.
func (s stepView) Body() bool {
	return s.Hook != nil && s.Outcome != string(trace.Skipped) || s.Message != "" || s.Hint != "" || s.Account != "" ||
		len(s.Changes)+len(s.Writes)+len(s.Warnings)+len(s.Annotations) > 0
}

// newResultView returns the view of r. Its timelines are as long as those of other, a result that is shown beside it,
// if there is one.
func newResultView(r, other *document.Answer, o document.Options) (*resultView, error) {
	v := &resultView{Answer: r, Title: words.RequestTitle(r.Request), HTTP: words.Answered(r.Result)}
	if !r.Allowed && r.Status != nil {
		v.Message = r.Status.Message
	}
	v.Repeated = words.Repeated(r.Result)
	answered := false
	for i, a := range r.Admissions {
		c := chainView{axis: newAxis(a, r.Run(i).Deadline, 0), verbose: o.Verbose}
		if other != nil && i < len(other.Admissions) {
			c.axis = newAxis(a, r.Run(i).Deadline, lengthOf(other.Admissions[i]))
		}
		if len(r.Admissions) > 1 {
			c.Title = fmt.Sprintf("%s %s %s", a.Operation, a.Kind.Kind, a.Name)
		}
		if v.Repeated != "" {
			c.Title += fmt.Sprintf(", %d of %d", i+1, len(r.Admissions))
		}
		c.Phases = c.phases(a.Steps)
		c.Time = c.timeline()
		var err error
		versions := r.Run(i).Versions
		if i == len(r.Admissions)-1 && len(versions) > 0 && sameKind(r.Result, a) {
			versions = append(slices.Clip(versions), document.ObjectVersion{By: "as answered", Object: &runtime.Unknown{Raw: r.Object}})
			answered = true
		}
		if c.Object, err = evolve(versions, r.Value); err != nil {
			return nil, fmt.Errorf("the object of %s: %w", v.Title, err)
		}
		v.Chains = append(v.Chains, c)
	}
	if r.Allowed && len(r.Object) > 0 && !answered {
		object, err := document.Decoded(r.Object)
		if err != nil {
			return nil, fmt.Errorf("the answer to %s: %w", v.Title, err)
		}
		v.Response = yamlLines(object)
	}
	return v, nil
}

// sameKind reports whether the answer has the same kind and version as the object of a chain.
func sameKind(r *report.Result, a report.Admission) bool {
	var answer metav1.TypeMeta
	if json.Unmarshal(r.Object, &answer) != nil {
		return false
	}
	return answer.GroupVersionKind() == schema.GroupVersionKind(a.Kind)
}

func (c chainView) phases(steps []report.Step) (all []phaseView) {
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].Phase == steps[0].Phase && steps[n].Round == steps[0].Round {
			n++
		}
		p := phaseView{Name: words.PhaseName(steps[0])}
		var allowed []string
		skipped := 0
		for _, s := range steps[:n] {
			switch {
			case !words.Quiet(s):
				p.Steps = append(p.Steps, c.step(s))
			case c.verbose:
				p.Silent = append(p.Silent, s)
			case s.Outcome == string(trace.Allowed):
				allowed = append(allowed, s.Plugin)
			default:
				skipped++
			}
		}
		p.Quiet = words.Summary(allowed, skipped)
		if trace.Phase(steps[0].Phase) != trace.Server || len(p.Steps) > 0 {
			all = append(all, p)
		}
		steps = steps[n:]
	}
	return all
}

func (c chainView) step(s report.Step) stepView {
	v := stepView{
		Name: s.Plugin, Outcome: s.Outcome, Because: s.Because, Source: s.Source, Hint: s.Hint,
		Warnings: s.Warnings, Annotations: c.annotations(s.AuditAnnotations), Took: words.Took(s.Duration.Duration), Verbose: c.verbose,
	}
	rest, account := words.Apart(s.Changes)
	v.Changes, v.Account = changeViews(rest), strings.Join(account, ", ")
	for _, w := range s.Writes {
		v.Writes = append(v.Writes, strings.TrimSpace(w.Kind+" "+inNamespace(w.Namespace, w.Name)))
	}
	if len(s.Hooks) == 0 {
		v.Bar = c.axis.bar(s.Start.Duration, s.Duration.Duration)
		if s.Status != nil && s.Status.Message != s.Because {
			v.Message = s.Status.Message
		}
		return v
	}
	v.Source, v.Warnings, v.Annotations = "", nil, nil // they are shown with the hooks
	skipped := slices.Collect(func(yield func(report.Hook) bool) {
		for _, h := range s.Hooks {
			if h.Outcome == string(trace.Skipped) && !yield(h) {
				return
			}
		}
	})
	if len(skipped) > words.Many {
		v.Skipped = skipped
	}
	for i := range s.Hooks {
		if h := &s.Hooks[i]; h.Outcome != string(trace.Skipped) || len(skipped) <= words.Many {
			v.Hooks = append(v.Hooks, c.hook(h))
		}
	}
	v.Aside = aside(s)
	return v
}

func (c chainView) hook(h *report.Hook) stepView {
	rest, account := words.Apart(h.Changes)
	v := stepView{
		Name: words.HookName(*h), Outcome: h.Outcome, Because: words.OutcomeBecause(h), Source: h.Source, Hook: h,
		Changes: changeViews(rest), Account: strings.Join(account, ", "),
		Warnings: h.Warnings, Annotations: c.annotations(h.AuditAnnotations), Verbose: c.verbose,
	}
	switch took := h.Duration.Duration; {
	case took > 0:
		v.Bar, v.Took = c.axis.bar(h.Start.Duration, took), words.Briefly(took)
	case len(h.Calls) > 0: // it was called all the same
		v.Bar, v.Took = c.axis.mark(h.Start.Duration), words.Briefly(0)
	}
	if h.Status != nil && h.Status.Message != h.Because {
		v.Message = h.Status.Message
	}
	return v
}

// annotations returns the annotations of a step, if requested; the request has all of them.
func (c chainView) annotations(all []report.Annotation) []report.Annotation {
	if !c.verbose {
		return nil
	}
	return all
}

// aside says how much time was saved by concurrent calls; it is empty if they were one after the other.
func aside(s report.Step) string {
	var sum, end time.Duration
	start, n := time.Duration(-1), 0
	for _, h := range s.Hooks {
		if h.Duration.Duration == 0 {
			continue
		}
		n++
		sum += h.Duration.Duration
		end = max(end, h.Start.Duration+h.Duration.Duration)
		if start < 0 || h.Start.Duration < start {
			start = h.Start.Duration
		}
	}
	if n < 2 || end-start >= sum {
		return ""
	}
	return fmt.Sprintf("%d calls side by side: %s instead of %s", n, words.Took(end-start), words.Took(sum))
}

func changeViews(changes []report.Change) (all []changeView) {
	for _, c := range changes {
		v := changeView{Op: c.Op, Path: c.Path}
		if v.Path == "" {
			v.Path = "/"
		}
		if len(c.Old) > 0 {
			v.Old = valueText(c.Old)
		}
		if len(c.Value) > 0 {
			v.New = valueText(c.Value)
		}
		all = append(all, v)
	}
	return all
}

// maxValue is how much of a value is shown at a step; the object below has all of it.
const maxValue = 160

func valueText(value []byte) string { return words.Shorten(document.Flow(value), maxValue) }

func inNamespace(namespace, name string) string {
	if namespace == "" {
		return name
	}
	return namespace + "/" + name
}
