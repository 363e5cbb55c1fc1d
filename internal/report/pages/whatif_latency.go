package pages

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/markup"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// A latencyView is how long something takes: its percentiles along an axis, and what else there is to know about it.
type latencyView struct {
	About []string
	Time  *timeline
}

// latencyPage writes a page with a row for all of admission, each of its phases, and each webhook.
func latencyPage(l *document.Latency, w io.Writer, options document.Options) error {
	p := &htmlPage{command: "latency", noun: "part", options: options}
	add := func(class, outcome, name string, all []document.Percentile, about ...string) {
		row := rowView{ID: p.nextID(), Outcome: outcome, Class: class, Name: name, Note: percentilesText(all), Good: outcome != "admission" && class != "denied"}
		if len(all) > 0 {
			row.Took, row.Micros = words.Briefly(all[0].Is.Duration), all[0].Is.Duration.Microseconds()
		}
		p.row(row, latencyView{about, percentileLanes(l, all)}, false)
	}
	about := []string{"mean " + words.Briefly(l.Mean.Duration)}
	for _, c := range l.Chances() {
		if l.Random {
			about = append(about, c.What+": "+c.Likely()+" "+c.Bounds())
		}
	}
	add("plain", "admission", "all of admission", l.Total, about...)
	for _, phase := range l.Phases {
		add("plain", "phase", phase.Title(), phase.Total)
		for _, webhook := range l.In(phase) {
			var about []string
			class := "admitted"
			for _, remark := range webhook.Remarks(true) {
				about = append(about, remark.Text)
				if remark.Bad {
					class = "changed"
				}
			}
			add(class, phase.Phase, webhook.Title(), webhook.Total, about...)
		}
	}
	v := pageView{
		Good: l.Timeout.Of+l.Fails.Of+l.Over.Of+l.Unchecked.Of+l.Denied.Of == 0, Mixed: l.Fails.Of+l.Over.Of+l.Denied.Of == 0,
		Verdict: percentilesText(l.Total),
		Sub:     strings.Join([]string{l.Request.String(), l.Request.About() + ".", l.Others(), l.Sampling() + "."}, " "),
		Stacked: "How likely it is that",
	}
	if denied := l.DeniedNote(); denied != "" {
		v.Sub += " " + denied + "."
	}
	for _, c := range l.Chances() {
		class := "changed"
		if c.Bad {
			class = "denied"
		}
		v.Stacks = append(v.Stacks, stack(c.What, c.Likely(), c.In, outcomeCount{c.What, class, c.Of}))
	}
	return p.write(w, v)
}

func percentilesText(all []document.Percentile) string {
	var parts []string
	for _, one := range all {
		parts = append(parts, fmt.Sprintf("p%g %s", one.Percent, words.Briefly(one.Is.Duration)))
	}
	return strings.Join(parts, ", ")
}

// percentileLanes returns percentiles along an axis that is the same for all parts of a request.
func percentileLanes(l *document.Latency, all []document.Percentile) *timeline {
	longest := time.Duration(0)
	for _, one := range l.Total {
		longest = max(longest, one.Is.Duration)
	}
	x := axisTo(longest, 0, l.Limit.Duration)
	if x == nil {
		return nil
	}
	x.Budget = nil
	g := laneGroup{}
	for _, one := range all {
		name := fmt.Sprintf("p%g", one.Percent)
		if l.Random {
			name += " " + one.Bounds()
		}
		g.Lanes = append(g.Lanes, lane{Name: name, Outcome: "plain", bar: x.place(0, one.Is.Duration), Took: words.Briefly(one.Is.Duration)})
	}
	return &timeline{axis: x, Groups: []laneGroup{g}}
}

func (v latencyView) rich(w *markup.Writer) {
	for _, about := range v.About {
		w.Put(`<p class="dim">{}</p>`, about)
	}
	if v.Time != nil {
		v.Time.rich(w)
	}
}
