package pages

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/whatif/diff"
)

// searched has a word to search for on each page, and the rows that contain it.
var searched = map[string][]string{
	"run":              {"digest", "create pods shop/bad-web"},
	"run -v":           {"digest", "create pods shop/bad-web"},
	"test":             {"later", "pods/later"},
	"diff":             {"mirror.example/nginx", "/spec/containers/*/image"},
	"outage":           {"cron", "service shop/webhooks is down"},
	"check":            {"look first", "m/a.m.example: adds one more <b>"},
	"latency":          {"1% of its calls", "m/<b>a.m.example (1.50 calls)"},
	"survey":           {"hostnetwork", "CREATE, UPDATE pods, in namespaces with team=<i>"},
	"diff, requests":   {"proxy:1.31", "create pods shop/web", "create pods shop/bad-web"},
	"replay, requests": {"dry-run-delete/gone refused", "delete configmaps dry-run-delete/gone"},

	"replay": {"envoy", "object spec.containers[*].image", "create pods shop/web"},
}

// On every page, rows can be searched, opened and read using only the keyboard; the page fits a narrow window, and
// prints its rows without controls.
func TestPagesWork(t *testing.T) {
	b := openBrowser(t, nil)
	all := pages(t)
	for _, command := range slices.Sorted(maps.Keys(all)) {
		b.scheme("light")
		b.media("")
		b.open(all[command])
		find := searched[command]
		b.keys("/" + find[0])
		if rows := eval[[]string](b, shownRows); !slices.Equal(rows, find[1:]) {
			t.Errorf("%s: %q finds %q, want %q", command, find[0], rows, find[1:])
			continue
		}
		b.keys(arrowDownKey)
		if !eval[bool](b, `document.activeElement === document.querySelector('.row summary')`) {
			t.Errorf("%s: the arrow does not lead from the search to the row", command)
		}
		if !eval[bool](b, `document.querySelector('.row details').open`) {
			b.keys(enterKey)
		}
		if body := b.text(".row .body"); !strings.Contains(strings.ToLower(body), last(strings.Fields(find[0]))) && command != "test" {
			t.Errorf("%s: the row does not say %q:\n%s", command, find[0], body)
		}
		b.keys(escapeKey)
		if rows := eval[[]string](b, shownRows); len(rows) < 2 {
			t.Errorf("%s: after Escape there are %q", command, rows)
		}
		b.click(".chips button")
		if chip, row := eval[string](b, `document.querySelector('.chips button').dataset.outcome`), b.text(".row .badge"); chip != row {
			t.Errorf("%s: %q shows %q", command, chip, row)
		}
		b.keys(escapeKey)
		if back := eval[[]string](b, tabsBack); len(back) > 0 {
			t.Errorf("%s: the focus does not go down the page: %q", command, back)
		}
		if cut := eval[[]string](b, cutShort); command == "check" && len(cut) > 0 {
			t.Errorf("%s: sentences are cut: %q", command, cut)
		}
		b.run(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
		for _, scheme := range []string{"light", "dark"} {
			b.scheme(scheme)
			if faint := eval[[]string](b, tooFaint); len(faint) > 0 {
				t.Errorf("%s: hard to read in the %s: %q", command, scheme, faint)
			}
			picture := b.screenshot(command + "-" + scheme)
			if l := luminance(picture.At(3, 3)); (l > 128) != (scheme == "light") {
				t.Errorf("%s: %s paper has luminance %d", command, scheme, l)
			}
			if blank(picture) {
				t.Errorf("%s: there is nothing on the page in the %s", command, scheme)
			}
		}
		b.scheme("light")
		b.window(390, 844)
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
			t.Errorf("%s: in a window of 390 it is %d wide", command, wide)
		}
		b.screenshot(command + "-narrow")
		b.window(1280, 1200)
		b.media("print")
		if b.text("#tools") != "" || b.text(".row .name") == "" {
			t.Errorf("%s: on paper there are tools, or no rows", command)
		}
		if blank(b.screenshot(command + "-print")) {
			t.Errorf("%s: the paper is blank", command)
		}
		if said := b.complaints(); said != nil {
			t.Errorf("%s: the console says %q", command, said)
		}
	}
}

func last(words []string) string { return words[len(words)-1] }

// The longest names that Kubernetes allows do not make a page wider than its window.
func TestPageOfLongNames(t *testing.T) {
	long := strings.Repeat("a-name-that-somebody-generated.", 8)
	var page bytes.Buffer
	h := NewResults(&page, document.Options{})
	for _, a := range reporttest.Answers(t, reporttest.Pods) {
		r, err := a.Show()
		if err != nil {
			t.Fatal(err)
		}
		r.Request.Name, r.Request.User.Username, r.Request.Source = long, long, long
		if r.DeniedBy != nil {
			r.DeniedBy.Name = long
		}
		for i := range r.Admissions[0].Steps {
			for j := range r.Admissions[0].Steps[i].Hooks {
				hook := &r.Admissions[0].Steps[i].Hooks[j]
				hook.Configuration, hook.Name, hook.Because = long, long, strings.Repeat("x", 300)
			}
		}
		for i := range r.Run(0).Versions {
			r.Run(0).Versions[i].By = long
		}
		if err := h.Result(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, nil)
	for _, width := range []int{390, 1280} {
		b.window(width, 1200)
		b.open(page.String())
		b.click("#expand")
		b.run(`document.querySelectorAll('details').forEach(d => { d.open = true })`)
		if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > width {
			t.Errorf("in a window of %d it is %d wide", width, wide)
		}
	}
}

// Without scripts, every row of every page can be opened and read.
func TestPagesWithoutScripts(t *testing.T) {
	b := openBrowser(t, map[string]any{"profile.managed_default_content_settings.javascript": 2})
	for command, page := range pages(t) {
		b.open(page)
		b.run(`document.querySelectorAll('.row > details').forEach(d => { d.open = true })`)
		for i, body := range eval[[]string](b, `Array.from(document.querySelectorAll('.row')).map(r => r.querySelector('.body').textContent)`) {
			if len(strings.TrimSpace(body)) < 20 {
				t.Errorf("%s: row %d only says %q", command, i, body)
			}
		}
		if b.text("#tools") != "" || b.text("footer") == "" {
			t.Errorf("%s: there are tools that cannot work, or no end", command)
		}
		b.screenshot(command + "-no-scripts")
	}
}

// tabsBack are the elements that the Tab key reaches although they are above the previous one, or to the left of it.
const tabsBack = `Array.from(document.querySelectorAll('summary, button, input, select, [tabindex="0"]')).filter(e => e.checkVisibility()).filter((e, i, all) => {
	if (i === 0) return false;
	const r = e.getBoundingClientRect(), before = all[i - 1].getBoundingClientRect();
	const above = r.bottom <= before.top, beside = !above && r.top < before.bottom - before.height / 2;
	return above || beside && r.left < before.left;
}).map(e => e.textContent)`

// cutShort are the words of rows that do not fit into their columns.
const cutShort = `Array.from(document.querySelectorAll('.row .name, .row .note')).filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).map(e => e.textContent)`

// tooFaint are the texts with less contrast to their background than WCAG requires, 4.5.
const tooFaint = `(() => {
	const parse = (c) => c.match(/[\d.]+/g).map(Number);
	const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => {
		for (; e; e = e.parentElement) {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c.length < 4 || c[3] > 0) return c;
		}
		return [255, 255, 255];
	};
	const faint = new Set();
	for (const e of document.querySelectorAll('body *')) {
		if (!e.checkVisibility() || e.closest('svg') || !Array.from(e.childNodes).some(n => n.nodeType === 3 && n.data.trim())) continue;
		const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
		const ratio = (a + 0.05) / (b + 0.05);
		if (ratio < 4.5) faint.add(e.localName + '.' + e.className + ' ' + ratio.toFixed(2));
	}
	return Array.from(faint);
})()`

// A request that changes can be opened from a sample in its group, its object can be stepped through, and it can be
// read on a narrow screen: each cell names its world.
func TestDiffPageWorks(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(changedPage(t))
	for _, section := range []string{"What changes", "Requests that change"} {
		if !slices.Contains(eval[[]string](b, `Array.from(document.querySelectorAll('.section h2')).map(h => h.textContent)`), section) {
			t.Errorf("there is no section %q", section)
		}
	}
	row := eval[string](b, `document.querySelector('.samples a').getAttribute('href')`)
	b.run(`document.querySelectorAll('.row > details').forEach(d => { d.open = false })`)
	b.run(`location.hash = arguments[0]`, row)
	b.until(`document.querySelector('` + row + ` .compare') !== null`)
	if !eval[bool](b, `document.querySelector(arguments[0] + ' > details').open`, row) {
		t.Fatalf("%s is not open", row)
	}
	object := func() string {
		return eval[string](b, `document.querySelector(arguments[0] + ' pre.object').innerText`, row)
	}
	b.click(row + " .versions > li")
	if text := object(); !strings.Contains(text, "owner: checkout") || strings.Contains(text, "owner: shop") {
		t.Errorf("in base it is\n%s", text)
	}
	b.click(row + " .versions > li:nth-child(2)")
	if text := object(); !strings.Contains(text, "owner: checkout") || !strings.Contains(text, "owner: shop") {
		t.Errorf("head, with what is gone, is\n%s", text)
	}
	ends := `Array.from(document.querySelectorAll(arguments[0] + ' > details > .body > .timeline .scale line, ' + arguments[0] + ' > details > .body > .timeline .scale text')).map(e => e.getAttribute('x')).join()`
	if scale := eval[string](b, ends, row); scale == "" || scale[:len(scale)/2] != scale[len(scale)/2+1:] {
		t.Errorf("the timelines have other scales: %s", scale)
	}
	b.window(390, 844)
	if label := eval[string](b, `getComputedStyle(document.querySelector(arguments[0] + ' td[data-side]'), '::before').content`, row); label != `"base"` {
		t.Errorf("a cell on a narrow screen is called %s", label)
	}
	b.window(1280, 1200)
	b.run(`const s = document.querySelector('#sort'); s.value = 'name'; s.dispatchEvent(new Event('change', {bubbles: true}))`)
	if heads := eval[[]string](b, `Array.from(document.querySelectorAll('.section h2')).map(h => h.textContent)`); !slices.Equal(heads, []string{"What changes", "Requests that change"}) {
		t.Errorf("in order of names the sections are %q", heads)
	}
	if said := b.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

// A filter matches as many requests as its button says, including requests with other changes, and not counting the
// groups, which it also shows.
func TestDiffFiltersCountRequests(t *testing.T) {
	base, head := reporttest.Answers(t, reporttest.Pods), reporttest.Answers(t, reporttest.Pods, otherWorld...)
	rows := NewDiffRows(document.Options{})
	changed := changedFrom(base[0], head[0])
	changed.Differences = append(changed.Differences, document.Difference{Change: document.DifferentCalls, What: "more", By: mirror, Base: "1 call", Head: "2 calls"})
	addChanged(t, rows, changed)
	addChanged(t, rows, changedFrom(base[1], head[1]))
	group := func(change document.DiffChange, n int) document.DiffGroup {
		return document.DiffGroup{Change: change, What: "/metadata/labels/owner", By: mirror, Requests: n}
	}
	diff := (&diff.Result{
		Requests: 2, Changed: 2, ByChange: map[document.DiffChange]int{document.DifferentObject: 2, document.DifferentCalls: 1},
		Groups: []document.DiffGroup{group(document.DifferentObject, 2), group(document.DifferentObject, 1), group(document.DifferentCalls, 1)},
	}).Document("base", "head")
	b := openBrowser(t, nil)
	b.open(diffPage(t, diff, rows))
	for _, tt := range []struct{ change, button, count string }{
		{"different object", "different object 2", "2 requests"},
		{"different calls", "different calls 1", "1 of 2 requests"},
	} {
		chip := `.chips [data-outcome="` + tt.change + `"]`
		b.click(chip)
		if button, count := b.text(chip), b.text("#count"); button != tt.button || count != tt.count {
			t.Errorf("%q shows %q, want %q and %q", button, count, tt.button, tt.count)
		}
		b.keys(escapeKey)
	}
	if bars := eval[[]string](b, `Array.from(document.querySelectorAll('.stacks tr')).map(r => r.textContent)`); !slices.Equal(bars, []string{"different object2", "different calls1"}) {
		t.Errorf("the bars say %q", bars)
	}
}

// The two sides of a difference do not have the colours for good and bad: neither is the right one.
func TestSidesHaveColoursOfTheirOwn(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(realReplay(t, 1))
	colour := func(selector string) string {
		return eval[string](b, `getComputedStyle(document.querySelector(arguments[0])).color`, selector)
	}
	verdicts := []string{colour(".badge.b-denied"), colour(".badge.b-admitted")}
	for _, side := range []string{".sides del", ".sides ins"} {
		if c := colour(side); slices.Contains(verdicts, c) {
			t.Errorf("%s is %s, as a verdict", side, c)
		}
	}
}
