package pages

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// A share is a part of a bar.
type share struct {
	Name, Class string
	N           int
	X, Width    string
}

// shares returns the parts of the whole, first in this order of names, then as they were counted.
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

// leastWidth is the width of the smallest part of a bar, in percent: one in ten thousand may be what the reader looks
// for.
const leastWidth = 0.8

// sharesOf returns adjacent parts of a bar. If small parts leave too little room, the widest part shrinks.
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

// maxDeniers is how many deniers are drawn; the others are counted together.
const maxDeniers = 6

func (t *tally) denierBars() (all []share) {
	names := slices.SortedFunc(maps.Keys(t.deniers), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.deniers[b], t.deniers[a]), strings.Compare(a, b))
	})
	if len(names) == 0 {
		return nil
	}
	most, others := t.deniers[names[0]], 0
	for i, name := range names {
		if i >= maxDeniers {
			others += t.deniers[name]
			continue
		}
		all = append(all, share{Name: name, N: t.deniers[name], Width: ratio(t.deniers[name], most)})
	}
	if others > 0 {
		all = append(all, share{Name: fmt.Sprintf("%d more", len(names)-maxDeniers), N: others, Width: ratio(min(others, most), most)})
	}
	return all
}

// A histogram shows how long requests took, in columns of 1, 2, 5, 10, 20 … milliseconds.
type histogram struct {
	Columns           []column
	Median, P95, Most string
	P99               string
}

type column struct {
	Text      string // upper limit
	N         int
	Count     string // for people
	X, Width  string
	Y, Height string
	Middle    string
	Top       string // position of the count
	Edge      string // position of the text, if it is shown
}

// histogram returns nil if nothing took time, or there is only one request.
func (t *tally) histogram() *histogram {
	all := t.elapsed.ordered()
	if t.elapsed.count() < 2 || all[len(all)-1].took == 0 {
		return nil
	}
	var columns []column
	lower := time.Duration(-1)
	for _, upper := range edges() {
		n := 0
		for len(all) > 0 && all[0].took <= upper {
			n, all = n+all[0].n, all[1:]
		}
		if n > 0 || len(columns) > 0 {
			columns = append(columns, column{Text: upTo(lower, upper), N: n})
		}
		if lower = upper; len(all) == 0 {
			break
		}
	}
	q := t.elapsed.quantiles(0.5, 0.95, 0.99, 1)
	h := &histogram{Columns: columns, Median: words.Briefly(q[0]), P95: words.Briefly(q[1]), P99: words.Briefly(q[2]), Most: words.Briefly(q[3])}
	most := 0
	for _, c := range columns {
		most = max(most, c.N)
	}
	for i := range columns {
		columns[i].draw(i, len(columns), most)
	}
	return h
}

// The columns are on a line, with their counts above and some of the limits below.
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
		return "> " + words.Took(lower)
	}
	return words.Took(upper)
}

func ratio(part, whole int) string { return percentage(100 * float64(part) / float64(max(whole, 1))) }

func percentage(of float64) string { return fmt.Sprintf("%.4g%%", of) }

// shortDecider returns who decided, without the plugin.
func shortDecider(d report.Decider) string {
	if d.Name != "" || d.Configuration != "" {
		return words.NameOf(d.Configuration, d.Name)
	}
	return d.String()
}
