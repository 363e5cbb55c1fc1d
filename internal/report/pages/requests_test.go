package pages

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/internal/replay/answers"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// down is a webhook that does not answer.
type down struct{}

func (down) Call(context.Context, dispatch.Call) dispatch.Reply {
	return dispatch.Reply{Err: errors.New("connection refused")}
}

// realReplay returns a page about the log of a real server, with a webhook that is down now.
func realReplay(t testing.TB, workers int) string {
	t.Helper()
	sources, err := recording.Find([]string{"../../replay/testdata/webhooks.log.gz"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := NewReplayRows(document.Options{})
	o := replay.Options{
		Workers: workers,
		Simulator: simulator.Options{State: simulator.Bootstrap(), Explain: true, Backends: func(_, webhook string) dispatch.Backend {
			if webhook == "m.example.com" {
				return down{}
			}
			return answers.Recorded
		}},
		Make: func(l *lines.Line, a *lines.Account) (any, error) { return rows.Make(l, a) },
	}
	var sum lines.Summary
	if err := replay.Run(t.Context(), sources, o, func(l *lines.Line, made any) error {
		sum.Add(l)
		rows.Add(made.(*RequestRow))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return replayPage(t, sum, rows)
}

// bodyOf returns the first row of a page, without scripts, that has these words in its line.
func bodyOf(page, name, note string) string {
	for _, row := range strings.Split(page, `<li class="row"`) {
		line, body, _ := strings.Cut(row, "</summary>")
		if strings.Contains(line, name) && strings.Contains(line, note) {
			return body
		}
	}
	return ""
}

// A request that differs shows what was recorded next to what admsim did, and its steps; one that agrees is shown in
// short form. Rows that are made concurrently give the same page.
func TestReplayPageOfRealLog(t *testing.T) {
	page := html.UnescapeString(realReplay(t, 1))
	for _, want := range []string{"<figcaption>Denied by</figcaption>", "Webhooks and policies <span", `<th scope="row">f/deny-200.example.com</th><td>2</td><td></td><td>2</td>`} {
		if !strings.Contains(page, want) {
			t.Errorf("of all that ran it does not say %s", want)
		}
	}
	if strings.Contains(page, "steps and times") {
		t.Error("steps or times are said to be missing")
	}
	_, differing, _ := strings.Cut(page, "<h2>Requests that differ</h2>")
	differs := bodyOf(differing, `<span class="badge b-denied">differs</span>`, "allowed")
	for _, want := range []string{
		`<span class="side">recorded</span> <strong>Admitted</strong> <span class="dim">201 Created</span>`,
		`<span class="side">admsim</span> <strong>Denied by MutatingAdmissionWebhook: `, "connection refused",
		`<th scope="col">recorded</th><th scope="col">admsim</th>`, "m.example.com</span> <span class=\"mark\">here they part</span>",
		`<td data-side="recorded"><p><span class="o t-changed">changed</span>`, `<td data-side="admsim"><p><span class="o t-failed">failed</span>`,
		"admsim, step by step", "<h4>mutating</h4>",
	} {
		if !strings.Contains(differs, want) {
			t.Errorf("a request that differs does not say %s:\n%.2000s", want, differs)
		}
	}
	_, agreeing, _ := strings.Cut(page, "<h2>Requests that agree, in short</h2>")
	agrees := bodyOf(agreeing, `<span class="badge b-admitted">agrees</span>`, "201 Created")
	if !strings.Contains(agrees, "both answer 201 Created") || strings.Contains(agrees, "step by step") {
		t.Errorf("a request that agrees is\n%s", agrees)
	}
	if other := html.UnescapeString(realReplay(t, 3)); other != page {
		t.Error("three workers make a different page than one")
	}
}

// A page says for which requests only the lines are known.
func TestReplayPageWithoutSteps(t *testing.T) {
	s, requests := replayed(t)
	const parts = "13 records, 70.00 % agree; steps and times are on the pages of the parts<"
	if page := replayPage(t, s, requests); !strings.Contains(page, parts) {
		t.Errorf("it does not say %s", parts)
	}
	requests.Add(&RequestRow{counted: &document.Counts{}, only: true})
	const before = "; of 9 requests before the run was resumed there are no steps and times<"
	if page := replayPage(t, s, requests); !strings.Contains(page, before) {
		t.Errorf("it does not say %s", before)
	}
}

// The same rows can be on two pages.
func TestTwoPages(t *testing.T) {
	s, requests := replayed(t)
	if first := replayPage(t, s, requests); replayPage(t, s, requests) != first {
		t.Error("the second page differs from the first")
	}
}

// A request that changes shows base next to head up to where they diverge, both timelines on one scale, and the steps
// of each.
func TestDiffPageOfRequests(t *testing.T) {
	page := html.UnescapeString(changedPage(t))
	body := bodyOf(page, `<span class="name">create pods shop/web`, "/metadata/labels/owner")
	for _, want := range []string{
		`<span class="side">base</span> <strong>Admitted</strong>`, `<span class="side">head</span> <strong>Admitted</strong>`,
		`defaults/owner.shop.example</span> <span class="mark">here they part</span>`,
		`<code class="path">/metadata/labels</code> <ins>{owner: checkout}</ins>`, `<code class="path">/metadata/labels</code> <ins>{owner: shop}</ins>`,
		"the same in both:", "How long it took: base", "How long it took: head", "All that happened: base", "All that happened: head",
		"<del data-b=\"0\" data-d=\"1\">    owner: checkout\n", "<ins data-b=\"1\">    owner: shop\n",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("a request that changes does not say %s:\n%.2000s", want, body)
		}
	}
	if n := strings.Count(body, "here they part"); n != 1 {
		t.Errorf("they part %d times", n)
	}
	if sample := bodyOf(page, "image", "mirror"); !strings.Contains(sample, `<a href="#r`) {
		t.Errorf("a sample does not lead to its request:\n%s", sample)
	}
}

func changedPage(t testing.TB) string {
	t.Helper()
	base, head := reporttest.Answers(t, reporttest.Pods), reporttest.Answers(t, reporttest.Pods, otherWorld...)
	rows := NewDiffRows(document.Options{})
	for i := range base {
		addChanged(t, rows, changedFrom(base[i], head[i]))
	}
	diff := differences().Document("as it is", "as it would be <b>")
	return diffPage(t, diff, rows)
}

// Actions of two runs are paired in an order that agrees with both. Only actions that differ and had an effect have a
// line.
func TestBeside(t *testing.T) {
	did := func(phase, name, outcome string) action {
		return action{phase: phase, name: name, outcome: outcome, view: func() stepView { return stepView{Outcome: outcome} }}
	}
	const m, v = "mutating", "validating"
	left := []action{did(m, "a", "changed"), did(m, "b", "allowed"), did(m, "gone", "allowed"), did(v, "d", "allowed"), did(v, "e", "allowed")}
	right := []action{did(m, "a", "changed"), did(m, "unused", "skipped"), did(m, "new", "changed"), did(m, "b", "skipped"), did("mutating, second round", "a", "allowed"), did(v, "d", "denied")}
	var got []string
	for _, g := range beside("left", "right", left, right).Groups {
		for _, l := range g.Lines {
			side := func(c besideCell) string {
				if c.Did == nil {
					return c.None
				}
				return c.Did.Outcome
			}
			mark := ""
			if l.Parts {
				mark = "!"
			}
			got = append(got, fmt.Sprintf("%s %s%s: %s | %s", g.Name, l.Name, mark, side(l.Left), side(l.Right)))
		}
		if g.Same != "" {
			got = append(got, fmt.Sprintf("%s same: %s", g.Name, g.Same))
		}
	}
	want := []string{
		"mutating new!: not there | changed", "mutating b: allowed | skipped", "mutating gone: allowed | not reached", "mutating same: changed by a",
		"mutating, second round a: not there | allowed",
		"validating d: allowed | denied", "validating e: allowed | not reached",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Two actions that are skipped for different reasons are not a divergence: that is where an action first does something
// else, says something else, or is in one run only.
func TestWhereRunsPart(t *testing.T) {
	const m, v = "mutating", "validating"
	did := func(phase, name, outcome, because string, said ...string) action {
		return action{phase: phase, name: name, outcome: outcome, because: because, said: said, view: func() stepView { return stepView{Outcome: outcome} }}
	}
	skipped, selected := did(m, "sidecar", "skipped", "rules"), did(m, "sidecar", "skipped", "namespaceSelector")
	for _, tt := range []struct {
		reason      string
		left, right []action
		want        string
	}{
		{"a policy of one run denies", []action{selected, did(v, "quota", "allowed", "")}, []action{skipped, did(v, "owner", "denied", "", "no"), did(v, "quota", "allowed", "")}, "owner"},
		{"only reasons differ", []action{selected}, []action{skipped}, ""},
		{"called in one run", []action{selected}, []action{did(m, "sidecar", "allowed", "")}, "sidecar"},
		{"warned of in one run", []action{selected, did(v, "owner", "allowed", "")}, []action{skipped, did(v, "owner", "allowed", "", "careful")}, "owner"},
	} {
		got := ""
		for _, g := range beside("left", "right", tt.left, tt.right).Groups {
			for _, l := range g.Lines {
				if l.Parts {
					got += l.Name
				}
			}
		}
		if got != tt.want {
			t.Errorf("%s: they part at %q, want %q", tt.reason, got, tt.want)
		}
	}
}

// The server's notes about the call of a webhook do not make two actions differ: the index changes when a webhook is
// added.
func TestIndexOfWebhookIsNoAction(t *testing.T) {
	note := func(key string) []string { return noted([]report.Annotation{{Key: key, Value: "x"}}) }
	if !slices.Equal(note("mutation.webhook.admission.k8s.io/round_0_index_0"), note("mutation.webhook.admission.k8s.io/round_0_index_1")) {
		t.Error("a different index makes the actions differ")
	}
	if slices.Equal(note("owner/team"), note("owner/none")) {
		t.Error("a different annotation does not make the actions differ")
	}
}

// The server's own metadata does not make two actions differ, and neither does their duration.
func TestActionsAreTheSame(t *testing.T) {
	actions := func(value, uid string, took time.Duration) []action {
		r := report.Hook{Configuration: "a", Name: "b", Outcome: string(trace.Changed), Changes: []report.Change{
			{Op: "add", Path: "/spec/x", Value: []byte(value)}, {Op: "add", Path: "/metadata/uid", Value: []byte(uid)},
		}}
		r.Duration.Duration = took
		return chainView{}.actions([]report.Step{{Phase: "mutating", Hooks: []report.Hook{r}}})
	}
	if !actions("1", `"x"`, 1)[0].same(actions("1", `"y"`, 2)[0]) {
		t.Error("a different uid makes the actions differ")
	}
	if actions("1", `"x"`, 1)[0].same(actions("2", `"x"`, 1)[0]) {
		t.Error("a different value does not make the actions differ")
	}
}

// One in ten thousand can be seen in a bar, and a bar is as wide as possible.
func TestSharesAreSeen(t *testing.T) {
	for _, tt := range []struct {
		whole int
		parts []int
		want  []string // where each begins, and how wide it is
	}{
		{10_000, []int{9_999, 1}, []string{"0% 99.2%", "99.2% 0.8%"}},
		{4, []int{1, 0, 3}, []string{"0% 25%", "25% 0%", "25% 75%"}},
		{10_000, []int{1}, []string{"0% 0.8%"}}, // a bar that is not full
	} {
		var parts []outcomeCount
		for _, n := range tt.parts {
			parts = append(parts, outcomeCount{n: n})
		}
		var got []string
		for _, s := range sharesOf(tt.whole, parts) {
			got = append(got, s.X+" "+s.Width)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%v of %d: -want +got\n%s", tt.parts, tt.whole, diff)
		}
	}
}

// If the sender is shown beside a message, the message is shown without its prefix.
func TestPoint(t *testing.T) {
	for message, want := range map[string]string{
		`admission webhook "a.example.com" denied the request: no digest: nginx`:              "no digest: nginx",
		`ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: x`: "failed expression: x",
		`admission webhook "a.example.com" denied the request without explanation`:            `admission webhook "a.example.com" denied the request without explanation`,
		"/spec/containers/*/image": "/spec/containers/*/image",
	} {
		if got := document.Point(message); got != want {
			t.Errorf("point(%s) = %s, want %s", message, got, want)
		}
	}
}

// Of many values, the most frequent are shown separately, and none is lost.
func TestCountsOfMany(t *testing.T) {
	var all []document.Count
	for i := range 400 {
		all = append(all, document.Count{Value: fmt.Sprintf("team-%d", i), Count: 2})
	}
	all = append(all, document.Count{Value: document.Others, Count: 7})
	got := document.MostFrequent(all)
	if len(got) != document.MostCounted+1 || got[document.MostCounted] != (document.Count{Value: document.Others, Count: 350*2 + 7}) {
		t.Errorf("%d values, the last %v", len(got), got[len(got)-1])
	}
}

// No rows are made that a page does not show.
func TestRowsAreEnough(t *testing.T) {
	rows := NewDiffRows(document.Options{})
	base, head := reporttest.Answers(t, reporttest.Pods), reporttest.Answers(t, reporttest.Pods, otherWorld...)
	changed := changedFrom(base[0], head[0])
	first, err := rows.Make(changed)
	if err != nil || first == nil {
		t.Fatal(first, err)
	}
	for range maxRequests + 1 {
		row := *first
		rows.Add(&row)
	}
	if n := rows.page.rows(); n != maxRequests {
		t.Errorf("%d rows", n)
	}
	if more, err := rows.Make(changed); more != nil || err != nil {
		t.Errorf("there is one row too many: %v %v", more, err)
	}
}
