package pages

import (
	"bytes"
	"fmt"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/reporttest"
	"github.com/admsim/admsim/internal/report/words"
)

// pageOf returns the page of admsim run for answers.
func pageOf(t testing.TB, all []reporttest.Answered) string {
	t.Helper()
	return pageIn(t, all, document.Options{}, document.Usual)
}

func pageIn(t testing.TB, all []reporttest.Answered, o document.Options, detail document.Detail) string {
	t.Helper()
	var b bytes.Buffer
	p := NewResults(&b, o)
	for _, a := range all {
		r, err := answer.New(a.Asked, a.Result, detail, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Result(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The page requests nothing from anywhere, and its policy only allows its own style and script.
func TestHTMLIsSelfContained(t *testing.T) {
	page := pageOf(t, reporttest.Answers(t, reporttest.Pods))
	style, script := pageStyle(), pageScript()
	policy := "default-src 'none'; style-src '" + style.Hash() + "'; script-src '" + script.Hash() + "'; base-uri 'none'; form-action 'none'"
	if !strings.Contains(html.UnescapeString(page), `content="`+policy+`"`) {
		t.Error("the policy is different")
	}
	if !strings.Contains(page, "<style>"+style.String()+"</style>") || !strings.Contains(page, "<script>"+script.String()+"</script>") {
		t.Error("the style or the script is not what the policy allows")
	}
	for _, what := range []string{"url(", "@import", "fetch(", "eval("} {
		if strings.Contains(style.String()+script.String(), what) {
			t.Errorf("the style or script has %s", what)
		}
	}
	again := pageOf(t, reporttest.Answers(t, reporttest.Pods))
	if page != again {
		t.Error("the same results give another page")
	}
}

// Everything that a reader needs is in the page: the verdict, who denied, why, and what changed when.
func TestHTMLTells(t *testing.T) {
	page := html.UnescapeString(pageOf(t, reporttest.Answers(t, reporttest.Pods)))
	for _, want := range []string{
		"<h1>1 of 2 requests denied</h1>",
		"<strong>Denied by ValidatingAdmissionWebhook: policy/images.shop.example</strong>",
		`admission webhook "images.shop.example" denied the request: image "nginx:latest" has no digest`,
		"2 calls side by side: 55ms instead of 67ms",
		`namespaceSelector: namespace "shop" has no label mesh <code>world.yaml:21</code>`,
		"<b>10.1s</b> of the 34s that the request has, 29.8 %",
		"<h4>mutating, second round</h4>",
		`<ins data-b="4">    owner: checkout`,
		`<code class="path">/metadata/labels/owner</code> <ins>checkout</ins>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("there is no %s", want)
		}
	}
}

// Quantiles are those of all single times, to three digits.
func TestQuantiles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		some := times{}
		var all []time.Duration
		for range 1 + random.IntN(50) {
			d := time.Duration(random.IntN(1 << (1 + random.IntN(40))))
			some.add(d)
			all = append(all, words.ThreeDigits(d))
		}
		slices.Sort(all)
		parts := []float64{0, 0.5, 0.95, 0.99, 1}
		for i, got := range some.quantiles(parts...) {
			if want := all[min(int(parts[i]*float64(len(all))), len(all)-1)]; got != want {
				t.Fatalf("%v of %v is %v, want %v", parts[i], all, got, want)
			}
		}
	}
	if got := (times{}).quantiles(0.5); got[0] != 0 {
		t.Errorf("of nothing it is %v", got)
	}
}

// A histogram counts every request once.
func TestHistogram(t *testing.T) {
	all := tally{elapsed: times{}}
	for _, ms := range []int{0, 1, 1, 3, 10, 700, 34000} {
		all.elapsed.add(time.Duration(ms) * time.Millisecond)
	}
	h := all.histogram()
	var got []string
	for _, c := range h.Columns {
		if c.N > 0 {
			got = append(got, fmt.Sprintf("%d up to %s", c.N, c.Text))
		}
	}
	if diff := cmp.Diff([]string{"1 up to 0", "2 up to 1ms", "1 up to 5ms", "1 up to 10ms", "1 up to 1s", "1 up to 50s"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if h.Median != "3ms" || h.Most != "34s" {
		t.Errorf("median %s, longest %s", h.Median, h.Most)
	}
}
