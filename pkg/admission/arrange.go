package admission

import (
	"maps"
	"slices"
)

// Arrange returns the order, as indices, in which the server processes things that it may process in any order. This is
// the given order, unless the course follows an answer. Unlike with [Course.Order], the other orders are not tried:
// there are too many of them, and they only differ in the order of texts in the answer. If they do differ, this is
// recorded with the reason.
//
// A path consists of the names of the groups that a thing belongs to, the largest first, and of its own name. Groups
// are processed in any order as well, and their things stay together. says reports what thing i adds to the answer,
// place by place: in warnings, message, steady.InErrors, auditAnnotations.KEY, or the path of a field of the body. If once
// is set, only the first text is kept in that place.
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
		if in != inMessage { // which lists all of them
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

// A part is one of several things that the server processes in any order, or a group of them.
type part struct {
	thing int
	says  []word
	parts []part // nil: the part is a thing
}

// A word is a text that a part adds to the answer.
type word struct {
	in, text string
	once     bool
}

const inMessage = "message"

// group returns a group of things whose paths agree up to level.
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

// words returns everything that a part adds, in the given order.
func (p part) words() []word {
	all := p.says
	for _, part := range p.parts {
		all = append(all[:len(all):len(all)], part.words()...)
	}
	return all
}

// disputed returns the places in which the order of the parts is visible.
func (p part) disputed() (places []string) {
	first := map[string]string{} // what the first part with a text in that place adds there
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

// follow returns the order that leads to the answer that the course follows, or nil if it finds none.
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

// A search tries the orders of parts, each as long as it agrees with the answer.
type search struct {
	form   func(string) string
	wanted map[string][]string // for each place, the texts of the answer that any of the parts adds
	order  []int
	tries  int
}

// mostTries is how many parts are tried before the search gives up. Nearly always the first one that fits is right.
const mostTries = 10000

// heard counts how many of the wanted texts were already added in each place.
type heard map[string]int

// part tries one part, and then continues with then.
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

// parts tries the parts that are not done yet, in any order, and then continues with then.
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
		if silent { // it could come anywhere, so trying others first does not help
			return false
		}
	}
	return false
}

// hear returns the counts after words are added. They do not fit if the answer has other texts in their place.
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
		case w.once || n < len(wanted) && printable(w.text) && !slices.ContainsFunc(wanted[:n], is): // texts that did not fit into the answer come last
			return h, false
		}
	}
	return after, true
}

// same reports whether our text is the same as theirs, a text of the answer, in which warnings may be cut.
func (s *search) same(ours, theirs string) bool {
	return s.form(ours) == theirs || s.form(cut(ours)) == theirs
}
