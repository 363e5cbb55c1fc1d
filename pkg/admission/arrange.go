package admission

import (
	"maps"
	"slices"
)

// Arrange returns the order in which the server goes through things that it takes in any order, as their indices. It is the
// given order, unless an answer is followed. Unlike those of [Course.Order], the other orders are not tried, since there are many,
// and they only differ in the order of what is said. That they do is noted, with the reason.
//
// A path has the names of a thing and of the groups that it is in, the largest first: groups are taken in any order, too, and
// stay together. What a thing adds to the answer it says place by place: in warnings, message, auditAnnotations.KEY, or the
// path of a field of the body. Of what is said once, only what comes first is in that place.
func (c *Course) Arrange(paths [][]string, says func(i int, say func(in, text string, once bool)), because string) []int {
	given := indices(len(paths))
	if c == nil {
		return given
	}
	whole := group(paths, given, 0, says)
	places := whole.disputed()
	if len(places) == 0 {
		return given
	}
	for _, in := range places {
		if in != inMessage { // of which all are told
			c.Loosen("the order of what is in " + in + ": " + because)
		}
	}
	if c.Answer != nil {
		if order := c.follow(whole); order != nil {
			return order
		}
	}
	return given
}

// A part is one of several things that the server goes through in any order, or a group of them.
type part struct {
	thing int
	says  []word
	parts []part // nil: it is a thing
}

// A word is what a part adds to the answer.
type word struct {
	in, text string
	once     bool
}

const inMessage = "message"

// group makes a group of those things whose paths agree up to the level.
func group(paths [][]string, things []int, level int, says func(int, func(in, text string, once bool))) (p part) {
	for len(things) > 0 {
		first := things[0]
		if level == len(paths[first]) {
			one := part{thing: first}
			says(first, func(in, text string, once bool) { one.says = append(one.says, word{in, text, once}) })
			p.parts, things = append(p.parts, one), things[1:]
			continue
		}
		n := 1
		for n < len(things) && level < len(paths[things[n]]) && paths[things[n]][level] == paths[first][level] {
			n++
		}
		p.parts, things = append(p.parts, group(paths, things[:n], level+1, says)), things[n:]
	}
	return p
}

func indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// words are all that a part says, in the given order.
func (p part) words() []word {
	all := p.says
	for _, part := range p.parts {
		all = append(all[:len(all):len(all)], part.words()...)
	}
	return all
}

// disputed are the places in which the order of the parts shows.
func (p part) disputed() (places []string) {
	first := map[string]string{} // what the first part says that says something there
	for _, part := range p.parts {
		places = append(places, part.disputed()...)
		said := map[string]string{}
		for _, w := range part.words() {
			said[w.in] += w.text + "\n"
		}
		for in, text := range said {
			if earlier, known := first[in]; !known {
				first[in] = text
			} else if earlier != text {
				places = append(places, in)
			}
		}
	}
	slices.Sort(places)
	return slices.Compact(places)
}

// follow returns the order that leads to the answer which is followed. Nil: none was found.
func (c *Course) follow(whole part) []int {
	words := whole.words()
	s := &search{form: c.Form, wanted: map[string][]string{}}
	for _, w := range words {
		texts, known := c.Seen(w.in)
		if _, done := s.wanted[w.in]; known && !done {
			s.wanted[w.in] = slices.DeleteFunc(slices.Clone(texts), func(text string) bool {
				return !slices.ContainsFunc(words, func(other word) bool { return other.in == w.in && s.same(other.text, text) })
			})
		}
	}
	if !s.part(whole, nil, func(heard) bool { return true }) {
		return nil
	}
	return s.order
}

// A search goes through the orders of parts, each as far as it agrees with the answer.
type search struct {
	form   func(string) string
	wanted map[string][]string // in each place, what any of the parts says
	order  []int
	tries  int
}

// mostTries is how many parts are tried before an answer is given up. Nearly always the first that fits is right.
const mostTries = 10000

// heard is how many of the wanted texts were said in each place.
type heard map[string]int

// part goes through one part, and then on.
func (s *search) part(p part, h heard, then func(heard) bool) bool {
	if s.tries++; s.tries > mostTries {
		return false
	}
	if p.parts != nil {
		return s.parts(p.parts, make([]bool, len(p.parts)), h, then)
	}
	h, fits := s.hear(p.says, h)
	if !fits {
		return false
	}
	s.order = append(s.order, p.thing)
	if then(h) {
		return true
	}
	s.order = s.order[:len(s.order)-1]
	return false
}

// parts goes through those that are not done yet, in any order, and then on.
func (s *search) parts(all []part, done []bool, h heard, then func(heard) bool) bool {
	if !slices.Contains(done, false) {
		return then(h)
	}
	for i, p := range all {
		if done[i] {
			continue
		}
		done[i] = true
		silent := false
		found := s.part(p, h, func(now heard) bool {
			silent = silent || maps.Equal(now, h)
			return s.parts(all, done, now, then)
		})
		if found {
			return true
		}
		done[i] = false
		if silent { // it could come anywhere, so nothing else helps
			return false
		}
	}
	return false
}

// hear is what was heard once the words are said, too. They do not fit if the answer has others there.
func (s *search) hear(words []word, h heard) (after heard, fits bool) {
	after = h
	for _, w := range words {
		wanted, known := s.wanted[w.in]
		n := after[w.in]
		is := func(text string) bool { return s.same(w.text, text) }
		switch {
		case !known || w.once && n > 0:
		case n < len(wanted) && is(wanted[n]):
			if after = maps.Clone(after); after == nil {
				after = heard{}
			}
			after[w.in] = n + 1
		case w.once || n < len(wanted) && printable(w.text) && !slices.ContainsFunc(wanted[:n], is): // what is left out comes last
			return h, false
		}
	}
	return after, true
}

// same reports whether a text of ours is one of the answer, in which warnings may be cut.
func (s *search) same(ours, theirs string) bool {
	return s.form(ours) == theirs || s.form(cut(ours)) == theirs
}
