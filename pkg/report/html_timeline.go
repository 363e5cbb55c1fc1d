package report

// A timeline is what took how long, one below the other along an axis.
type timeline struct {
	*axis
	Groups []laneGroup
}

// A laneGroup is what belongs together, such as what was called in one round.
type laneGroup struct {
	Name  string
	Aside string // about those that ran side by side
	Lanes []lane
}

// A lane is one of them.
type lane struct {
	Name, Outcome string
	*bar
	Took   string
	Beside bool // others
}

// timeline is that of a chain, with a group for each phase and round.
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
