package edges

// affixes are the texts that a text is expected to begin with, contain and end with.
type affixes struct {
	place                 Place
	starts, insides, ends []string
}

// affix records what a comparison looks for in the text at a place.
func (r *reader) affix(p Place, c *comparison) {
	key := p.String()
	a := r.affixes[key]
	if a == nil {
		a = &affixes{place: p}
		r.affixes[key] = a
	}
	for _, text := range c.texts() {
		switch {
		case c.has("startsWith"):
			a.starts = append(a.starts, text)
		case c.has("contains"):
			a.insides = append(a.insides, text)
		case c.has("endsWith"):
			a.ends = append(a.ends, text)
		}
	}
}

// maxAffixes is how many texts of each kind are joined.
const maxAffixes = 4

// join adds texts that begin, continue and end as several comparisons expect, also with one character more or fewer
// between.
func (r *reader) join() {
	for i := range r.all {
		a := r.affixes[r.all[i].Place.String()]
		if a == nil {
			continue
		}
		starts, insides, ends := a.starts[:min(len(a.starts), maxAffixes)], a.insides[:min(len(a.insides), maxAffixes)], a.ends[:min(len(a.ends), maxAffixes)]
		join := func(parts ...string) {
			text := ""
			for _, part := range parts {
				text += part
			}
			r.add(a.place, Value{Literal, text})
		}
		for _, start := range starts {
			for _, end := range ends {
				join(start, end)
				join(start, "x", end)
				join("x", start, end)
			}
		}
		for _, inside := range insides {
			for _, like := range []string{inside, "x" + inside, inside[1:], inside[:len(inside)-1]} {
				for _, start := range starts {
					join(start, like)
				}
				for _, end := range ends {
					join(like, end)
				}
				for _, start := range starts {
					for _, end := range ends {
						join(start, like, end)
					}
				}
			}
		}
	}
}
