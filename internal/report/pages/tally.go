package pages

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/trace"
)

// A tally counts what is drawn at the top of the page. Its size does not depend on the number of requests.
type tally struct {
	outcomes []outcomeCount
	deniers  map[string]int
	elapsed  times
	hooks    map[string]*hookTally
}

type outcomeCount struct {
	name, class string
	n           int
}

// A hookTally is what one webhook or policy did in all requests.
type hookTally struct {
	Name                                     string
	Asked, Changed, Denied, Failed, Fallback int
	Median, P95, Most                        time.Duration // of took, computed at the end

	took times
}

// requests counts requests with an outcome; class is the class of the outcome in the style.
func (t *tally) requests(outcome, class string, n int) {
	i := slices.IndexFunc(t.outcomes, func(c outcomeCount) bool { return c.name == outcome })
	switch {
	case n == 0:
	case i >= 0:
		t.outcomes[i].n += n
	default:
		t.outcomes = append(t.outcomes, outcomeCount{outcome, class, n})
	}
}

// request counts what happened in one request.
func (t *tally) request(c document.Counts) {
	if t.deniers == nil {
		t.deniers, t.hooks, t.elapsed = map[string]int{}, map[string]*hookTally{}, times{}
	}
	if c.DeniedBy != nil {
		t.deniers[shortDecider(*c.DeniedBy)]++
	}
	t.elapsed.add(c.Elapsed)
	for _, h := range c.Hooks {
		t.hook(h)
	}
}

func (t *tally) hook(h document.HookCount) {
	name := words.NameOf(h.Configuration, h.Name)
	one := t.hooks[name]
	if one == nil {
		one = &hookTally{Name: name, took: times{}}
		t.hooks[name] = one
	}
	one.Asked++
	one.took.add(h.Took)
	switch trace.Outcome(h.Outcome) {
	case trace.Changed:
		one.Changed++
	case trace.Denied:
		one.Denied++
	case trace.Failed:
		one.Failed++
	case trace.FailedOpen:
		one.Fallback++
	}
}

// hookRows returns the webhooks and policies, the slowest first.
func (t *tally) hookRows() (all []hookTally) {
	for _, h := range t.hooks {
		row := *h
		q := h.took.quantiles(0.5, 0.95, 1)
		row.Median, row.P95, row.Most = q[0], q[1], q[2]
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b hookTally) int { return cmp.Or(cmp.Compare(b.P95, a.P95), strings.Compare(a.Name, b.Name)) })
	return all
}

// times counts durations, rounded to the digits that are shown.
type times map[time.Duration]int

func (t times) add(d time.Duration) { t[words.ThreeDigits(d)]++ }

func (t times) count() (n int) {
	for _, some := range t {
		n += some
	}
	return n
}

// A timeCount says how often something took a duration.
type timeCount struct {
	took time.Duration
	n    int
}

func (t times) ordered() []timeCount {
	all := make([]timeCount, 0, len(t))
	for _, took := range slices.Sorted(maps.Keys(t)) {
		all = append(all, timeCount{took, t[took]})
	}
	return all
}

// quantiles returns the quantiles for the given fractions, in their order.
func (t times) quantiles(parts ...float64) []time.Duration {
	found := make([]time.Duration, len(parts))
	n, before := t.count(), 0
	for _, some := range t.ordered() {
		for i, part := range parts {
			if at := min(int(part*float64(n)), n-1); before <= at && at < before+some.n {
				found[i] = some.took
			}
		}
		before += some.n
	}
	return found
}
