package equivalence

import (
	"context"
	"slices"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/space/edges"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/variation"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// Limits.
const (
	maxRequests   = 4000 // in total
	maxPoints     = 40   // points that are varied; others have one request each
	maxOfOne      = 1000 // requests for one expression at one point
	maxTrials     = 1000 // evaluations to find admitted requests
	maxTogether   = 4    // places that are changed at once
	unaskedWeight = 100  // how much a hook that is not asked counts, in expressions that do not hold
	refusedBefore = 10_000
)

// A chooser chooses requests at the edges of expressions.
type chooser struct {
	comparison *survey.Comparison
	worlds     []*world.World // base and head, in which all webhooks allow everything
	subjects   []subjects
	defaults   scenario.Defaults
	trials     int
}

// Subjects are the compared webhooks and policies of a world.
type subjects map[[3]string]bool

// subjectsOf returns the subjects of a comparison.
func subjectsOf(all []document.SurveySubject) subjects {
	s := subjects{}
	for _, one := range all {
		s[[3]string{one.Webhook.Plugin, one.Webhook.Configuration, one.Webhook.Name}] = true
	}
	return s
}

// asked returns how many of them were asked about a request, and how many of their expressions did not hold.
func (s subjects) asked(answer *simulator.Result) (asked, wrong int) {
	for step, h := range whatif.Hooks(answer) {
		if step.Round > 0 || !whatif.IsAsked(h) || !s[[3]string{step.Plugin, h.Configuration, h.Name}] {
			continue
		}
		asked++
		for _, e := range h.Expressions {
			if e.Value == "false" || e.Error != "" {
				wrong++
			}
		}
	}
	return asked, wrong
}

// A dimension holds the possible changes of a place.
type dimension []variation.Change

// requestsTo chooses requests that hooks are asked about in one of two worlds, base and head, in which all webhooks
// allow everything. If there are too many, some are left out.
func requestsTo(ctx context.Context, c *survey.Comparison, base, head *world.World, d scenario.Defaults) (all []ready, left int, err error) {
	chooser := &chooser{comparison: c, worlds: []*world.World{base, head}, subjects: []subjects{subjectsOf(c.Base), subjectsOf(c.Head)}, defaults: d}
	made := chooser.choose(ctx)
	left = max(len(made)-maxRequests, 0)
	for _, one := range made[:len(made)-left] {
		read, err := one.read()
		if err != nil {
			return nil, 0, err
		}
		if chooser.isPossible(read) {
			all = append(all, read)
		}
	}
	return all, left, nil
}

// isPossible reports whether such a request can exist: a server might never have stored its old object.
func (c *chooser) isPossible(r ready) bool {
	return !slices.ContainsFunc(c.worlds, func(w *world.World) bool {
		_, err := r.ask(w, w.Simulator(), c.defaults)
		return err != nil
	})
}

// choose returns the requests: for each point one that is admitted, if one can be found, and then requests in which as
// few places as possible are changed, for each expression separately. For expressions with few places, all combinations
// are tried.
func (c *chooser) choose(ctx context.Context) (made []request) {
	namespaces := c.namespaces()
	seen := map[string]bool{}
	add := func(r request) {
		if !seen[string(r.manifest)] {
			seen[string(r.manifest)] = true
			made = append(made, r)
		}
	}
	known, swept := map[string][]variation.Change{}, map[string]bool{}
	for i, point := range c.comparison.Points {
		d, ok := newDraft(point, c.worlds[1].Simulator(), namespaces)
		if !ok || i >= maxPoints {
			add(asWitness(point))
			continue
		}
		expressions := c.dimensions(&d)
		kind := d.point.Endpoint.Kind.String()
		base := c.admitted(ctx, &d, known[kind], expressions)
		known[kind] = base
		if r, ok := d.request(base); ok {
			add(r)
		}
		for _, dimensions := range expressions {
			left := maxOfOne
			combine(dimensions, maxTogether, func(changes []variation.Change) bool {
				if r, ok := d.request(over(base, changes)); ok {
					r.changes, r.edge = len(changes), true
					add(r)
				}
				left--
				return left > 0
			})
		}
		if !swept[kind] {
			swept[kind] = true
			for _, place := range d.shape.Fields() {
				if r, ok := d.request(over(base, []variation.Change{variation.Set(place)})); ok {
					r.changes = 1
					add(r)
				}
			}
		}
	}
	slices.SortStableFunc(made, func(a, b request) int { return a.changes - b.changes })
	return made
}

// namespaces returns the labels of the namespaces of the cluster.
func (c *chooser) namespaces() map[string]map[string]any {
	all := map[string]map[string]any{}
	for name, labels := range survey.Namespaces(c.worlds[1].Simulator().State()) {
		of := map[string]any{}
		for key, value := range labels {
			of[key] = value
		}
		all[name] = of
	}
	return all
}

// dimensions returns, for each expression, the places in it that requests of a draft have, with their changes.
func (c *chooser) dimensions(d *draft) (all [][]dimension) {
	for _, e := range c.comparison.Expressions {
		var dimensions []dimension
		for _, v := range variation.WithAlike(edges.Of(e.Text, edges.Context{Variables: e.Variables, Params: e.Params}), d.shape) {
			changes := slices.DeleteFunc(variation.Of(v, d.shape, d.point.Endpoint.Operation == "UPDATE"), d.isOutside)
			if len(changes) > 0 {
				dimensions = append(dimensions, changes)
			}
		}
		if len(dimensions) > 0 {
			all = append(all, dimensions)
		}
	}
	return all
}

// isOutside reports whether a change is about something that such a request does not have, such as the old object of a
// creation.
func (d *draft) isOutside(c variation.Change) bool {
	if c.Place.Root == "object" {
		return false
	}
	_, ok := d.request([]variation.Change{c})
	return !ok
}

// combine yields the combinations of changes of up to most dimensions, one change of each. It starts with few
// dimensions, and then prefers places that are close to each other: what a condition says about one container belongs
// together.
func combine(dimensions []dimension, most int, yield func([]variation.Change) bool) {
	for n := 1; n <= min(most, len(dimensions)); n++ {
		for _, some := range closest(dimensions, n) {
			if !eachOf(some, nil, yield) {
				return
			}
		}
	}
}

// eachOf yields the combinations of changes, one of each dimension.
func eachOf(dimensions []dimension, chosen []variation.Change, yield func([]variation.Change) bool) bool {
	if len(dimensions) == 0 {
		return yield(slices.Clone(chosen))
	}
	for _, one := range dimensions[0] {
		if !eachOf(dimensions[1:], append(chosen, one), yield) {
			return false
		}
	}
	return true
}

// closest returns the choices of n dimensions, those whose places are closest to each other first.
func closest(dimensions []dimension, n int) (all [][]dimension) {
	type choice struct {
		of        []dimension
		closeness int
	}
	var choices []choice
	var pick func(from int, chosen []dimension, closeness int)
	pick = func(from int, chosen []dimension, closeness int) {
		if len(chosen) == n {
			choices = append(choices, choice{slices.Clone(chosen), closeness})
			return
		}
		for i := from; i <= len(dimensions)-(n-len(chosen)); i++ {
			sum := closeness
			for _, other := range chosen {
				sum += dimensions[i].shared(other)
			}
			pick(i+1, append(chosen, dimensions[i]), sum)
		}
	}
	pick(0, nil, 0)
	slices.SortStableFunc(choices, func(a, b choice) int { return b.closeness - a.closeness })
	for _, c := range choices {
		all = append(all, c.of)
	}
	return all
}

// shared returns how many lists the paths to two places have in common.
func (d dimension) shared(other dimension) (n int) {
	a, b := d[0].Place, other[0].Place
	if a.Root != b.Root {
		return 0
	}
	for i := range min(len(a.Steps), len(b.Steps)) {
		if a.Steps[i] != b.Steps[i] {
			break
		}
		if a.Steps[i] == edges.Element {
			n++
		}
	}
	return n
}

// over returns the changes of base that others do not replace, and others.
func over(base, others []variation.Change) []variation.Change {
	all := slices.DeleteFunc(slices.Clone(base), func(c variation.Change) bool {
		return slices.ContainsFunc(others, func(o variation.Change) bool { return o.Replaces(c) })
	})
	return append(all, others...)
}

// admitted returns changes with which all policies that are asked admit the request, or the best that could be found;
// another operation on the kind provides known changes.
func (c *chooser) admitted(ctx context.Context, d *draft, known []variation.Change, expressions [][]dimension) (best []variation.Change) {
	least := c.wrong(ctx, d, nil)
	if n := c.wrong(ctx, d, known); n < least {
		least, best = n, known
	}
	for range 2 {
		for _, dimensions := range expressions {
			if least == 0 {
				return best
			}
			left := maxOfOne / 2
			before := best
			combine(dimensions, maxTogether, func(changes []variation.Change) bool {
				tried := over(before, changes)
				if n := c.wrong(ctx, d, tried); n < least {
					least, best = n, tried
				}
				left--
				return least > 0 && left > 0 && c.trials < maxTrials
			})
		}
	}
	return best
}

// wrong returns how far a request is from being admitted: expressions that do not hold, and policies that are not
// asked.
func (c *chooser) wrong(ctx context.Context, d *draft, changes []variation.Change) int {
	made, ok := d.request(changes)
	if !ok {
		return 2 * refusedBefore
	}
	read, err := made.read()
	if err != nil {
		return 2 * refusedBefore
	}
	sum := 0
	c.trials++
	for i, w := range c.worlds {
		asked, err := read.ask(w, w.Simulator(), c.defaults)
		if err != nil {
			return 2 * refusedBefore
		}
		answer, err := asked.Answer(ctx)
		if err != nil {
			return 2 * refusedBefore
		}
		found, wrong := c.subjects[i].asked(answer)
		sum += wrong
		sum += unaskedWeight * max(len(c.subjects[i])-found, 0)
		if found == 0 && !answer.Allowed() {
			sum += refusedBefore
		}
	}
	return sum
}
