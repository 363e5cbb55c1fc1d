package pages

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif/diff"
	"github.com/admsim/admsim/internal/whatif/outage"
	"github.com/admsim/admsim/internal/whatif/trouble"
)

// manyPages write a page of each command for n requests.
var manyPages = map[string]func(t testing.TB, w io.Writer, n int){
	"run": writeMany, "test": writeManyCases, "replay": writeManyReplayed,
	"diff": writeManyGroups, "diff-samples": writeManySamples, "diff-requests": writeManyChanged, "outage": writeManySituations,
}

// writeMany writes a page of n different requests: each was seen by webhooks in two rounds, changed step by step, and
// has an object, a name and an identity of its own.
func writeMany(t testing.TB, w io.Writer, n int) {
	t.Helper()
	views := podViews(t)
	h := NewResults(w, document.Options{})
	for i := range n {
		h.row(another(views[i%len(views)], i))
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

// podViews returns answers about pods as Deployments create them.
func podViews(t testing.TB) (views []*resultView) {
	t.Helper()
	for _, a := range reporttest.Answers(t, manifestsOfPods(20)) {
		r, err := a.Show()
		if err != nil {
			t.Fatal(err)
		}
		view, err := newResultView(r, nil, document.Options{})
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, view)
	}
	return views
}

func writeManyCases(t testing.TB, w io.Writer, n int) {
	t.Helper()
	views := podViews(t)
	p := newSuitesPage(document.Options{})
	for i := range n {
		row := rowView{ID: p.nextID(), Outcome: "passed", Good: i%7 != 3, Name: fmt.Sprintf("pods/case-%d", i), Took: "130ms", Micros: 130_000}
		view := &caseView{Source: fmt.Sprintf("tests/pods.yaml:%d", i), Answers: []answerView{{"", another(views[i%len(views)], i)}}}
		if !row.Good {
			row.Outcome, row.Note = "failed", "expect.allowed: want true, got false"
			view.Troubles = []troubleView{{At: view.Source, Path: "expect.allowed", Want: "true", Got: "false"}}
		}
		p.row(row, view, !row.Good)
	}
	if err := p.write(w, pageView{Verdict: "Many cases"}); err != nil {
		t.Fatal(err)
	}
}

func writeManyReplayed(t testing.TB, w io.Writer, n int) {
	t.Helper()
	var s lines.Summary
	requests := NewReplayRows(document.Options{})
	for i := range n {
		l := &lines.Line{
			File: "audit.log", Line: i, Verb: "create", Resource: "pods", Namespace: "shop", Name: fmt.Sprintf("web-%d", i), User: "alice",
			Outcome: lines.Differs, Webhooks: []string{"defaults/owner.shop.example", "policy/images.shop.example"},
		}
		for j := range 4 {
			l.Differences = append(l.Differences, lines.Difference{
				What: lines.Object, Path: fmt.Sprintf("spec.containers[%d].image", j), Webhook: "defaults/owner.shop.example",
				Recorded: fmt.Appendf(nil, `"registry.example/a/%d"`, i), Simulated: fmt.Appendf(nil, `"registry.example/b/%d"`, i),
			})
		}
		s.Add(l)
		addReplayed(t, requests, l)
	}
	if err := WriteReplay(w, s, requests, document.Options{}); err != nil {
		t.Fatal(err)
	}
}

func addReplayed(t testing.TB, to *ReplayRows, l *lines.Line) {
	t.Helper()
	row, err := to.Make(l, nil)
	if err != nil {
		t.Fatal(err)
	}
	to.Add(row)
}

func writeManyGroups(t testing.TB, w io.Writer, n int) {
	t.Helper()
	r := &diff.Result{Requests: n, Changed: n}
	for i := range n {
		r.Groups = append(r.Groups, document.DiffGroup{Change: document.DifferentObject, What: fmt.Sprintf("/data/key-%d", i), By: mirror, Requests: 1, Samples: samplesOf(i, 1)})
	}
	if err := WriteDiff(w, r.Document("base", "head"), nil, document.Options{}); err != nil {
		t.Fatal(err)
	}
}

// writeManyChanged writes different requests that change, with all steps of both worlds.
func writeManyChanged(t testing.TB, w io.Writer, n int) {
	t.Helper()
	manifests := manifestsOfPods(20)
	base, head := reporttest.Answers(t, manifests), reporttest.Answers(t, manifests, otherWorld...)
	rows := NewDiffRows(document.Options{})
	var views []*requestView
	for i := range base {
		view, err := rows.view(changedFrom(base[i], head[i]))
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, view)
	}
	for i := range n {
		view := *views[i%len(views)]
		view.Sides = slices.Clone(view.Sides)
		for j := range view.Sides {
			view.Sides[j].resultView = another(view.Sides[j].resultView, i)
		}
		if view.Object != nil {
			view.Object = anotherObject(view.Object, renamed(view.Sides[0].Request.Name, i))
		}
		row := rowView{Section: "Requests that change", Outcome: "different object", Class: "changed", Name: view.Sides[0].Title}
		rows.Add(&RequestRow{row: row, body: newRowBody(&rows.page.writer, &view), key: view.Sides[0].Title})
	}
	diff := (&diff.Result{Requests: n, Changed: n}).Document("base", "head")
	if err := WriteDiff(w, diff, rows, document.Options{}); err != nil {
		t.Fatal(err)
	}
}

// otherWorld has pairs of strings: what testdata has, and what replaces it in another world.
var otherWorld = []string{"mesh/proxy:1.30", "mesh/proxy:1.31", "owner: checkout", "owner: shop", `startsWith("bad")`, `startsWith("bad-web-1")`}

func writeManySamples(t testing.TB, w io.Writer, n int) {
	t.Helper()
	r := &diff.Result{Requests: n, Changed: n, ByChange: map[document.DiffChange]int{document.NewlyDenied: n}, Groups: []document.DiffGroup{{Change: document.NewlyDenied, What: "no", By: images, Requests: n, Samples: samplesOf(0, n)}}}
	if err := WriteDiff(w, r.Document("base", "head"), nil, document.Options{}); err != nil {
		t.Fatal(err)
	}
}

func samplesOf(from, n int) (all []document.DiffSample) {
	for i := range n {
		all = append(all, document.DiffSample{Request: asked(fmt.Sprintf("web-%d", from+i)), Base: fmt.Sprintf(`"a-%d"`, from+i), Head: fmt.Sprintf(`"b-%d"`, from+i)})
	}
	return all
}

func writeManySituations(t testing.TB, w io.Writer, n int) {
	t.Helper()
	const each = 20
	r := &outage.Result{Requests: n}
	for i := range n / each {
		one := outage.Outcome{Situation: trouble.Situation{Name: fmt.Sprintf("webhook-%d is down", i)}, Asked: each, Fail: outage.Losses{Requests: each}}
		for j := range each {
			one.Fail.Samples = append(one.Fail.Samples, outage.Loss{Request: asked(fmt.Sprintf("web-%d", i*each+j)), Message: fmt.Sprintf("failed calling webhook webhook-%d: connection refused", i)})
		}
		r.Outages = append(r.Outages, one)
	}
	if err := WriteWhatif(w, r.Document("requests"), document.Options{}); err != nil {
		t.Fatal(err)
	}
}

// another returns a request like that of a view.
func another(v *resultView, i int) *resultView {
	its := renamed(v.Request.Name, i)
	result := *v.Result
	result.Request.Name, result.Request.Source = its(v.Request.Name), fmt.Sprintf("requests.yaml:%d", 19*i)
	shown := *v
	shown.Result, shown.Title, shown.Message, shown.Chains = &result, its(v.Title), its(v.Message), slices.Clone(v.Chains)
	for j := range shown.Chains {
		shown.Chains[j].Object = anotherObject(shown.Chains[j].Object, its)
		shown.Chains[j].Phases = slices.Clone(shown.Chains[j].Phases)
		for k := range shown.Chains[j].Phases {
			steps := slices.Clone(shown.Chains[j].Phases[k].Steps)
			for l := range steps {
				steps[l].Changes = slices.Clone(steps[l].Changes)
				for m := range steps[l].Changes {
					steps[l].Changes[m].New = its(steps[l].Changes[m].New)
				}
			}
			shown.Chains[j].Phases[k].Steps = steps
		}
	}
	return &shown
}

// renamed returns a function that changes texts about a request to texts about its i-th copy.
func renamed(name string, i int) func(string) string {
	return strings.NewReplacer(name, fmt.Sprintf("%s-%d", name, i), "kube-api-access-", fmt.Sprintf("kube-api-access-%d", i), "00000000-", fmt.Sprintf("%08d-", i)).Replace
}

func anotherObject(e *evolution, its func(string) string) *evolution {
	object := *e
	object.Blocks = slices.Clone(object.Blocks)
	for k := range object.Blocks {
		object.Blocks[k].Text = its(object.Blocks[k].Text)
	}
	return &object
}

// manifestsOfPods returns pods as Deployments create them.
func manifestsOfPods(n int) string {
	var b strings.Builder
	for i := range n {
		name, labels := fmt.Sprintf("web-%02d", i), ""
		if i%7 == 3 {
			name = "bad-" + name
		}
		if i == 1 {
			labels = `, slow: "true"`
		}
		fmt.Fprintf(&b, `apiVersion: v1
kind: Pod
metadata:
  name: %s
  labels: {app.kubernetes.io/name: checkout-%d, app.kubernetes.io/part-of: shop%s}
  annotations: {prometheus.io/scrape: "true", prometheus.io/port: "%d"}
spec:
  containers:
  - name: web
    image: registry.example/shop/checkout:1.%d
    args: [--listen=:8080, --zone=eu-%d]
    env:
    - {name: DATABASE_URL, value: "postgres://db-%d.shop.svc:5432/checkout"}
    - {name: LOG_LEVEL, value: info}
    ports: [{name: http, containerPort: 8080}, {name: metrics, containerPort: 9090}]
    resources: {requests: {cpu: 100m, memory: 128Mi}, limits: {memory: 256Mi}}
    readinessProbe: {httpGet: {path: /ready, port: http}, periodSeconds: 5}
  volumes: [{name: config, configMap: {name: checkout-%d}}]
---
`, name, i%5, labels, 8000+i, i, i%3, i, i%5)
	}
	return b.String()
}

// A page of ten thousand requests opens at once because it contains little of them at first, and what many have in
// common is in it once. Neither depends on the machine; BenchmarkPageOpens measures the result.
func TestManyRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a page of 10,000 requests")
	}
	const n = 10_000
	var b strings.Builder
	writeMany(t, &b, n)
	page := b.String()
	if each := len(page) / n; each > 3000 {
		t.Errorf("a request takes %d bytes of the page", each)
	}
	_, rest, _ := strings.Cut(page, `id="parts">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if each := len(data) / n; each > 2000 {
		t.Errorf("a request takes %d bytes of what the script reads", each)
	}
	if rows := strings.Count(page, `<li class="row"`); rows != n {
		t.Errorf("without scripts there are %d rows", rows)
	}
	if denials := strings.Count(page, `<span class="note">policy/images.shop.example</span>`); denials != n*3/20 {
		t.Errorf("without scripts there are %d denials", denials)
	}

	c := openBrowser(t, nil)
	c.open(page)
	opened := c.metrics()
	t.Logf("%d bytes, of them %d of data; %v nodes, %v of them laid out", len(page), len(data), opened["Nodes"], opened["LayoutObjects"])
	if opened["Nodes"] > 10_000 {
		t.Errorf("the page has %v nodes when it is opened", opened["Nodes"])
	}
	if opened["LayoutObjects"] > 5_000 {
		t.Errorf("%v objects are laid out when it is opened", opened["LayoutObjects"])
	}

	search(c, "kube-api-access-4711")
	if count := c.text("#count"); count != "1 of 10000 requests" {
		t.Errorf("a word of one object is found in %s", count)
	}
	c.keys(arrowDownKey + enterKey)
	if body := c.text(".row .body"); !strings.Contains(body, "mutating, second round") || !strings.Contains(body, "name: kube-api-access-4711") {
		t.Errorf("the row found does not open:\n%s", body)
	}
	search(c, "checkout shop")
	if count := c.text("#count"); count != "10000 requests" {
		t.Errorf("words of all are found in %s", count)
	}
	if rows := eval[int](c, `document.querySelectorAll('.row').length`); rows > 2*rowsAtFirst {
		t.Errorf("%d rows are part of the page after a search", rows)
	}
	c.run(`window.scrollTo(0, document.body.scrollHeight)`)
	c.until(`document.querySelector('#r10000') !== null`)
	if eval[bool](c, `document.querySelector('#r10000') === null`) {
		t.Error("the last row is not there at the end of the page")
	}
	c.run(`location.hash = "#r5000"`)
	c.until(`document.querySelector('#r5000 .body') !== null`)
	if body := c.text("#r5000"); !strings.Contains(body, "The object, step by step") {
		t.Errorf("the row in the address is not open:\n%s", body)
	}
	if said := c.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

// search searches the page for words, as if they were typed at once.
func search(b *browser, words string) {
	b.t.Helper()
	b.run(`const s = document.querySelector('#search'); s.focus(); s.value = arguments[0]; s.dispatchEvent(new Event('input', {bubbles: true}))`, words)
}

// The same holds for the pages of the other commands.
func TestManyRows(t *testing.T) {
	if testing.Short() {
		t.Skip("makes pages of 2,000 requests")
	}
	const n = 2_000
	c := openBrowser(t, nil)
	for _, name := range slices.Sorted(maps.Keys(manyPages)) {
		if name == "run" {
			continue
		}
		var page strings.Builder
		manyPages[name](t, &page, n)
		c.open(page.String())
		c.cdp("HeapProfiler.collectGarbage", map[string]any{}, nil) // of the page before
		opened := c.metrics()
		t.Logf("%s: %d bytes; %v nodes, %v of them laid out", name, page.Len(), opened["Nodes"], opened["LayoutObjects"])
		if opened["Nodes"] > 10_000 || opened["LayoutObjects"] > 6_000 {
			t.Errorf("%s: when the page is opened it has %v nodes, of which %v are laid out", name, opened["Nodes"], opened["LayoutObjects"])
		}
		search(c, "-1711")
		if rows := eval[[]string](c, shownRows); len(rows) != 1 {
			t.Errorf("%s: a word of one request is in %d rows", name, len(rows))
		}
	}
	if said := c.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

func BenchmarkHTML(b *testing.B) {
	for _, n := range []int{1000, 10_000} {
		b.Run(fmt.Sprintf("requests=%d", n), func(b *testing.B) {
			for b.Loop() {
				writeMany(b, io.Discard, n)
			}
		})
	}
}

// BenchmarkPageOpens measures how long a reader waits: for something to see, for the whole page, and for a reaction to
// a key in the search.
func BenchmarkPageOpens(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(manyPages)) {
		b.Run(fmt.Sprintf("page=%s/requests=10000", name), func(b *testing.B) {
			var page strings.Builder
			manyPages[name](b, &page, 10_000)
			c := openBrowser(b, nil)
			var seen, opened, first, key float64
			for b.Loop() {
				c.open(page.String())
				seen += eval[float64](c, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
				opened += eval[float64](c, `performance.getEntriesByType('navigation')[0].loadEventEnd`)
				first = max(first, eval[float64](c, slowestKey))
				key = max(key, eval[float64](c, slowestKey))
			}
			b.ReportMetric(float64(page.Len())/1e6, "MB")
			b.ReportMetric(seen/float64(b.N), "ms-first-paint")
			b.ReportMetric(opened/float64(b.N), "ms-open")
			b.ReportMetric(first, "ms-slowest-key-at-once") // including what a search prepares if the page had no time before
			b.ReportMetric(key, "ms-slowest-key")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// slowestKey types a word that one request contains, and clears it.
const slowestKey = `(() => {
	const search = document.querySelector('#search');
	let most = 0;
	for (const text of [..."web-4711"].map((_, i, all) => all.slice(0, i + 1).join("")).concat("")) {
		const begin = performance.now();
		search.value = text;
		search.dispatchEvent(new Event('input', {bubbles: true}));
		document.body.getBoundingClientRect();
		most = Math.max(most, performance.now() - begin);
	}
	return most;
})()`

// BenchmarkPageMade measures the cost of a new row, from the answer on.
func BenchmarkPageMade(b *testing.B) {
	base, head := reporttest.Answers(b, manifestsOfPods(20)), reporttest.Answers(b, manifestsOfPods(20), otherWorld...)
	b.Run("page=run", func(b *testing.B) {
		h := NewResults(io.Discard, document.Options{})
		for i := 0; b.Loop(); i++ {
			a := base[i%len(base)]
			r, err := a.Show()
			if err == nil {
				err = h.Result(r)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page=diff", func(b *testing.B) {
		rows := NewDiffRows(document.Options{})
		for i := 0; b.Loop(); i++ {
			addChanged(b, rows, changedFrom(base[i%len(base)], head[i%len(base)]))
		}
	})
}

// changedFrom returns a request that changes from one answer to another.
func changedFrom(base, head reporttest.Answered) *document.Changed {
	c := diff.NewChanged(traffic.Answered{Asked: base.Asked, Result: base.Result}, traffic.Answered{Asked: head.Asked, Result: head.Result},
		[]document.Difference{{Change: document.DifferentObject, What: "/metadata/labels/owner", By: mirror, Base: `"checkout"`, Head: `"shop"`}}, nil)
	c.Request = asked(answer.Request(base.Asked).Name)
	return c
}

func addChanged(t testing.TB, to *DiffRows, c *document.Changed) {
	t.Helper()
	row, err := to.Make(c)
	if err != nil {
		t.Fatal(err)
	}
	to.Add(row)
}
