package check

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/splitmix"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

const orderRemedy = "the server calls them by the names of their configurations, which anybody may change: have each keep to its own fields, or make one webhook of them"

// order calls the mutating webhooks of a request in other orders: every two of them in both orders, and all of them in
// all orders, or in some if there are too many.
func (a *attempt) order(*simulator.Result) error {
	called := mutators(a.admission, 0)
	names := make([]document.Actor, len(called))
	for i, one := range called {
		names[i] = one.Actor
	}
	changes := make([]bool, len(names))
	for i, name := range names {
		var err error
		if changes[i], err = a.changesAlone(name); err != nil {
			return err
		}
	}
	dependent := false
	for i := range names {
		for j := i + 1; j < len(names); j++ {
			if !a.webhooks.Possible([]document.Actor{names[j], names[i]}) {
				continue
			}
			if !changes[i] && !changes[j] {
				a.pairs++ // the object does not change in either order
				continue
			}
			differs, err := a.pair(names[i], names[j])
			if err != nil {
				return err
			}
			dependent = dependent || differs
		}
	}
	if len(names) < 3 {
		return nil
	}
	usual, err := a.inOrder(names)
	if err != nil {
		return err
	}
	orders := a.someOrders(names)
	if !a.sampled {
		a.orders++ // the usual order
	}
	for _, order := range orders {
		if !a.webhooks.Possible(order) {
			continue
		}
		got, err := a.inOrder(order)
		if err != nil {
			return err
		}
		a.orders++
		if dependent {
			continue // the pair that causes it is known
		}
		for _, op := range differences(a.admission, usual, got) {
			a.report(Finding{Check: Order, Field: fields.Anywhere(op.Path), Text: "depends on the order of three webhooks or more", Remedy: orderRemedy},
				fmt.Sprintf("in the order %s: %s", orderWords(order), words(op)))
		}
	}
	return nil
}

// changesAlone reports whether a webhook changes the object if it is the only one.
func (a *attempt) changesAlone(name document.Actor) (bool, error) {
	got, err := a.run(a.webhooks.Only(name), a.admission.Request.Object)
	return slices.ContainsFunc(mutators(got, 0), func(h acted) bool { return h.Outcome == trace.Changed }), err
}

// pair reports whether it matters which of two webhooks is called first.
func (a *attempt) pair(first, second document.Actor) (bool, error) {
	x, err := a.inOrder([]document.Actor{first, second})
	if err != nil {
		return false, err
	}
	y, err := a.inOrder([]document.Actor{second, first})
	if err != nil {
		return false, err
	}
	a.pairs++
	operations := differences(a.admission, x, y)
	for _, op := range operations {
		f := Finding{Check: Order, Webhook: first, Other: second, Field: fields.Anywhere(op.Path), Text: "it matters which of the two is called first", Remedy: orderRemedy}
		a.report(f, fmt.Sprintf("the other way round %s", words(op)))
	}
	return len(operations) > 0, nil
}

// inOrder returns the object that results if these webhooks are called in this order.
func (a *attempt) inOrder(names []document.Actor) (runtime.Object, error) {
	got, err := a.run(a.webhooks.Only(names...), a.admission.Request.Object)
	if err != nil {
		return nil, err
	}
	return mutated(got), nil
}

// someOrders returns all orders of names except the usual one, or as many as may be tried.
func (a *attempt) someOrders(names []document.Actor) [][]document.Actor {
	count := 1
	for n := 2; n <= len(names) && count <= a.Orders; n++ {
		count *= n
	}
	if count <= a.Orders {
		return permutations(names)[1:]
	}
	a.sampled = true
	random := splitmix.New(a.Seed)
	all := make([][]document.Actor, 0, a.Orders)
	for range a.Orders {
		order := slices.Clone(names)
		for i := len(order) - 1; i > 0; i-- {
			j := int(random.Uint64() % uint64(i+1))
			order[i], order[j] = order[j], order[i]
		}
		all = append(all, order)
	}
	return all
}

// permutations returns all orders of names, the given one first.
func permutations(names []document.Actor) (all [][]document.Actor) {
	if len(names) < 2 {
		return [][]document.Actor{names}
	}
	for i, first := range names {
		rest := slices.Concat(names[:i], names[i+1:])
		for _, p := range permutations(rest) {
			all = append(all, append([]document.Actor{first}, p...))
		}
	}
	return all
}

func orderWords(order []document.Actor) string {
	names := make([]string, len(order))
	for i, a := range order {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}
