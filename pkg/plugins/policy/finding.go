package policy

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// A finding is what a policy with one of its bindings and one of its params adds to the answer.
type finding struct {
	choice   choice[*validator]
	param    string
	warnings []string
	failures []failure    // to be audited
	values   []annotation // audit annotations with a value
	refusal  *trace.Hook  // nil if it does not refuse
}

// collect adds a finding, unless it is empty.
func (v *validation) collect(s finding) {
	if s.warnings != nil || s.failures != nil || s.values != nil || s.refusal != nil {
		v.findings = append(v.findings, s)
	}
}

// conclude combines the findings of all policies into the answer. The server evaluates policies in any order, and
// likewise the bindings of each, and their params (W-271). Those of static manifests come first, by name.
func (v *validation) conclude(ctx context.Context) {
	static := 0
	for static < len(v.findings) && v.findings[static].choice.index < v.hooks.static {
		static++
	}
	if len(v.findings)-static > 1 {
		v.arrange(ctx, v.findings[static:])
	}
	if effects := v.effects(v.findings); effects != nil {
		v.step.Effects = effects
	}
	first := slices.IndexFunc(v.findings, finding.refuses)
	if first < 0 {
		return
	}
	v.end(v.findings[first].choice, v.findings[first].refusal.Denial, v.findings[first].refusal.Because)
	if first < static {
		return
	}
	for i, s := range v.findings[first+1:] {
		if !s.refuses() {
			continue
		}
		v.step.MayRefuse("several policies refuse, and the server asks them in the order of a map", *s.refusal)
		if effects := v.effects(firstOf(v.findings, static, first+1+i)); effects != nil && len(v.step.Effects.Otherwise) < len(v.step.Effects.Alternatives) {
			v.step.Effects.Otherwise = append(v.step.Effects.Otherwise, *effects)
		}
	}
}

func (s finding) refuses() bool { return s.refusal != nil }

// arrange puts findings in the order in which the server reaches them.
func (v *validation) arrange(ctx context.Context, all []finding) {
	paths := make([][]string, len(all))
	for i, s := range all {
		paths[i] = []string{s.choice.hook.name}
		if s.choice.binding != nil {
			paths[i] = append(paths[i], s.choice.binding.name, s.param)
		}
	}
	given := slices.Clone(all)
	say := func(i int, say func(in, text string, once bool)) { given[i].say(v.options.AuditsAll, say) }
	for i, at := range admission.CourseOf(ctx).Arrange(paths, say, "the server goes through policies, their bindings and params in any order") {
		all[i] = given[at]
	}
}

// say reports what a finding adds to the answer, place by place.
func (s finding) say(auditsAll bool, say func(in, text string, once bool)) {
	for _, text := range s.warnings {
		say("warnings", text, false)
	}
	for _, f := range s.failures {
		text, err := json.Marshal(f)
		if err != nil {
			panic(err) // strings and numbers
		}
		say("auditAnnotations."+failuresKey, string(text), !auditsAll)
	}
	for _, a := range s.values {
		for _, text := range strings.Split(a.value, valueSeparator) {
			say("auditAnnotations."+s.choice.hook.name+"/"+a.key, text, false)
		}
	}
	if s.refuses() {
		say("message", s.refusal.Denial.Message, true)
	}
}

// firstOf returns the order in which one is the first of all that follow the static ones, with its binding and its
// policy.
func firstOf(all []finding, static, one int) []finding {
	first := all[one]
	near := func(s finding) int {
		switch {
		case s.choice.hook != first.choice.hook:
			return 2
		case s.choice.binding != first.choice.binding:
			return 1
		}
		return 0
	}
	order := append(slices.Clone(all[:static]), first)
	for distance := range 3 {
		for i, s := range all[static:] {
			if static+i != one && near(s) == distance {
				order = append(order, s)
			}
		}
	}
	return order
}

// mostFailures is how many failures of one request are audited.
const mostFailures = 50

// valueSeparator separates the values of an audit annotation from several bindings and params (W-291).
const valueSeparator = ", "

// effects returns the warnings and audit annotations of findings, in that order. Nil: there are none.
func (v *validation) effects(all []finding) *trace.Effects {
	var step trace.Step
	var failures []failure
	for i := 0; i < len(all); {
		n := i
		for n < len(all) && all[n].choice.hook == all[i].choice.hook {
			step.Warn(all[n].warnings...)
			failures = append(failures, all[n].failures...)
			n++
		}
		step.Annotate(published(all[i:n])...)
		i = n
	}
	switch {
	case len(failures) == 0:
	case v.options.AuditsAll:
		step.Annotate(failureAnnotation(failures[:min(len(failures), mostFailures)]...))
	default:
		for _, f := range failures { // the first one counts
			step.Annotate(failureAnnotation(f))
		}
	}
	return step.Effects
}

// published returns the audit annotations of a policy: bindings and params may have the same values, or others (W-291).
func published(of []finding) (list []trace.Annotation) {
	var keys []string
	values := map[string][]string{}
	for _, s := range of {
		for _, a := range s.values {
			if values[a.key] == nil {
				keys = append(keys, a.key)
			}
			if !slices.Contains(values[a.key], a.value) {
				values[a.key] = append(values[a.key], a.value)
			}
		}
	}
	for _, key := range keys {
		list = append(list, trace.Annotation{Key: of[0].choice.hook.name + "/" + key, Value: strings.Join(values[key], valueSeparator)})
	}
	return list
}
