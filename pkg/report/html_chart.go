package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/pkg/trace"
)

// A tally counts what of many requests is drawn at the top of the page.
type tally struct {
	outcomes []outcomeCount
	deniers  map[string]int
	elapsed  []time.Duration
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
	took                                     []time.Duration
}

// requests counts some that ended so; class is what the style knows it by.
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

func (t *tally) result(r *Result) {
	if t.deniers == nil {
		t.deniers, t.hooks = map[string]int{}, map[string]*hookTally{}
	}
	if r.DeniedBy != nil {
		t.deniers[r.DeniedBy.short()]++
	}
	t.elapsed = append(t.elapsed, r.Elapsed.Duration)
	for _, a := range r.Admissions {
		for _, s := range a.Steps {
			for _, h := range s.Hooks {
				t.hook(h)
			}
		}
	}
}

func (t *tally) hook(h Hook) {
	if h.Outcome == string(trace.Skipped) {
		return
	}
	one := t.hooks[hookName(h)]
	if one == nil {
		one = &hookTally{Name: hookName(h)}
		t.hooks[one.Name] = one
	}
	one.Asked++
	one.took = append(one.took, h.Duration.Duration)
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

// Median, P95 and Most are how long it took.
func (h *hookTally) Median() string { return took(quantile(h.took, 0.5)) }
func (h *hookTally) P95() string    { return took(quantile(h.took, 0.95)) }
func (h *hookTally) Most() string   { return took(quantile(h.took, 1)) }

func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(int(q*float64(len(all))), len(all)-1)]
}

// A share is a part of a bar.
type share struct {
	Name, Class string
	N           int
	X, Width    string
}

// shares are the parts of all, in this order of names, then as they came.
func (t *tally) shares(order ...string) (all []share) {
	counts := slices.Clone(t.outcomes)
	slices.SortStableFunc(counts, func(a, b outcomeCount) int {
		return cmp.Compare(slices.Index(order, a.name), slices.Index(order, b.name))
	})
	total := 0
	for _, c := range counts {
		total += c.n
	}
	return sharesOf(total, counts)
}

// leastWidth is how wide the smallest part of a bar is, in percent: one in ten thousand can
// be what the reader looks for.
const leastWidth = 0.8

// sharesOf are parts of a bar, one beside the other. Where small ones leave too little room,
// the widest one gives it.
func sharesOf(whole int, parts []outcomeCount) (all []share) {
	widths := make([]float64, len(parts))
	widest, room := 0, 100.0
	for i, part := range parts {
		if widths[i] = 100 * float64(part.n) / float64(max(whole, 1)); part.n > 0 {
			widths[i] = max(widths[i], leastWidth)
		}
		room -= widths[i]
		if widths[i] > widths[widest] {
			widest = i
		}
	}
	before := 0.0
	for i, part := range parts {
		if i == widest {
			widths[i] += min(room, 0)
		}
		all = append(all, share{part.name, part.class, part.n, percentage(before), percentage(widths[i])})
		before += widths[i]
	}
	return all
}

// mostDeniers are drawn; the others are counted together.
const mostDeniers = 6

func (t *tally) denierBars() (all []share) {
	names := slices.SortedFunc(maps.Keys(t.deniers), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.deniers[b], t.deniers[a]), strings.Compare(a, b))
	})
	if len(names) == 0 {
		return nil
	}
	most, others := t.deniers[names[0]], 0
	for i, name := range names {
		if i >= mostDeniers {
			others += t.deniers[name]
			continue
		}
		all = append(all, share{Name: name, N: t.deniers[name], Width: ratio(t.deniers[name], most)})
	}
	if others > 0 {
		all = append(all, share{Name: fmt.Sprintf("%d others", len(names)-mostDeniers), N: others, Width: ratio(min(others, most), most)})
	}
	return all
}

func (t *tally) hookRows() []*hookTally {
	return slices.SortedFunc(maps.Values(t.hooks), func(a, b *hookTally) int {
		return cmp.Or(cmp.Compare(quantile(b.took, 0.95), quantile(a.took, 0.95)), strings.Compare(a.Name, b.Name))
	})
}

// A histogram is how long requests took, in columns of 1, 2, 5, 10, 20 … milliseconds.
type histogram struct {
	Columns           []column
	Median, P95, Most string
	P99               string
}

type column struct {
	Text      string // up to
	N         int
	Count     string // for people
	X, Width  string
	Y, Height string
	Middle    string
	Top       string // where the count stands
	Edge      string // where the text stands, if it is shown
}

// histogram is nil where nothing took time, or there is one request only.
func (t *tally) histogram() *histogram {
	if len(t.elapsed) < 2 || slices.Max(t.elapsed) == 0 {
		return nil
	}
	var columns []column
	lower := time.Duration(-1)
	slices.Sort(t.elapsed)
	rest := t.elapsed
	for _, upper := range edges() {
		n, _ := slices.BinarySearch(rest, upper+1)
		if n > 0 || len(columns) > 0 {
			columns = append(columns, column{Text: upTo(lower, upper), N: n})
		}
		rest, lower = rest[n:], upper
		if len(rest) == 0 {
			break
		}
	}
	h := &histogram{Columns: columns, Median: briefly(quantile(t.elapsed, 0.5)), P95: briefly(quantile(t.elapsed, 0.95)), P99: briefly(quantile(t.elapsed, 0.99)), Most: briefly(quantile(t.elapsed, 1))}
	most := 0
	for _, c := range columns {
		most = max(most, c.N)
	}
	for i := range columns {
		columns[i].draw(i, len(columns), most)
	}
	return h
}

// The columns stand on a line, with their counts above and some of the edges below.
const (
	floor   = 110
	tallest = 90
)

func (c *column) draw(i, of, most int) {
	height := tallest * c.N / most
	if c.N > 0 {
		height = max(height, 2)
	}
	c.X, c.Width, c.Middle = ratio(i*10+1, of*10), ratio(8, of*10), ratio(i*10+5, of*10)
	c.Y, c.Height, c.Top = fmt.Sprint(floor-height), fmt.Sprint(height), fmt.Sprint(floor-height-5)
	if c.Count = fmt.Sprint(c.N); c.N >= 10_000 {
		c.Count = fmt.Sprintf("%dk", c.N/1000)
	}
	if digit := strings.TrimLeft(c.Text, "> "); of <= 8 || i == 0 || i == of-1 || strings.HasPrefix(digit, "1") {
		c.Edge = c.Middle
	}
}

func edges() (all []time.Duration) {
	all = append(all, 0)
	for unit := time.Millisecond; unit < 1000*time.Second; unit *= 10 {
		all = append(all, unit, 2*unit, 5*unit)
	}
	return append(all, 1<<62)
}

func upTo(lower, upper time.Duration) string {
	switch {
	case upper == 0:
		return "0"
	case upper == 1<<62:
		return "> " + took(lower)
	}
	return took(upper)
}

func ratio(part, whole int) string { return percentage(100 * float64(part) / float64(max(whole, 1))) }

func percentage(of float64) string { return fmt.Sprintf("%.4g%%", of) }

// short is who decided, without the plugin that stands behind.
func (d Decider) short() string {
	if d.Name != "" || d.Configuration != "" {
		return nameOf(d.Configuration, d.Name)
	}
	return d.String()
}
