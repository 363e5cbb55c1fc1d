package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
)

// A page of so many requests, none of which is like another: each was seen by webhooks in two
// rounds, changed step by step, and has an object, a name and an identity of its own.
func writeMany(t testing.TB, w io.Writer, n int) {
	t.Helper()
	var views []*resultView
	for _, a := range answers(t, manifestsOfPods(20)) {
		r, err := New(a.Asked, a.Result, Usual)
		if err != nil {
			t.Fatal(err)
		}
		view, err := newResultView("", r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		views = append(views, view)
	}
	h := newHTMLResults(w, Options{})
	for i := range n {
		if err := h.row(another(views[i%len(views)], i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}

// another is a request like that of a view.
func another(v *resultView, i int) *resultView {
	name := v.Request.Name
	its := func(text string) string {
		return strings.NewReplacer(name, fmt.Sprintf("%s-%d", name, i), "kube-api-access-", fmt.Sprintf("kube-api-access-%d", i), "00000000-", fmt.Sprintf("%08d-", i)).Replace(text)
	}
	result := *v.Result
	result.Request.Name, result.Request.Source = its(name), fmt.Sprintf("requests.yaml:%d", 19*i)
	shown := *v
	shown.Result, shown.Title, shown.Message, shown.Chains = &result, its(v.Title), its(v.Message), slices.Clone(v.Chains)
	for j := range shown.Chains {
		object := *shown.Chains[j].Object
		object.Blocks = slices.Clone(object.Blocks)
		for k := range object.Blocks {
			object.Blocks[k].Text = its(object.Blocks[k].Text)
		}
		shown.Chains[j].Object = &object
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

// manifestsOfPods are pods as Deployments make them.
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

// Ten thousand requests open at once since little of them is part of the page at first, and
// what many have in common is in it once. Neither depends on the machine; what comes of it
// is what BenchmarkPageOpens shows.
func TestManyRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a page of 10,000 requests")
	}
	const n = 10_000
	var b strings.Builder
	writeMany(t, &b, n)
	page := b.String()
	if each := len(page) / n; each > 5000 {
		t.Errorf("a request takes %d bytes of the page", each)
	}
	_, rest, _ := strings.Cut(page, `id="data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	if each := len(data) / n; each > 2000 {
		t.Errorf("a request takes %d bytes of what the script reads", each)
	}
	if rows := strings.Count(page, `<li class="row"`); rows != n {
		t.Errorf("without scripts there are %d rows", rows)
	}
	if denials := strings.Count(page, `<span class="note">policy/images.shop.example</span>`); denials != n*3/20 {
		t.Errorf("without scripts %d denials are told", denials)
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

// search has the page look for words, as if they were typed at once.
func search(b *browser, words string) {
	b.t.Helper()
	b.run(`const s = document.querySelector('#search'); s.focus(); s.value = arguments[0]; s.dispatchEvent(new Event('input', {bubbles: true}))`, words)
}

func BenchmarkHTML(b *testing.B) {
	b.Run("requests=1000", func(b *testing.B) {
		for b.Loop() {
			writeMany(b, io.Discard, 1000)
		}
	})
}

// BenchmarkPageOpens tells how long a reader waits: for something to see, for the whole page,
// and for an answer to a key in the search.
func BenchmarkPageOpens(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("requests=%d", n), func(b *testing.B) {
			var page strings.Builder
			writeMany(b, &page, n)
			c := openBrowser(b, nil)
			var seen, opened, key float64
			for b.Loop() {
				c.open(page.String())
				seen += eval[float64](c, `performance.getEntriesByName('first-contentful-paint')[0].startTime`)
				opened += eval[float64](c, `performance.getEntriesByType('navigation')[0].loadEventEnd`)
				key = max(key, eval[float64](c, slowestKey))
			}
			b.ReportMetric(float64(page.Len())/1e6, "MB")
			b.ReportMetric(seen/float64(b.N), "ms-first-paint")
			b.ReportMetric(opened/float64(b.N), "ms-open")
			b.ReportMetric(key, "ms-slowest-key")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// slowestKey types a word that some requests have, and clears it.
const slowestKey = `(() => {
	const search = document.querySelector('#search');
	let most = 0;
	for (const text of [..."checkout-3"].map((_, i, all) => all.slice(0, i + 1).join("")).concat("")) {
		const begin = performance.now();
		search.value = text;
		search.dispatchEvent(new Event('input', {bubbles: true}));
		document.body.getBoundingClientRect();
		most = Math.max(most, performance.now() - begin);
	}
	return most;
})()`
