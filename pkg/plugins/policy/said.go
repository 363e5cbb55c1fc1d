package policy

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// said is what the answer gets of a policy with one of its bindings and one of its params.
type said struct {
	choice   choice[*validator]
	param    string
	warnings []string
	failures []failure    // to be audited
	values   []annotation // audit annotations, each with a value
	refusal  *trace.Hook  // nil: none
}

// hear notes what was said, if anything was.
func (v *validation) hear(s said) {
	if s.warnings != nil || s.failures != nil || s.values != nil || s.refusal != nil {
		v.said = append(v.said, s)
	}
}

// conclude makes the answer of what all policies have said. The server goes through them in any order, and so it does
// through the bindings of each, and through their params (W-271). Those of static manifests come first, by name.
func (v *validation) conclude(ctx context.Context) {
	static := 0
	for static < len(v.said) && v.said[static].choice.index < v.hooks.static {
		static++
	}
	if len(v.said)-static > 1 {
		v.arrange(ctx, v.said[static:])
	}
	if effects := v.effects(v.said); effects != nil {
		v.step.Effects = effects
	}
	first := slices.IndexFunc(v.said, said.refuses)
	if first < 0 {
		return
	}
	v.end(v.said[first].choice, v.said[first].refusal.Denial, v.said[first].refusal.Because)
	if first < static {
		return
	}
	for i, s := range v.said[first+1:] {
		if !s.refuses() {
			continue
		}
		v.step.MayRefuse("several policies refuse, and the server asks them in the order of a map", *s.refusal)
		if effects := v.effects(firstOf(v.said, static, first+1+i)); effects != nil && len(v.step.Effects.Otherwise) < len(v.step.Effects.Alternatives) {
			v.step.Effects.Otherwise = append(v.step.Effects.Otherwise, *effects)
		}
	}
}

func (s said) refuses() bool { return s.refusal != nil }

// arrange puts what was said in the order in which the server comes to it.
func (v *validation) arrange(ctx context.Context, all []said) {
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

// say says place by place what the answer gets.
func (s said) say(auditsAll bool, say func(in, text string, once bool)) {
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

// firstOf is the order in which one is first of all that follow the static ones, with its binding and its policy.
func firstOf(all []said, static, one int) []said {
	first := all[one]
	near := func(s said) int {
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

// valueSeparator is between the values of an audit annotation that several bindings and params have (W-291).
const valueSeparator = ", "

// effects are the warnings and audit annotations of what was said, in that order. Nil: there are none.
func (v *validation) effects(all []said) *trace.Effects {
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
		for _, f := range failures { // of which the first counts
			step.Annotate(failureAnnotation(f))
		}
	}
	return step.Effects
}

// published are the audit annotations of a policy: bindings and params may have the same values, or others (W-291).
func published(of []said) (list []trace.Annotation) {
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
