package conformance

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Score is how many of the requests of a theme agree.
type Score struct {
	Theme         string
	Agree, Played int
}

// Scores counts outcomes by theme.
func Scores(outcomes []Outcome) []Score {
	byTheme := map[string]*Score{}
	for _, o := range outcomes {
		name := o.Recording.Theme()
		if byTheme[name] == nil {
			byTheme[name] = &Score{Theme: name}
		}
		byTheme[name].Played++
		if o.Agrees() {
			byTheme[name].Agree++
		}
	}
	var scores []Score
	for _, s := range byTheme {
		scores = append(scores, *s)
	}
	slices.SortFunc(scores, func(a, b Score) int { return cmp.Compare(a.Theme, b.Theme) })
	return scores
}

// PlayAll plays recordings one after the other.
func PlayAll(ctx context.Context, recordings []Recording) []Outcome {
	var outcomes []Outcome
	for i := range recordings {
		outcomes = append(outcomes, Play(ctx, &recordings[i])...)
	}
	return outcomes
}

// Report writes each disagreement with the steps that led to it, and ends with the line
// that counts; it returns whether all agree.
func Report(w io.Writer, outcomes []Outcome) bool {
	agree := 0
	for _, o := range outcomes {
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
	for _, s := range Scores(outcomes) {
		mark := ""
		if s.Agree < s.Played {
			mark = "  <"
		}
		fmt.Fprintf(w, "%-40s %4d of %4d%s\n", s.Theme, s.Agree, s.Played, mark)
	}
	fmt.Fprintf(w, "conformance: %d of %d requests agree\n", agree, len(outcomes))
	return agree == len(outcomes)
}

// Table is the scores as tables for a document: by theme, and by resource.
func Table(outcomes []Outcome) string {
	var b strings.Builder
	agree, played := 0, 0
	fmt.Fprintf(&b, "| theme | agree | recorded |\n| --- | ---: | ---: |\n")
	for _, s := range Scores(outcomes) {
		fmt.Fprintf(&b, "| %s | %d | %d |\n", s.Theme, s.Agree, s.Played)
		agree, played = agree+s.Agree, played+s.Played
	}
	fmt.Fprintf(&b, "| **all** | **%d** | **%d** |\n", agree, played)
	b.WriteString(kindTable(outcomes))
	return b.String()
}
