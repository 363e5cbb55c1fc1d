package pages

import (
	"github.com/admsim/admsim/internal/markup"
)

// A timeline shows how long things took, one below the other along an axis.
type timeline struct {
	*axis
	Groups []laneGroup
}

// A laneGroup holds what belongs together, such as the calls of one round.
type laneGroup struct {
	Name  string
	Aside string // about those that ran concurrently
	Lanes []lane
}

// A lane is one of them.
type lane struct {
	Name, Outcome string
	*bar
	Took   string
	Beside bool // it ran concurrently with others
}

// timeline returns the timeline of a chain, with a group for each phase and round.
func (c chainView) timeline() *timeline {
	if c.axis == nil {
		return nil
	}
	t := &timeline{axis: c.axis}
	for _, p := range c.Phases {
		g := laneGroup{Name: p.Name}
		for _, s := range p.Steps {
			g.add(s, false)
			for _, h := range s.Hooks {
				g.add(h, s.Aside != "")
			}
			if s.Aside != "" {
				g.Aside = s.Aside
			}
		}
		if len(g.Lanes) > 0 {
			t.Groups = append(t.Groups, g)
		}
	}
	return t
}

func (g *laneGroup) add(s stepView, beside bool) {
	if s.Bar != nil {
		g.Lanes = append(g.Lanes, lane{s.Name, s.Outcome, s.Bar, s.Took, beside})
	}
}

func (t *timeline) rich(w *markup.Writer) {
	if t.Budget != nil {
		t.Budget.rich(w)
	}
	w.Put("\n" + `<div class="timeline" aria-hidden="true"><div class="lane scale"><span></span><svg class="bar" height="18">`)
	for _, tick := range t.Ticks {
		w.Put(`<text x="{}" y="12">{}</text>`, tick.X, tick.Text)
	}
	w.PutAny(`<text class="deadline" x="{}" y="12" text-anchor="end">deadline</text>`, t.Deadline)
	w.Put(`</svg><span></span></div>`)
	for _, g := range t.Groups {
		w.PutAny(`<p class="round">{}</p>`, g.Name)
		for i := range g.Lanes {
			g.Lanes[i].rich(w, t.Ticks)
		}
		w.PutAny(`<p class="together">{}</p>`, g.Aside)
	}
	w.Put(`</div>`)
}

func (b *budget) rich(w *markup.Writer) {
	class := "f-plain"
	if b.Over {
		class = "f-denied"
	}
	w.Put(`<p class="budget"><svg aria-hidden="true" width="120" height="8"><rect class="f-track" width="100%" height="8" rx="4"/>`+
		`<rect class="{}" width="{}" height="8" rx="4"/></svg> <b>{}</b> of the {} that the request has, {}`, class, b.Width, b.Used, b.Limit, b.Share)
	w.PutIf(b.Over, `: <b class="over">over</b>`)
	w.Put(`</p>`)
}

func (l *lane) rich(w *markup.Writer, ticks []tick) {
	w.Put(`<div class="lane`)
	w.PutIf(l.Beside, ` beside`)
	w.Put(`"><span class="who">{}</span><svg class="bar" height="18">`, l.Name)
	for _, tick := range ticks {
		w.Put(`<line class="tick" x1="{}" x2="{}" y1="0" y2="18"/>`, tick.X, tick.X)
	}
	w.Put(`<rect class="f-{}" x="{}" width="{}" y="5" height="8" rx="2"/>`, l.Outcome, l.X, l.Width)
	if l.Deadline != "" {
		w.Put(`<line class="deadline" x1="{}" x2="{}" y1="0" y2="18"/>`, l.Deadline, l.Deadline)
	}
	w.Put(`</svg><span class="took">{}</span></div>`, l.Took)
}
