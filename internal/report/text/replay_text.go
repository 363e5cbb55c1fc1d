package text

import (
	"fmt"
	"io"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// maxRows is how many rows a table of the text has; the rest is counted.
const maxRows = 15

// WriteReplay writes a summary for people: totals, why requests did not run, the kinds of differences with samples, and
// where they are.
func WriteReplay(w io.Writer, s lines.Summary, o document.Options) error {
	_, err := io.WriteString(inert.NewWriter(w), replayText(s, o))
	return err
}

func replayText(s lines.Summary, o document.Options) string {
	p := newPage(o)
	replayTotals(p, s)
	replayReasons(p, "not run", s.Skipped, s.First)
	replayReasons(p, "cannot tell", s.CannotTell, s.First)
	if o.Verbose {
		replayReasons(p, "ran, though not all is known", s.Unknown, nil)
	}
	replayBroken(p, s)
	replayKinds(p, s, o.Verbose)
	if s.Outcomes[lines.Differs] > 0 || o.Verbose {
		for _, t := range []struct {
			by   string
			rows map[string]*lines.Count
		}{{"webhook", s.Webhooks}, {"resource", s.Resources}, {"namespace", s.Namespaces}, {"user", s.Users}} {
			replayTable(p, t.by, t.rows, o.Verbose)
		}
	}
	return p.String()
}

func replayTotals(p *page, s lines.Summary) {
	p.line(0, fmt.Sprintf("%s: %s run, %s skipped, %s cannot tell, %s broken", words.Plural(s.Total, "record"), words.Thousands(s.Ran()),
		words.Thousands(s.Outcomes[lines.Skipped]), words.Thousands(s.Outcomes[lines.CannotTell]), words.Thousands(s.Outcomes[lines.Broken])))
	if ran := s.Ran(); ran > 0 {
		agree := s.Outcomes[lines.Agrees]
		colour := p.good
		if agree < ran {
			colour = p.bad
		}
		p.line(0, p.paint(colour, fmt.Sprintf("%s of %s agree with what was recorded (%s%%)", words.Thousands(agree), words.Thousands(ran), words.Percent(agree, ran))))
	}
}

// replayReasons writes how often there was each reason, what it means, and where it was first.
func replayReasons(p *page, title string, counts map[string]int, first map[string]string) {
	if len(counts) == 0 {
		return
	}
	p.line(0, "")
	p.line(0, title)
	for _, k := range words.ByCount(counts, func(n int) int { return n }) {
		parts := strings.Fields(words.Join(k, recording.Code(k).Meaning()))
		if at := first[k]; at != "" {
			parts = append(parts, "(first "+at+")")
		}
		p.behind("  "+left(words.Thousands(counts[k]), 7)+"  ", 11, "", fill(parts, p.room(11)))
	}
}

func replayBroken(p *page, s lines.Summary) {
	if len(s.Broken) == 0 {
		return
	}
	p.line(0, "")
	p.line(0, "broken")
	for _, one := range s.Broken {
		p.labelled(2, "", one.At+" ", one.Why)
	}
	if more := s.Outcomes[lines.Broken] - len(s.Broken); more > 0 {
		p.line(2, fmt.Sprintf("and %s more: see -o jsonl", words.Thousands(more)))
	}
}

func replayKinds(p *page, s lines.Summary, verbose bool) {
	if len(s.Kinds) == 0 {
		return
	}
	p.line(0, "")
	p.line(0, "differences")
	names := s.KindsInOrder()
	for i, name := range names {
		if i == maxRows {
			p.line(2, fmt.Sprintf("and %s more sorts of differences: see -o json", words.Thousands(len(names)-i)))
			return
		}
		k := s.Kinds[name]
		p.line(2, fmt.Sprintf("%7d  %s", k.Requests, p.paint(p.bold, k.Title())))
		if k.Unsure > 0 {
			p.line(11, "of "+words.Thousands(k.Unsure)+" the object before may have been another one")
		}
		for _, one := range k.Samples {
			if !verbose {
				one.Message, one.Said, one.Because = lines.Short(one.Message), lines.Short(one.Said), lines.Short(one.Because)
			}
			replaySample(p, one)
		}
	}
}

func replaySample(p *page, s lines.Sample) {
	by := ""
	if s.User != "" {
		by = " by " + s.User
	}
	p.line(11, p.paint(p.faint, fmt.Sprintf("%s  %s%s", s.At, s.Request, by)))
	if s.Unsure != "" {
		p.line(13, "unsure    "+s.Unsure)
	}
	if s.Webhook != "" {
		p.line(13, "webhook   "+s.Webhook)
	}
	if s.Message != "" {
		p.wrapped(strings.Repeat(" ", 13), 13, "", p.clean(s.Message))
		return
	}
	if s.Said != "" {
		p.wrapped(strings.Repeat(" ", 13)+"recorded  ", 23, "", p.clean(s.Recorded+": "+s.Said))
	} else {
		p.line(13, "recorded  "+words.OrNothing(s.Recorded))
	}
	p.line(13, "admsim    "+words.OrNothing(s.Simulated))
	if s.Because != "" {
		p.line(13, "because   "+p.clean(s.Because))
	}
}

func replayTable(p *page, by string, rows map[string]*lines.Count, all bool) {
	shown := map[string]*lines.Count{}
	for name, c := range rows {
		if all || c.Differ > 0 {
			shown[name] = c
		}
	}
	if len(shown) == 0 {
		return
	}
	p.line(0, "")
	p.line(0, fmt.Sprintf("%9s %8s  by %s", "differ", "of", by))
	names := words.ByCount(shown, func(c *lines.Count) int { return c.Differ })
	for i, name := range names {
		if i == maxRows {
			p.line(0, fmt.Sprintf("%18s  and %s more", "", words.Thousands(len(names)-i)))
			return
		}
		p.line(0, left(words.Thousands(shown[name].Differ), 9)+left(words.Thousands(shown[name].Ran), 9)+"  "+words.OrNone(name))
	}
}
