package whatif

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A CheckName is one thing that [Check] looks at.
type CheckName string

// The checks.
const (
	Idempotence  CheckName = "idempotence"  // run on its own output, a webhook, and all of them, change nothing more
	Order        CheckName = "order"        // it does not matter in which order mutating webhooks are called
	Reinvocation CheckName = "reinvocation" // after the server's rounds no webhook would change anything more
	FinalState   CheckName = "final-state"  // what judges an object sees it as it will be, and accepts what others make of it
	Bypass       CheckName = "bypass"       // nothing that a webhook or policy would refuse passes by it
)

// Checks are all of them.
func Checks() []CheckName { return []CheckName{Idempotence, Order, Reinvocation, FinalState, Bypass} }

// A Finding is something that does not hold, for the requests of a corpus for which it does
// not.
type Finding struct {
	Check   CheckName
	Webhook document.Actor // of all, where it is nobody
	Other   document.Actor // the second of two
	Field   string
	Text    string
	Remedy  string

	Requests int
	Samples  []CheckSample
}

// A CheckSample is one request of a finding.
type CheckSample struct {
	Request document.Sample
	Detail  string
}

// CheckOptions say what is checked. All may be left out.
type CheckOptions struct {
	Checks   []CheckName // nil: all
	Jobs     int         // how many requests are run side by side; 0: 1
	Defaults scenario.Defaults

	// Alike is how many requests are tried of those for which the same webhooks are called
	// for the same operation on the same resource. 0: 25.
	Alike int

	// Orders is how many orders of many webhooks are tried at most, beside all pairs. All are
	// tried where there are fewer. 0: 24. Seed chooses them.
	Orders int
	Seed   uint64

	Samples int // how many requests each finding names; 0: 3
}

// A CheckResult is what does not hold.
type CheckResult struct {
	Checks    []CheckName
	Requests  int // of the corpus, that could be answered
	Tried     int // of them, in which webhooks were tried out
	Undecided int
	Errors    []DiffError // of the undecided, the first few

	Mutations  int // calls that changed something, each of which was repeated
	Pairs      int // pairs of webhooks that were called both ways round
	Orders     int // orders of three webhooks and more that were tried
	Exhaustive bool

	// Unanswered are webhooks that could not be tried out, since nobody says what they answer.
	Unanswered []document.Actor

	Findings []Finding
}

// Check runs a corpus, and tries out what webhooks do beyond it.
func Check(ctx context.Context, maker world.Maker, corpus traffic.Corpus, o CheckOptions) (*CheckResult, error) {
	o.setDefaults()
	usual, err := traffic.NewRunner(maker, o.Defaults)
	if err != nil {
		return nil, err
	}
	c := &checking{CheckOptions: o, alike: map[string][]int{}, taken: map[string]int{}, found: map[*traffic.Item]*attempt{}, groups: map[string]*Finding{}}
	c.result = &CheckResult{Checks: o.Checks, Exhaustive: true}
	c.lock = newLock()
	err = traffic.Run(ctx, corpus, traffic.Runners{All: []*traffic.Runner{usual}, Trials: []func(world.Resolver) world.Resolver{originally}}, o.Jobs, c.judge, c.take)
	return c.finish(), err
}

func (o *CheckOptions) setDefaults() {
	if len(o.Checks) == 0 {
		o.Checks = Checks()
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
	CheckOptions
	lock   lock
	alike  map[string][]int // the numbers of the first items of a shape, of those judged by now
	taken  map[string]int   // items of a shape
	found  map[*traffic.Item]*attempt
	groups map[string]*Finding
	result *CheckResult
}

// A lock is held by one at a time.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) hold(do func()) {
	l <- struct{}{}
	defer func() { <-l }()
	do()
}

// An attempt is what comes of trying out one request.
type attempt struct {
	*checking
	ctx       context.Context
	item      *traffic.Item
	admission trace.Admission
	webhooks  variant
	findings  []found
	// unanswered are webhooks that nobody answers for, and that were not called.
	unanswered []document.Actor
	key        string // its shape
	err        error  // it cannot be tried

	mutations, pairs, orders int
	sampled                  bool // not all orders were tried
}

type found struct {
	Finding
	detail string
}

func (c *checking) has(name CheckName) bool { return slices.Contains(c.Checks, name) }

func (c *checking) judge(ctx context.Context, it *traffic.Item) {
	it.Answer(ctx, 0)
	if it.Errs[0] != nil || len(it.Results[0].Admissions) != 1 {
		return
	}
	result := it.Results[0]
	a := &attempt{checking: c, ctx: ctx, item: it, admission: result.Admissions[0], webhooks: asIs(it.Asked[0].Simulator.State())}
	a.key = a.shape()
	tried := false
	c.lock.hold(func() {
		if tried = c.first(a.key, it.Number); tried {
			c.found[it] = a
		}
	})
	if tried {
		a.err = named(a.try(result))
	}
}

// named is an error about a webhook of a variant, with the name that its author knows.
func named(err error) error {
	unanswered := (*dispatch.NoAnswerError)(nil)
	if !errors.As(err, &unanswered) {
		return err
	}
	of := *unanswered
	of.Configuration = original(of.Configuration)
	return &of
}

// first reports whether an item may be among the first of its shape. Those that are judged
// later, though they come earlier, may show that it is not: take decides.
func (c *checking) first(key string, number int) bool {
	before, _ := slices.BinarySearch(c.alike[key], number)
	if before >= c.Alike {
		return false
	}
	c.alike[key] = slices.Insert(c.alike[key], before, number)
	c.alike[key] = c.alike[key][:min(len(c.alike[key]), c.Alike)]
	return true
}

// shape is the same for requests that are alike.
func (a *attempt) shape() string {
	req := a.admission.Request
	parts := []string{string(req.Operation), req.Resource.String(), req.Subresource, decider(a.item.Results[0]).String()}
	for _, step := range a.admission.Steps {
		for _, h := range step.Hooks {
			if isWebhook(step) || step.Plugin == validatingPolicies {
				parts = append(parts, h.Configuration, h.Name, string(h.Outcome))
			}
		}
	}
	return strings.Join(parts, "\x00")
}

// try does all that was asked for with one request.
func (a *attempt) try(result *simulator.Result) error {
	for _, one := range []struct {
		name CheckName
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
			return // the same twice for one request
		}
	}
	a.findings = append(a.findings, found{f, detail})
}

// varied is the simulator of a variant in a cluster.
func (a *attempt) varied(v variant, in *cluster.State) (*simulator.Simulator, error) {
	return a.item.World.Trial(0, v.in(in))
}

// run answers the request of the attempt with another object, by other webhooks.
func (a *attempt) run(v variant, object runtime.Object) (trace.Admission, error) {
	sim, err := a.varied(v, a.item.Asked[0].Simulator.State())
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

// mutated is the object behind the mutating phase; nil if there is none.
func mutated(a trace.Admission) runtime.Object {
	object := a.Request.Object
	for _, step := range a.Steps {
		if step.Phase == trace.Mutating && step.After != nil {
			object = step.After
		}
	}
	return object
}

// An acted hook is a webhook that did something.
type acted struct {
	document.Actor
	trace.Hook
}

// mutators are the mutating webhooks of a round that were called.
func mutators(a trace.Admission, round int) (all []acted) {
	for _, step := range a.Steps {
		if step.Plugin != mutatingWebhooks || step.Round != round {
			continue
		}
		for _, h := range step.Hooks {
			if h.Called {
				by := hookOf(step, h)
				by.Round, by.Configuration = 0, original(by.Configuration)
				all = append(all, acted{by, h})
			}
		}
	}
	return all
}

// differences are the fields in which two objects differ, as they are compared in diffs.
func differences(a, b runtime.Object, req admission.Request) []patch.Operation {
	if a == nil || b == nil || a == b {
		return nil
	}
	generated := req.Name == ""
	operations, err := patch.Diff(comparable(a, generated), comparable(b, generated))
	if err != nil {
		return nil
	}
	return operations
}

func (f Finding) key() string {
	return strings.Join([]string{string(f.Check), f.Webhook.String(), f.Other.String(), f.Field, shape(f.Text)}, "\x00")
}

func (c *checking) take(it *traffic.Item) error {
	var a *attempt
	c.lock.hold(func() { a = c.found[it]; delete(c.found, it) })
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
		c.result.Errors = withError(c.result.Errors, it, err)
		return nil
	}
	c.result.Requests++
	if a == nil {
		return nil
	}
	c.result.Tried++
	c.result.Mutations += a.mutations
	c.result.Pairs += a.pairs
	c.result.Orders += a.orders
	c.result.Exhaustive = c.result.Exhaustive && !a.sampled
	for _, by := range a.unanswered {
		if !slices.Contains(c.result.Unanswered, by) {
			c.result.Unanswered = append(c.result.Unanswered, by)
		}
	}
	for _, f := range a.findings {
		one := c.groups[f.key()]
		if one == nil {
			one = &f.Finding
			c.groups[f.key()] = one
		}
		if one.Requests++; len(one.Samples) < c.Samples {
			one.Samples = append(one.Samples, CheckSample{sampleOf(it.Asked[0], it.Request), f.detail})
		}
	}
	return nil
}

func (c *checking) finish() *CheckResult {
	for _, f := range c.groups {
		c.result.Findings = append(c.result.Findings, *f)
	}
	order := Checks()
	slices.SortFunc(c.result.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(order, a.Check), slices.Index(order, b.Check)),
			cmp.Compare(b.Requests, a.Requests),
			cmp.Compare(a.key(), b.key()),
		)
	})
	return c.result
}
