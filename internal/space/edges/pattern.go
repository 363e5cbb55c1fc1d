package edges

import (
	"regexp/syntax"
	"slices"
	"strings"
)

const (
	maxMatching = 24 // texts per pattern
	maxChanged  = 3  // of them that also get small changes
)

// matching returns texts at the edges of what a regular expression matches: with the fewest repetitions, the most, and
// one more; with each alternative; and some of these with one character more or fewer at either end, and in the other
// case.
func matching(pattern string) (all []string) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	add := func(text string) {
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	made := samplesOf(tree)
	for _, text := range made {
		add(text)
	}
	for _, text := range made[:min(len(made), maxChanged)] {
		add(text + "!")
		add("!" + text)
		add(text + "x")
		add("x" + text)
		if len(text) > 0 {
			add(text[1:])
			add(text[:len(text)-1])
		}
		add(otherCase(text))
	}
	add("")
	return all
}

// samplesOf returns texts that an expression describes.
func samplesOf(x *syntax.Regexp) []string {
	switch x.Op {
	case syntax.OpLiteral:
		return []string{string(x.Rune)}
	case syntax.OpCharClass:
		return classOf(x.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return []string{"a", "-"}
	case syntax.OpCapture:
		return samplesOf(x.Sub[0])
	case syntax.OpConcat:
		all := []string{""}
		for _, sub := range x.Sub {
			all = joined(all, samplesOf(sub))
		}
		return all
	case syntax.OpAlternate:
		var all []string
		for _, sub := range x.Sub {
			all = append(all, samplesOf(sub)...)
		}
		return few(all)
	case syntax.OpStar:
		return few(append([]string{""}, samplesOf(x.Sub[0])...))
	case syntax.OpPlus:
		return repeated(samplesOf(x.Sub[0]), 1, 2)
	case syntax.OpQuest:
		return few(append([]string{""}, samplesOf(x.Sub[0])...))
	case syntax.OpRepeat:
		highest := x.Max
		if highest < 0 {
			highest = x.Min + 1
		}
		return repeated(samplesOf(x.Sub[0]), x.Min, highest, highest+1, max(x.Min-1, 0))
	}
	return []string{""} // it matches between characters
}

// classOf returns the first and the last character of each range, one between them, and the one after them, without
// characters that nobody writes.
func classOf(ranges []rune) (all []string) {
	const most = 12
	for i := 0; i+1 < len(ranges) && len(all) < most; i += 2 {
		low, high := ranges[i], ranges[i+1]
		if low < ' ' {
			low = max('a', low)
		}
		if high > '~' {
			high = min(max('z', low), high)
		}
		all = append(all, string(low))
		if high != low {
			all = append(all, string(high), string(low+(high-low)/2))
		}
		if high < '~' {
			all = append(all, string(high+1))
		}
	}
	if len(all) > 0 { // forgetting capitals is a common mistake
		if other := otherCase(all[0]); !slices.Contains(all, other) {
			all = append(all, other)
		}
	}
	return all
}

// joined returns the texts of a followed by those of b: each of both at least once.
func joined(a, b []string) (all []string) {
	if len(b) == 0 {
		return a
	}
	for _, one := range a {
		all = append(all, one+b[0])
	}
	for _, one := range b[1:] {
		all = append(all, a[0]+one)
	}
	return few(all)
}

func repeated(all []string, counts ...int) (made []string) {
	if len(all) == 0 {
		return nil
	}
	for _, n := range counts {
		made = append(made, strings.Repeat(all[0], min(n, 1000)))
	}
	for _, one := range all[1:] {
		made = append(made, strings.Repeat(one, min(max(counts[0], 1), 1000)))
	}
	return few(made)
}

func few(all []string) []string {
	var made []string
	for _, text := range all {
		if len(made) < maxMatching && !slices.Contains(made, text) {
			made = append(made, text)
		}
	}
	return made
}
