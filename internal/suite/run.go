package suite

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/cases"
	"github.com/admsim/admsim/internal/suite/coverage"
	"github.com/admsim/admsim/internal/suite/expect"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/suite/variants"
)

// Options say how suites run. All may be left out.
type Options struct {
	// User sends requests for which neither the request nor the suite names a user.
	User authenticationv1.UserInfo

	Select cases.Selection // which cases run

	Jobs     int  // cases that run at once; 0: as many as there are processors
	FailFast bool // no case runs after one that did not pass

	// Problems of a suite that are accepted.
	AllowUnused    bool // backends and answers that no case needs, faults that no webhook met
	AllowUnreached bool // webhooks that no case reaches

	Worlds variants.Options // how the worlds of cases are made
	Expect expect.Options   // how expectations are judged

	// Show converts an answer to the form that is shown. Nil: the results have no answers.
	Show func(expect.Answer) outcome.Show

	// Now is the clock for real time in reports. Nil: nothing takes any time.
	Now func() time.Time

	// Witness writes a request for which the expectation of a case about a region does not hold, and returns the name
	// of its file. It may be called concurrently. Nil: none is written.
	Witness func(name, about string, manifest []byte) (file string, err error)

	// Progress is called after each case with the number of finished cases, never concurrently.
	Progress func(done, of int)
}

// runAll runs the cases of suites in parallel. The results do not depend on that. Cases that could not be run have the
// error in their result.
func runAll(ctx context.Context, suites []scenario.Suite, o Options) *outcome.Results {
	r := &run{Options: o, started: o.now()}
	shared := variants.NewCompilers()
	namesakes := cases.Namesakes(suites)
	for i := range suites {
		r.suites = append(r.suites, newSuiteRun(ctx, &suites[i], o, shared))
		r.suites[i].namesake = namesakes[i]
	}
	defer r.close()
	for _, s := range r.suites {
		r.plan(s)
	}
	r.all(ctx)
	return r.results()
}

func (o Options) now() time.Time {
	if o.Now == nil {
		return time.Time{}
	}
	return o.Now()
}

// A suiteRun is a suite while its cases run.
type suiteRun struct {
	suite    *scenario.Suite
	options  Options
	worlds   *variants.Suite
	units    []*unit
	partial  bool            // not all cases are selected
	namesake *scenario.Error // the warning that another suite has the same name
	err      error           // why no case can run
}

func newSuiteRun(ctx context.Context, s *scenario.Suite, o Options, c *variants.Compilers) *suiteRun {
	return &suiteRun{suite: s, options: o, worlds: variants.New(ctx, s, o.Worlds, c)}
}

// A run is everything that runs together.
type run struct {
	Options
	started time.Time
	suites  []*suiteRun
	units   []*unit
}

// A unit is one case in one combination of its matrix.
type unit struct {
	*suiteRun
	of          *scenario.Case
	name        string
	combination cases.Combination
	world       *variants.Case
	variant     *variants.Variant // the world of the case
	fault       *variants.Fault   // the fault of webhooks in the combination; nil if there is none
	judge       *expect.Judge
	answers     []expect.Answer
	asked       []string // places of the webhooks that must see a region
	result      outcome.Case
}

// all returns the units of a suite.
func (s *suiteRun) all() (units []*unit) {
	for i := range s.suite.Cases {
		c := &s.suite.Cases[i]
		for _, one := range cases.Combinations(c.Matrix) {
			u := &unit{suiteRun: s, of: c, combination: one, name: c.Name + one.String()}
			u.world = s.worlds.Case(c, one)
			u.result = outcome.Case{Suite: s.suite.Name, Name: u.name, Source: c.Source}
			u.judge = &expect.Judge{Options: s.options.Expect, Namespace: s.suite.Defaults.Namespace, Case: &u.result}
			units = append(units, u)
		}
	}
	return units
}

// plan selects the units of a suite to run: none if any part of the suite has an error.
func (r *run) plan(s *suiteRun) {
	all := s.all()
	if err := s.compile(all); err != nil {
		s.err = scenario.Together(err, s.makeWorlds(all))
		return
	}
	for _, u := range all {
		if r.Select != nil && !r.Select(s.suite.Name, u.name) {
			s.partial = true
			continue
		}
		r.units = append(r.units, u)
		s.units = append(s.units, u)
	}
}

// all runs the units in order, several in parallel. With FailFast, units after the first one that did not pass are
// skipped, even if they have run by then.
//
// The goroutine of the caller works too, so that a single unit runs in it: another one would begin with a small stack
// and memory of its own, and would soon use two MiB.
func (r *run) all(ctx context.Context) {
	jobs := r.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	var next, done atomic.Int64
	var stop atomic.Bool
	var progress sync.Mutex
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(r.units) {
				return
			}
			u := r.units[i]
			if stop.Load() {
				u.skip("an earlier case did not pass")
				continue
			}
			r.one(ctx, u)
			if r.FailFast && (u.result.Outcome == outcome.Failed || u.result.Outcome == outcome.Errored) {
				stop.Store(true)
			}
			if r.Progress != nil {
				progress.Lock()
				r.Progress(int(done.Add(1)), len(r.units))
				progress.Unlock()
			}
		}
	}
	var others sync.WaitGroup
	for range min(jobs, len(r.units)) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	if r.FailFast {
		r.skipAfterFirst()
	}
}

func (r *run) skipAfterFirst() {
	failed := false
	for _, u := range r.units {
		if failed && u.of.Skip == "" {
			u.skip("an earlier case did not pass")
		}
		failed = failed || u.result.Outcome == outcome.Failed || u.result.Outcome == outcome.Errored
	}
}

func (u *unit) skip(because string) {
	u.answers = nil
	u.result = outcome.Case{Suite: u.result.Suite, Name: u.name, Source: u.of.Source, Outcome: outcome.Skipped, Skip: because}
}

// one runs a unit.
func (r *run) one(ctx context.Context, u *unit) {
	if u.of.Skip != "" {
		u.skip(u.of.Skip)
		return
	}
	started := r.now()
	u.guarded(ctx)
	u.result.Took = r.now().Sub(started)
}

func (r *run) results() *outcome.Results {
	out := &outcome.Results{Coverage: &outcome.Coverage{}}
	for _, s := range r.suites {
		if err := s.worlds.Err(); err != nil && s.err == nil {
			s.err, s.units = err, nil
		}
		one := outcome.Suite{Name: s.suite.Name, Source: s.suite.Source, Err: s.err, Warnings: s.worlds.Warnings()}
		if s.namesake != nil {
			one.Warnings = append(one.Warnings, s.namesake)
		}
		for _, u := range s.units {
			u.result.Answers = u.answersShown()
			one.Cases = append(one.Cases, u.result)
			one.Took += u.result.Took
		}
		out.Suites = append(out.Suites, one)
	}
	seen := r.coverage()
	out.Coverage.Items, out.Coverage.Plugins = seen.Items(), seen.Plugins()
	r.strict(out, seen)
	out.Took = r.now().Sub(r.started)
	return out
}

// coverage returns what the cases of all suites reached.
func (r *run) coverage() *coverage.Ledger {
	l := coverage.NewLedger()
	for _, s := range r.suites {
		if s.err != nil { // no case ran
			continue
		}
		hooks := map[*variants.Variant]*coverage.Hooks{}
		for _, v := range s.worlds.All() {
			if sim := v.Simulator(); sim != nil {
				hooks[v] = l.Declare(sim)
			}
		}
		for _, u := range s.units {
			for _, a := range u.answers {
				l.Reach(hooks[u.variant], a.Result)
			}
		}
	}
	return l
}

func (r *run) close() {
	for _, s := range r.suites {
		s.worlds.Close()
	}
}
