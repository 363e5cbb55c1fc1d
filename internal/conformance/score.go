package conformance

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A score is the number of requests of a theme that agree.
type score struct {
	Theme         string
	Agree, Played int
}

// scoresOf counts outcomes by theme.
func scoresOf(outcomes []Outcome) []score {
	return scores(outcomes, func(o Outcome) (string, bool) { return o.Recording.Theme(), true })
}

// scores counts outcomes by the name that of returns; outcomes without a name are left out.
func scores(outcomes []Outcome, of func(Outcome) (name string, ok bool)) []score {
	byName := map[string]*score{}
	for _, o := range outcomes {
		name, ok := of(o)
		if !ok {
			continue
		}
		if byName[name] == nil {
			byName[name] = &score{Theme: name}
		}
		byName[name].add(o)
	}
	var all []score
	for _, s := range byName {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b score) int { return cmp.Compare(a.Theme, b.Theme) })
	return all
}

func (s *score) add(o Outcome) {
	s.Played++
	if o.Agrees() {
		s.Agree++
	}
}

// String returns the number of requests, which alone means that all agree.
func (s score) String() string {
	switch {
	case s.Played == 0:
		return ""
	case s.Agree == s.Played:
		return fmt.Sprint(s.Played)
	}
	return fmt.Sprintf("%d of %d", s.Agree, s.Played)
}

// PlayAll plays recordings one after the other.
func PlayAll(ctx context.Context, recordings []Recording) []Outcome {
	var outcomes []Outcome
	shared := servers{}
	for i := range recordings {
		outcomes = append(outcomes, shared.play(ctx, &recordings[i])...)
	}
	return outcomes
}

// Report writes each disagreement with the steps that led to it, and a last line with the counts. It returns whether
// all agree.
func Report(w io.Writer, outcomes []Outcome) bool {
	agree, undetermined := 0, 0
	for _, o := range outcomes {
		if o.Undetermined {
			undetermined++
		}
		if o.Agrees() {
			agree++
			continue
		}
		fmt.Fprintf(w, "--- %s (-server +admsim)\n%s", o.Name(), o.Diff)
		if o.Trace != "" {
			fmt.Fprintf(w, "steps:\n%s", o.Trace)
		}
		fmt.Fprintln(w)
	}
	for _, s := range scoresOf(outcomes) {
		mark := ""
		if s.Agree < s.Played {
			mark = "  <"
		}
		fmt.Fprintf(w, "%-40s %4d of %4d%s\n", s.Theme, s.Agree, s.Played, mark)
	}
	if undetermined > 0 {
		fmt.Fprintf(w, "with another of the outcomes that admsim says are possible: %d\n", undetermined)
	}
	fmt.Fprintf(w, "conformance: %d of %d requests agree\n", agree, len(outcomes))
	return agree == len(outcomes)
}

// Table formats the scores as tables for a document, by theme and by resource, with a column for each release, the
// newest first. A single number means that all of that many requests agree.
func Table(outcomes []Outcome) string {
	c := columnsOf(outcomes)
	var b strings.Builder
	c.head(&b, "theme")
	for _, s := range scoresOf(outcomes) {
		c.row(&b, s.Theme, func(o Outcome) bool { return o.Recording.Theme() == s.Theme })
	}
	c.row(&b, "**all**", func(Outcome) bool { return true })
	b.WriteString(kindTable(c, outcomes))
	return b.String()
}

// columns holds outcomes by release, the newest first.
type columns []column

type column struct {
	release  *kubeversion.Release
	outcomes []Outcome
}

func columnsOf(outcomes []Outcome) (c columns) {
	by := map[int]int{} // by minor version: recordings of one may name different patch releases
	for _, o := range outcomes {
		release, err := o.Recording.release()
		if err != nil {
			continue // reported when it was played
		}
		i, ok := by[release.Minor]
		if !ok {
			i = len(c)
			by[release.Minor], c = i, append(c, column{release: release})
		}
		c[i].outcomes = append(c[i].outcomes, o)
	}
	slices.SortFunc(c, func(a, b column) int { return cmp.Compare(b.release.Minor, a.release.Minor) })
	return c
}

func (c columns) head(b *strings.Builder, of string) {
	names, lines := []string{of}, []string{"---"}
	for _, one := range c {
		names, lines = append(names, one.release.Version), append(lines, "---:")
	}
	fmt.Fprintf(b, "| %s |\n| %s |\n", strings.Join(names, " | "), strings.Join(lines, " | "))
}

// row counts in each column the outcomes for which meant returns true.
func (c columns) row(b *strings.Builder, name string, meant func(Outcome) bool) {
	cells := []string{name}
	for _, one := range c {
		var s score
		for _, o := range one.outcomes {
			if meant(o) {
				s.add(o)
			}
		}
		cells = append(cells, s.String())
	}
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}
