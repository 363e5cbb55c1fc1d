package check

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/splitmix"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// order calls the mutators of a request in other orders. The server calls policies before webhooks, so only the order of
// each is tried.
func (a *attempt) order(*simulator.Result) error {
	var policies, webhooks []acted
	for _, one := range mutatorsThat(a.admission, mayAct) {
		if isPolicy(one.Actor) {
			policies = append(policies, one)
		} else {
			webhooks = append(webhooks, one)
		}
	}
	if err := (&ordering{a, nil}).try(policies); err != nil {
		return err
	}
	return (&ordering{a, actors(policies)}).try(webhooks)
}

// mayAct reports whether a hook was called, or may be if others have not changed the object yet.
func mayAct(h trace.Hook) bool {
	return acts(h) || h.Decided.Part == trace.ObjectSelector || h.Decided.Part == trace.MatchConditions
}

func actors(hooks []acted) (all []document.Actor) {
	for _, one := range hooks {
		all = append(all, one.Actor)
	}
	return all
}

// An ordering tries orders of webhooks, or of policies.
type ordering struct {
	*attempt
	before []document.Actor // the mutators that the server calls before all of these
}

// try calls every two mutators in both orders, and all those that were called in all orders, or in some if there are too
// many.
func (o *ordering) try(hooks []acted) error {
	names := actors(hooks)
	changes := make([]bool, len(names))
	for i, name := range names {
		var err error
		if changes[i], err = o.changesAlone(name); err != nil {
			return err
		}
	}
	dependent := false
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			if !o.hooks.Possible([]document.Actor{names[j], names[i]}) {
				continue
			}
			if !changes[i] && !changes[j] { // the object does not change in either order
				if acts(hooks[i].Hook) && acts(hooks[j].Hook) {
					o.pairs++
				}
				continue
			}
			differs, err := o.pair(names[i], names[j])
			if err != nil {
				return err
			}
			dependent = dependent || differs
		}
	}
	names = actors(slices.DeleteFunc(slices.Clone(hooks), func(h acted) bool { return !acts(h.Hook) }))
	if len(names) < 3 {
		return nil
	}
	usual, err := o.inOrder(names...)
	if err != nil {
		return err
	}
	random := splitmix.New(o.Seed)
	orders, drawn := o.hooks.Orders(names, o.Orders, func(n int) int { return int(random.Uint64() % uint64(n)) })
	if o.sampled = o.sampled || drawn; !drawn {
		o.orders++ // the usual order
	}
	for _, order := range orders {
		got, err := o.inOrder(order...)
		if err != nil {
			return err
		}
		o.orders++
		if dependent {
			continue // the pair that causes it is known
		}
		for _, d := range o.contrasts(usual, got) {
			text, remedy := "depends on the order of three webhooks or more", webhookOrderRemedy
			if isPolicy(names[0]) {
				text, remedy = "depends on the order of three policies or more", policyOrderRemedy
			}
			o.report(Finding{Check: Order, Field: d.field, Text: text, Remedy: remedy}, fmt.Sprintf("in the order %s: %s", orderWords(order), d.text))
		}
	}
	return nil
}

const (
	webhookOrderRemedy = "the server calls them by the names of their configurations, which anybody may change: have each keep to its own fields, or make one webhook of them"
	policyOrderRemedy  = "the server applies policies in any order: have each keep to its own fields, or make them mutations of one policy"
)

// changesAlone reports whether a mutator changes the object if it is the only one of its kind.
func (o *ordering) changesAlone(name document.Actor) (bool, error) {
	got, err := o.inOrder(name)
	did := whatDid(got, name)
	return did != nil && did.Outcome == trace.Changed, err
}

// pair reports whether it matters which of two mutators is called first.
func (o *ordering) pair(first, second document.Actor) (bool, error) {
	x, err := o.inOrder(first, second)
	if err != nil {
		return false, err
	}
	y, err := o.inOrder(second, first)
	if err != nil {
		return false, err
	}
	o.pairs++
	f := Finding{Check: Order, Webhook: first, Other: second, Text: "it matters which of the two is called first", Remedy: webhookOrderRemedy}
	if isPolicy(first) {
		f.Text, f.Remedy = "it matters which of the two is applied first", policyOrderRemedy
	}
	contrasts := o.contrasts(x, y)
	for _, d := range contrasts {
		f.Field = d.field
		o.report(f, "the other way round "+d.text)
	}
	return len(contrasts) > 0, nil
}

// A contrast is one way in which the result of an order differs from that of the usual one.
type contrast struct{ field, text string }

// contrasts compares what two orders result in. A refused request has no object to compare.
func (o *ordering) contrasts(usual, other trace.Admission) (all []contrast) {
	was, is := mutatingRefusal(usual), mutatingRefusal(other)
	switch {
	case was != nil && is != nil:
		return nil
	case is != nil:
		return []contrast{{text: "the request is refused: " + variant.Originals(is.Message)}}
	case was != nil:
		return []contrast{{text: "the request is not refused, as it is in the usual order: " + variant.Originals(was.Message)}}
	}
	for _, op := range differences(o.admission, mutated(usual), mutated(other)) {
		all = append(all, contrast{fields.Anywhere(op.Path), words(op)})
	}
	return all
}

// mutatingRefusal returns why the mutating phase refuses a request, or nil if it does not.
func mutatingRefusal(a trace.Admission) *metav1.Status {
	for _, step := range a.Steps {
		if step.Phase == trace.Mutating && step.Denial != nil {
			return step.Denial
		}
	}
	return nil
}

// inOrder answers the request with these mutators in this order, after those that are always called before.
func (o *ordering) inOrder(names ...document.Actor) (trace.Admission, error) {
	return o.run(o.hooks.Only(slices.Concat(o.before, names)...), o.admission.Request.Object)
}

func orderWords(order []document.Actor) string {
	names := make([]string, len(order))
	for i, a := range order {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
