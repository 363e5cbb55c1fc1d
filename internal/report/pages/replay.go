package pages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
)

// WriteReplay writes the result for a recording as a page: a row for each kind of difference, then one for each
// request.
func WriteReplay(w io.Writer, s lines.Summary, requests *ReplayRows, o document.Options) error {
	if requests == nil {
		requests = NewReplayRows(o)
	}
	p := requests.copy()
	place := map[string]int{}
	for i, section := range replaySections {
		place[section.title] = i
	}
	slices.SortStableFunc(p.further, func(a, b rowView) int { return cmp.Compare(place[a.Section], place[b.Section]) })
	for _, name := range s.KindsInOrder() {
		p.kind(s.Kinds[name], requests.rows)
	}
	for _, one := range []struct {
		outcome lines.Outcome
		class   string
	}{{lines.Agrees, "admitted"}, {lines.Differs, "denied"}, {lines.CannotTell, "changed"}, {lines.Broken, "failed"}, {lines.Skipped, "skipped"}} {
		p.tally.requests(spaced(string(one.outcome)), one.class, s.Outcomes[one.outcome])
	}
	p.chips = tally{}
	for _, section := range replaySections {
		p.chips.requests(spaced(string(section.outcome)), section.class, s.Outcomes[section.outcome])
	}
	if len(requests.page.further) > 0 {
		p.noun, p.groups = "request", whatDiffers
	}
	agree, ran := s.Outcomes[lines.Agrees], s.Ran()
	v := pageView{Good: agree == ran && s.Outcomes[lines.Broken] == 0, Mixed: 2*agree > ran, Sub: words.Plural(s.Total, "record"), Verdict: "Nothing ran"}
	if ran > 0 {
		v.Verdict = fmt.Sprintf("%s of %s agree with what was recorded", words.Thousands(agree), words.Plural(ran, "request"))
		v.Sub += fmt.Sprintf(", %s %% agree", words.Percent(agree, ran))
	}
	for _, section := range replaySections {
		if more := s.Outcomes[section.outcome] - requests.added[section.title]; more > 0 && requests.added[section.title] > 0 {
			v.Sub += fmt.Sprintf("; %s %s below by count only", words.Thousands(more), section.more)
		}
	}
	if rows := len(requests.page.further) > 0; rows && ran > 0 && requests.answered == 0 {
		v.Sub += "; steps and times are on the pages of the parts"
	} else if before := ran - requests.answered; rows && before > 0 {
		v.Sub += fmt.Sprintf("; of %s before the run was resumed there are no steps and times", words.Plural(before, "request"))
	}
	v.Panels, v.Empty = replayPanels(s), "Nothing differs from what was recorded."
	return p.write(w, v)
}

// kind adds a row for a kind of difference, with samples.
func (p *htmlPage) kind(k *lines.Kind, rows map[string]string) {
	section := sectionView{More: k.Requests - len(k.Samples)}
	for _, one := range k.Samples {
		sample := sampleView{Title: one.Request, At: placeView(one.At), Row: rows[one.At], Was: recorded(noteInWords(k.Path, one.Recorded)), Is: simulated(noteInWords(k.Path, one.Simulated))}
		if one.User != "" {
			sample.About = "by " + one.User
		}
		if one.Said != "" {
			sample.Was.Text += ": " + one.Said
		}
		sample.Note = differenceNote(one.Webhook, one.Because)
		if one.Unsure != "" {
			sample.Note = words.Join(sample.Note, "the object before may have been another one: "+one.Unsure)
		}
		section.Samples = append(section.Samples, sample)
	}
	p.row(rowView{
		ID: p.nextID(), Section: whatDiffers, Outcome: spaced(string(lines.Differs)), Class: "denied", Good: true, Name: k.Title(),
		By: string(k.What), Took: words.Plural(k.Requests, "request"), Micros: int64(k.Requests),
	}, groupView{Sections: []sectionView{section}}, true)
}

func recorded(text string) sideView {
	return sideView{Label: "recorded", Text: words.OrNothing(text)}
}

func simulated(text string) sideView {
	return sideView{Label: "admsim", Text: words.OrNothing(text)}
}

// differing returns one of two values.
func differing(path string, value json.RawMessage) string {
	if len(value) == 0 {
		return ""
	}
	if words := noteInWords(path, string(value)); words != string(value) {
		return words
	}
	return words.Shorten(document.Flow(value), 400)
}

// spaced returns the name of an outcome as people write it.
func spaced(name string) string { return strings.ReplaceAll(name, "-", " ") }

// maxOpened is how many webhooks the page shows initially: more would push the requests away.
const maxOpened = 10

func replayPanels(s lines.Summary) (all []panelView) {
	for _, t := range []struct {
		by   string
		rows map[string]*lines.Count
	}{{"Webhooks", s.Webhooks}, {"Resources", s.Resources}, {"Namespaces", s.Namespaces}, {"Users", s.Users}} {
		p := panelView{Title: t.by, Count: len(t.rows), Open: t.by == "Webhooks" && len(t.rows) <= maxOpened, Heads: []string{"name", "differ", "of"}}
		for i, name := range words.ByCount(t.rows, func(c *lines.Count) int { return c.Differ }) {
			if i == maxListed {
				p.Rows = append(p.Rows, []string{fmt.Sprintf("and %s more", words.Thousands(len(t.rows)-i)), "", ""})
				break
			}
			p.Rows = append(p.Rows, []string{words.OrNone(name), words.Thousands(t.rows[name].Differ), words.Thousands(t.rows[name].Ran)})
		}
		if len(p.Rows) > 0 {
			all = append(all, p)
		}
	}
	for _, r := range []struct {
		title  string
		counts map[string]int
	}{{"Not run, because", s.Skipped}, {"Cannot tell, because", s.CannotTell}, {"Ran, though this is not known", s.Unknown}} {
		p := panelView{Title: r.title, Count: len(r.counts), Heads: []string{"reason", "records"}}
		for _, name := range slices.SortedFunc(maps.Keys(r.counts), func(a, b string) int {
			return cmp.Or(r.counts[b]-r.counts[a], strings.Compare(a, b))
		}) {
			p.Rows = append(p.Rows, []string{words.Join(name, recording.Code(name).Meaning()), words.Thousands(r.counts[name])})
		}
		if len(p.Rows) > 0 {
			all = append(all, p)
		}
	}
	if len(s.Broken) > 0 {
		p := panelView{Title: "Could not be read", Words: true, Places: true, Count: s.Outcomes[lines.Broken], Heads: []string{"record", "why"}}
		for _, one := range s.Broken {
			p.Rows = append(p.Rows, []string{one.At, one.Why})
		}
		all = append(all, p)
	}
	return all
}
