// Package check finds webhooks and policies that do not meet the server's expectations: they change their own output,
// depend on the order in which they are called, or judge an object that others change later. It also finds requests that
// bypass a webhook or policy that would refuse them.
//
// Start with [Run]. For each request of a corpus, it tries the webhooks and policies in variants of the world. Each
// check has a file.
package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/internal/whatif/variant"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A Name is the name of a check.
type Name string

// The checks.
const (
	Idempotence  Name = "idempotence"  // webhooks and policies, each alone, change nothing in their own output
	Order        Name = "order"        // the order in which mutating webhooks, or policies, are called does not matter
	Reinvocation Name = "reinvocation" // after the server's rounds, no webhook or policy would change anything more
	FinalState   Name = "final-state"  // hooks judge the final object, and accept what others make of it
	Bypass       Name = "bypass"       // no request bypasses a webhook or policy that would refuse it
)

// Names returns all checks.
func Names() []Name { return []Name{Idempotence, Order, Reinvocation, FinalState, Bypass} }

// A Finding is a violation of a check, with the requests of a corpus for which it occurs.
type Finding struct {
	Check   Name
	Webhook document.Actor // a webhook or policy; empty: several
	Other   document.Actor // the second of two
	Field   string
	Text    string
	Remedy  string

	Requests int
	Samples  []Sample
}

// A Sample is one request of a finding.
type Sample struct {
	Request document.Sample
	Detail  string
}

// Options says what is checked. All fields are optional.
type Options struct {
	Checks   []Name // nil: all
	Jobs     int    // how many requests are run concurrently; 0: 1
	Defaults scenario.Defaults

	// Alike is how many requests are tried of those that have the same operation, resource and called hooks. 0: 25.
	Alike int

	// Orders is the maximum number of orders of many mutators to try, in addition to all pairs. If there are no more
	// orders than that, all of them are tried. 0: 24. Seed chooses the orders.
	Orders int
	Seed   uint64

	Samples int // how many requests each finding names; 0: 3
}

// A Result holds the findings.
type Result struct {
	Checks    []Name
	Requests  int  // requests of the corpus that could be answered
	Tried     int  // requests for which webhooks and policies were tried
	Idle      bool // no world has webhooks or policies
	Undecided int
	Errors    []whatif.RequestError // of undecided requests, the first few

	Mutations  int // calls that changed something, each of which was repeated
	Pairs      int // pairs of mutators that were called in both orders
	Orders     int // orders of three or more mutators that were tried
	Exhaustive bool

	// Unanswered lists webhooks that could not be tried, since they have no backend.
	Unanswered []document.Actor

	// Repeaters lists mutators that reinvocation leaves to idempotence, since they change even their own output.
	Repeaters []document.Actor

	Findings []Finding
}

// Run runs a corpus, and tries what webhooks and policies do in other situations.
func Run(ctx context.Context, maker world.Maker, corpus traffic.Corpus, o Options) (*Result, error) {
	o.setDefaults()
	usual, err := traffic.NewRunner(maker, o.Defaults)
	if err != nil {
		return nil, err
	}
	c := &checking{Options: o, alike: map[string][]int{}, taken: map[string]int{}, groups: map[string]*Finding{}}
	c.result = &Result{Checks: o.Checks, Exhaustive: true, Idle: true}
	originally := func(r world.Resolver) world.Resolver { return variant.Originally(r) }
	err = traffic.Run(ctx, corpus, traffic.Runners{All: []*traffic.Runner{usual}, Trials: []func(world.Resolver) world.Resolver{originally}}, o.Jobs, c.judge, c.take)
	return c.finish(), err
}

func (o *Options) setDefaults() {
	if len(o.Checks) == 0 {
		o.Checks = Names()
	}
	if o.Alike == 0 {
		o.Alike = 25
	}
	if o.Orders == 0 {
		o.Orders = 24
	}
	if o.Samples == 0 {
		o.Samples = 3
	}
}

type checking struct {
	Options
	mutex  sync.Mutex
	alike  map[string][]int // the lowest numbers of items with a shape, among those judged so far
	taken  map[string]int   // items with a shape
	groups map[string]*Finding
	result *Result
}

// An attempt is the result of trying one request.
type attempt struct {
	*checking
	ctx       context.Context
	item      *traffic.Item
	admission trace.Admission
	hooks     variant.Variant      // as they are
	bare      *simulator.Simulator // of the cluster that the request finds, without its hooks
	unpoliced *simulator.Simulator // bare, without validating policies; nil until it is needed
	findings  []found
	// unanswered lists webhooks that have no backend and were not called.
	unanswered []document.Actor
	repeaters  []document.Actor // as in Result
	key        string           // its shape
	err        error            // why it cannot be tried

	mutations, pairs, orders int
	sampled                  bool // not all orders were tried
}

type found struct {
	Finding
	detail string
}

func (c *checking) has(name Name) bool { return slices.Contains(c.Checks, name) }

// judge answers a request, and tries it; it returns nil if the request is not tried.
func (c *checking) judge(ctx context.Context, it *traffic.Item) *attempt {
	it.Answer(ctx, 0)
	if it.Errs[0] != nil || len(it.Results[0].Admissions) != 1 {
		return nil
	}
	result := it.Results[0]
	a := &attempt{checking: c, ctx: ctx, item: it, admission: result.Admissions[0]}
	a.key = a.shape()
	if !c.first(a.key, it.Number) {
		return nil
	}
	if a.err = a.prepare(); a.err == nil {
		a.err = named(a.try(result))
	}
	return a
}

// prepare prepares the cluster that all trials of the request share, so that a trial takes no time for hooks that are
// not in it.
func (a *attempt) prepare() error {
	found := a.item.Asked[0].Simulator
	a.hooks = variant.AsIs(found)
	sim, err := a.item.World.Trial(0, found.State())
	if err != nil {
		return err
	}
	a.bare, err = variant.Variant{}.In(sim)
	return err
}

// named returns an error about a webhook of a variant, with the name that its author knows.
func named(err error) error {
	unanswered := (*dispatch.NoAnswerError)(nil)
	if !errors.As(err, &unanswered) {
		return err
	}
	of := *unanswered
	of.Configuration = variant.Original(of.Configuration)
	return &of
}

// first reports whether an item may be among the first of its shape. Earlier items that are judged later may show that
// it is not, so take decides.
func (c *checking) first(key string, number int) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	before, _ := slices.BinarySearch(c.alike[key], number)
	if before >= c.Alike {
		return false
	}
	c.alike[key] = slices.Insert(c.alike[key], before, number)
	c.alike[key] = c.alike[key][:min(len(c.alike[key]), c.Alike)]
	return true
}

// shape returns a key that is the same for similar requests.
func (a *attempt) shape() string {
	req := a.admission.Request
	parts := []string{string(req.Operation), req.Resource.String(), req.Subresource, whatif.Decider(a.item.Results[0]).String()}
	for _, step := range a.admission.Steps {
		for _, h := range step.Hooks {
			if whatif.IsWebhook(step) || step.Plugin == document.ValidatingPolicies || step.Plugin == document.MutatingPolicies {
				parts = append(parts, h.Configuration, h.Name, string(h.Outcome))
			}
		}
	}
	return strings.Join(parts, "\x00")
}

// try runs all selected checks for one request.
func (a *attempt) try(result *simulator.Result) error {
	for _, one := range []struct {
		name Name
		try  func(*simulator.Result) error
	}{
		{Idempotence, a.idempotence}, {Order, a.order}, {Reinvocation, a.reinvocation}, {FinalState, a.finalState}, {Bypass, a.bypass},
	} {
		if !a.has(one.name) {
			continue
		}
		if err := one.try(result); err != nil {
			return err
		}
	}
	return nil
}

func (a *attempt) report(f Finding, detail string) {
	for _, known := range a.findings {
		if known.key() == f.key() {
			return // found before for this request
		}
	}
	a.findings = append(a.findings, found{f, detail})
}

// run answers the request of the attempt with another object and other hooks.
func (a *attempt) run(v variant.Variant, object runtime.Object) (trace.Admission, error) {
	sim, err := v.In(a.bare)
	if err != nil {
		return trace.Admission{}, err
	}
	return a.admit(sim, object)
}

// admit answers the request of the attempt with another object.
func (a *attempt) admit(sim *simulator.Simulator, object runtime.Object) (trace.Admission, error) {
	req := a.admission.Request
	req.Object, req.Elapsed = object, 0
	result, err := sim.Admit(a.ctx, req)
	if err != nil {
		return trace.Admission{}, err
	}
	return result.Admissions[0], nil
}

// mutated returns the object after the mutating phase, or nil if there is none.
func mutated(a trace.Admission) runtime.Object {
	object := a.Request.Object
	for _, step := range a.Steps {
		if step.Phase == trace.Mutating && step.After != nil {
			object = step.After
		}
	}
	return object
}

// An acted hook is a mutating webhook that was called, or a mutating policy that was applied.
type acted struct {
	document.Actor
	trace.Hook
}

// is reports whether a mutator is the one that is named, in whatever variant.
func (a acted) is(by document.Actor) bool {
	return a.Plugin == by.Plugin && a.Actor.Configuration == by.Configuration && a.Actor.Name == by.Name
}

// isPolicy reports whether a mutator is a policy, not a webhook.
func isPolicy(mutator document.Actor) bool { return mutator.Plugin == document.MutatingPolicies }

// mutators returns the mutating policies and webhooks that were called in the first round, in this order.
func mutators(a trace.Admission) []acted { return mutatorsThat(a, acts) }

// acts reports whether a hook was called, or refused the request because it could not be.
func acts(h trace.Hook) bool { return h.Called || h.Outcome.Ends() }

// mutatorsThat returns the mutating policies and webhooks of the first round that meet a condition. A policy that was
// applied with several params is returned once, with what the last of them left.
func mutatorsThat(a trace.Admission, meets func(trace.Hook) bool) (all []acted) {
	for _, step := range a.Steps {
		if step.Plugin != document.MutatingWebhooks && step.Plugin != document.MutatingPolicies || step.Round != 0 {
			continue
		}
		for _, h := range step.Hooks {
			if !meets(h) {
				continue
			}
			by := whatif.Actor(step, h)
			by.Configuration = variant.Original(by.Configuration)
			i := slices.IndexFunc(all, func(one acted) bool { return one.Actor == by })
			switch {
			case i < 0:
				all = append(all, acted{by, h})
			case h.Outcome == trace.Changed || h.Outcome.Ends() || all[i].Outcome == trace.Skipped:
				if before := all[i].Before; before != nil {
					h.Before = before
				}
				all[i].Hook = h
			}
		}
	}
	return all
}

// whatDid returns what a mutator did, or nil if it was not called.
func whatDid(a trace.Admission, by document.Actor) *trace.Hook {
	for _, one := range mutators(a) {
		if one.is(by) {
			return &one.Hook
		}
	}
	return nil
}

// differences returns the fields in which two objects of an admission differ.
func differences(of trace.Admission, a, b runtime.Object) []patch.Operation {
	if a == nil || b == nil || a == b {
		return nil
	}
	operations, err := fields.Diff(a, b, of.Request.Name == "")
	if err != nil {
		return nil
	}
	return operations
}

func (f Finding) key() string {
	return strings.Join([]string{string(f.Check), f.Webhook.String(), f.Other.String(), f.Field, whatif.Shape(f.Text)}, "\x00")
}

func (c *checking) take(it *traffic.Item, a *attempt) error {
	if a != nil {
		if c.taken[a.key]++; c.taken[a.key] > c.Alike {
			a = nil
		}
	}
	err := it.Err()
	if a != nil {
		err = cmp.Or(err, a.err)
	}
	if err != nil {
		c.result.Undecided++
		c.result.Errors = whatif.WithError(c.result.Errors, whatif.RequestError{Request: it.Sample(it.Asked[0]), Err: err})
		return nil
	}
	c.result.Requests++
	c.result.Idle = c.result.Idle && idle(it.Asked[0].Simulator)
	if a == nil {
		return nil
	}
	c.result.Tried++
	c.result.Mutations += a.mutations
	c.result.Pairs += a.pairs
	c.result.Orders += a.orders
	c.result.Exhaustive = c.result.Exhaustive && !a.sampled
	c.result.Unanswered = withActors(c.result.Unanswered, a.unanswered)
	c.result.Repeaters = withActors(c.result.Repeaters, a.repeaters)
	for _, f := range a.findings {
		one := c.groups[f.key()]
		if one == nil {
			one = &f.Finding
			c.groups[f.key()] = one
		}
		if one.Requests++; len(one.Samples) < c.Samples {
			one.Samples = append(one.Samples, Sample{it.Sample(it.Asked[0]), f.detail})
		}
	}
	return nil
}

// withActors adds those of some actors to a list that it does not contain yet.
func withActors(all, more []document.Actor) []document.Actor {
	for _, by := range more {
		if !slices.Contains(all, by) {
			all = append(all, by)
		}
	}
	return all
}

func (c *checking) finish() *Result {
	for _, f := range c.groups {
		c.result.Findings = append(c.result.Findings, *f)
	}
	order := Names()
	slices.SortFunc(c.result.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Check), slices.Index(order, b.Check)),
			cmp.Compare(b.Requests, a.Requests),
			cmp.Compare(a.key(), b.key()),
		)
	})
	return c.result
}

// idle reports whether a cluster has no webhooks and no policies.
func idle(sim *simulator.Simulator) bool {
	policies, _ := sim.Policies()
	return len(sim.Webhooks())+len(policies) == 0
}
