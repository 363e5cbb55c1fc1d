package diff

import (
	"cmp"
	"maps"
	"slices"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Result says what changes from one world to another. All numbers are exact.
type Result struct {
	Requests  int // answered by both worlds
	Changed   int // of Requests
	Undecided int // requests that admsim could not answer in one of the worlds

	ByChange map[document.DiffChange]int // number of requests with each change; a request may have several

	Groups []document.DiffGroup  // by change, the largest first
	Calls  []document.DiffCalls  // by webhook
	Errors []whatif.RequestError // of undecided requests, the first few

	Unreached []document.Actor     // webhooks and policies that differ, but were asked about no request in either world
	Assumed   []document.DiffCalls // calls whose answers were made up, because no backend is declared
}

// These limits bound the memory: the number of groups, and the number of values that each group counts separately.
// Values beyond that are counted together.
const (
	maxGroups = 2000
	maxValues = 500
)

// A grouping adds up differences.
type grouping struct {
	result  *Result
	samples int
	groups  map[groupKey]*group
	called  map[document.Actor]*document.DiffCalls
	assumed map[document.Actor]*document.DiffCalls
	missed  map[document.Actor]bool // those that differ and were not asked yet
}

type groupKey struct {
	change                      document.DiffChange
	what, plugin, configuration string
	name                        string
}

type group struct {
	document.DiffGroup
	users, namespaces, resources map[string]int
}

func newGrouping(samples int, changed []document.Actor) *grouping {
	g := &grouping{
		result: &Result{ByChange: map[document.DiffChange]int{}}, samples: samples,
		groups: map[groupKey]*group{}, called: map[document.Actor]*document.DiffCalls{},
		assumed: map[document.Actor]*document.DiffCalls{}, missed: map[document.Actor]bool{},
	}
	for _, actor := range changed {
		g.missed[actor] = true
	}
	return g
}

func (g *grouping) add(c *document.Changed) {
	g.result.Changed++
	g.countChanges(c.Differences)
	seen := map[*group]bool{} // two changed containers are one request
	for _, d := range c.Differences {
		one := g.of(d)
		if seen[one] {
			one.complete(c.Request, d)
			continue
		}
		seen[one] = true
		one.Requests++
		tally(one.users, c.Request.User)
		tally(one.namespaces, c.Request.Namespace)
		tally(one.resources, c.Request.Verb+" "+c.Request.Resource)
		if len(one.Samples) < g.samples {
			one.Samples = append(one.Samples, document.DiffSample{Request: c.Request, Base: d.Base, Head: d.Head, Because: d.Because})
		}
	}
}

func (g *grouping) countChanges(all []document.Difference) {
	for i, d := range all {
		if !slices.ContainsFunc(all[:i], func(earlier document.Difference) bool { return earlier.Change == d.Change }) {
			g.result.ByChange[d.Change]++
		}
	}
}

// complete adds what is missing to the sample of a request: if a list loses one item and gains another, these are two
// differences, and the sample has both.
func (g *group) complete(of document.Sample, d document.Difference) {
	if len(g.Samples) == 0 {
		return
	}
	last := &g.Samples[len(g.Samples)-1]
	switch {
	case last.Request != of:
	case last.Base == "" && d.Head == "":
		last.Base = d.Base
	case last.Head == "" && d.Base == "":
		last.Head = d.Head
	}
}

// of returns the group of a difference.
func (g *grouping) of(d document.Difference) *group {
	key := groupKey{d.Change, d.What, d.By.Plugin, d.By.Configuration, d.By.Name}
	one := g.groups[key]
	if one == nil && len(g.groups) >= maxGroups {
		key = groupKey{change: d.Change, what: document.Others}
		d.By = document.Actor{}
		one = g.groups[key]
	}
	if one == nil {
		one = &group{document.DiffGroup{Change: d.Change, What: key.what, By: d.By.InAnyRound()}, map[string]int{}, map[string]int{}, map[string]int{}}
		g.groups[key] = one
	}
	return one
}

func tally(counts map[string]int, value string) {
	if _, known := counts[value]; !known && len(counts) >= maxValues {
		value = document.Others
	}
	counts[value]++
}

// calls counts the webhooks that were called.
func (g *grouping) calls(base, head *simulator.Result) {
	for i, r := range []*simulator.Result{base, head} {
		if r == nil {
			continue
		}
		for _, c := range whatif.Calls(r) {
			count(g.called, c, i)
		}
		for _, c := range whatif.Assumed(r) {
			count(g.assumed, c, i)
		}
	}
}

// count counts calls in the world with that index: 0 is base, 1 is head.
func count(sums map[document.Actor]*document.DiffCalls, c whatif.Called, world int) {
	key := c.Actor
	key.Source = ""
	sum := sums[key]
	if sum == nil {
		sum = &document.DiffCalls{Webhook: key}
		sums[key] = sum
	}
	if world == 0 {
		sum.Base += c.N
	} else {
		sum.Head += c.N
	}
}

// reach removes from missed the hooks that were asked.
func (g *grouping) reach(results ...*simulator.Result) {
	for _, r := range results {
		if r == nil || len(g.missed) == 0 {
			continue
		}
		for step, h := range whatif.Hooks(r) {
			if !whatif.IsAsked(h) {
				continue
			}
			actor := document.Actor{Plugin: step.Plugin, Configuration: h.Configuration}
			if whatif.IsWebhook(step) {
				actor.Name = h.Name
			}
			delete(g.missed, actor)
		}
	}
}

func (g *grouping) undecided(it *traffic.Item, err error) {
	g.result.Undecided++
	for _, err := range it.Errs { // a webhook whose answer is missing was reached
		for _, actor := range whatif.Silent(err) {
			delete(g.missed, actor)
		}
	}
	g.result.Errors = whatif.WithError(g.result.Errors, whatif.RequestError{Request: it.Sample(it.Asked[0]), Err: err})
}

// Document converts the changes to the form that is shown; base and head are the user's names for the worlds.
func (r *Result) Document(base, head string) *document.Diff {
	d := &document.Diff{
		TypeMeta: document.TypeMeta(document.DiffKind),
		Base:     base, Head: head,
		Requests: r.Requests, Changed: r.Changed, Undecided: r.Undecided,
		Groups: []document.DiffGroup{}, Calls: r.Calls, ByChange: r.ByChange,
	}
	d.Groups = append(d.Groups, r.Groups...)
	d.Unreached = append(d.Unreached, r.Unreached...)
	d.Assumed = append(d.Assumed, r.Assumed...)
	for _, e := range r.Errors {
		d.Errors = append(d.Errors, document.DiffError{Request: e.Request, Error: e.Err.Error()})
	}
	return d
}

func (g *grouping) finish() *Result {
	for _, one := range g.groups {
		one.Users, one.Namespaces, one.Resources = counts(one.users), counts(one.namespaces), counts(one.resources)
		g.result.Groups = append(g.result.Groups, one.DiffGroup)
	}
	order := document.Changes()
	slices.SortFunc(g.result.Groups, func(a, b document.DiffGroup) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Change), slices.Index(order, b.Change)),
			cmp.Compare(b.Requests, a.Requests),
			cmp.Compare(a.What, b.What),
			cmp.Compare(a.By.String(), b.By.String()),
		)
	})
	g.result.Calls, g.result.Assumed = sorted(g.called), sorted(g.assumed)
	if g.result.Requests > 0 || g.result.Undecided == 0 { // otherwise nothing is known about what requests reach
		g.result.Unreached = slices.SortedFunc(maps.Keys(g.missed), inOrder)
	}
	return g.result
}

func sorted(sums map[document.Actor]*document.DiffCalls) (all []document.DiffCalls) {
	for _, key := range slices.SortedFunc(maps.Keys(sums), inOrder) {
		all = append(all, *sums[key])
	}
	return all
}

func inOrder(a, b document.Actor) int {
	return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.String(), b.String()))
}

func counts(of map[string]int) []document.Count {
	all := make([]document.Count, 0, len(of))
	for value, n := range of {
		all = append(all, document.Count{Value: value, Count: n})
	}
	slices.SortFunc(all, func(a, b document.Count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return document.MostFrequent(all)
}
