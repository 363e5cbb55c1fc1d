package report

import (
	"image"
	"image/color"
	"strings"
	"testing"
)

const shownRows = `Array.from(document.querySelectorAll('.row')).filter(r => !r.hidden).map(r => r.querySelector('.name').textContent)`

// A case that failed is found by what is in it, opened and read, with the keyboard alone.
func TestPageFindsFailure(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(suitesPage(t, results(t)))
	if n := len(eval[[]string](b, shownRows)); n != 6 {
		t.Fatalf("%d rows", n)
	}
	b.keys("/expect.allowed")
	b.until(`document.querySelector('#count').textContent === '1 of 6 cases'`)
	if rows := eval[[]string](b, shownRows); len(rows) != 1 || rows[0] != "pods/denied[fault=timeout]" {
		t.Errorf("expect.allowed finds %q", rows)
	}
	if count := b.text("#count"); count != "1 of 6 cases" {
		t.Errorf("the count says %q", count)
	}
	if !eval[bool](b, `document.querySelector('#r3 details').open`) {
		t.Error("what failed is not open at first")
	}
	b.keys(arrowDownKey + enterKey) // to the row, and closed
	if eval[bool](b, `document.querySelector('#r3 details').open`) {
		t.Error("Enter does not close a row")
	}
	b.keys(enterKey)
	body := b.text("#r3 .body")
	for _, want := range []string{"expect.allowed tests/pods.yaml:23", "want true", "got false", "Denied by ValidatingAdmissionWebhook: policy/images.shop.example", hostile[strings.Index(hostile, "</script>"):strings.Index(hostile, " # ")]} {
		if !strings.Contains(strings.Join(strings.Fields(body), " "), want) {
			t.Errorf("the row does not say %q:\n%s", want, body)
		}
	}
	b.keys(escapeKey)
	if n := len(eval[[]string](b, shownRows)); n != 6 {
		t.Errorf("after Escape there are %d rows", n)
	}
	b.click(`[data-outcome="passed"]`)
	if rows := eval[[]string](b, shownRows); len(rows) != 1 || rows[0] != "pods/allowed" {
		t.Errorf("passed are %q", rows)
	}
	b.keys("/nothing like it")
	b.until(`!document.querySelector('#none').hidden`)
	if b.text("#none") == "" {
		t.Error("that nothing fits is not said")
	}
	if said := b.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

// An object is shown as anybody left it, or with its whole history.
func TestPageSteps(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(pageOf(t, answers(t, pods)[1:]))
	object := func() string { return eval[string](b, `document.querySelector('pre.object').innerText`) }
	if !strings.Contains(object(), "owner: checkout") {
		t.Errorf("at first not all is there:\n%s", object())
	}
	b.click(".versions > li")
	if text := object(); strings.Contains(text, "owner: checkout") || strings.Contains(text, "name: proxy") || !strings.Contains(text, "image: nginx") {
		t.Errorf("as sent it is\n%s", text)
	}
	b.click(".versions > li:nth-child(5)")
	if text := object(); !strings.Contains(text, "owner: checkout") || strings.Contains(text, "name: proxy") {
		t.Errorf("as defaults/owner.shop.example left it it is\n%s", text)
	}
	b.keys(arrowLeftKey)
	if checked := eval[string](b, `document.querySelector('[aria-checked="true"]').dataset.v`); checked != "3" {
		t.Errorf("the arrow leads to version %s", checked)
	}
	if said := b.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

// Without scripts everything is there, and what would need one is not.
func TestPageWithoutScripts(t *testing.T) {
	b := openBrowser(t, map[string]any{"profile.managed_default_content_settings.javascript": 2})
	b.open(suitesPage(t, results(t)))
	light(t, b.screenshot("no-scripts"))
	if b.text("#tools") != "" {
		t.Error("there is a search that cannot search")
	}
	if body := b.text("#r3 .body"); !strings.Contains(body, "want") || !strings.Contains(body, "The object, step by step") {
		t.Errorf("the failure does not say enough:\n%s", body)
	}
	b.click("#r2 summary")
	if body := b.text("#r2 .body"); !strings.Contains(body, "Admitted") || !strings.Contains(body, "owner: checkout") {
		t.Errorf("what passed does not say enough:\n%s", body)
	}
}

// Light and dark, each has its paper, and the verdict and its bars are in their colours.
func TestPageColours(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(suitesPage(t, results(t)))
	b.scheme("light")
	light(t, b.screenshot("light"))
	b.scheme("dark")
	picture := b.screenshot("dark")
	if l := luminance(picture.At(3, 3)); l > 60 {
		t.Errorf("dark paper has luminance %d", l)
	}
	if part(picture, header(b, "h1"), isRed) < 0.02 {
		t.Error("in the dark the verdict is not red")
	}
	if said := b.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

// light checks the picture of a page of failures.
func light(t *testing.T, picture image.Image) {
	t.Helper()
	if l := luminance(picture.At(3, 3)); l < 240 {
		t.Errorf("light paper has luminance %d", l)
	}
	if ink := part(picture, picture.Bounds(), func(c color.Color) bool { return luminance(c) < 140 }); ink < 0.01 || ink > 0.3 {
		t.Errorf("%.1f %% of the page is ink", 100*ink)
	}
	if red := part(picture, image.Rect(0, 0, 1280, 130), isRed); red < 0.005 {
		t.Errorf("the verdict is not red: %.2f %%", 100*red)
	}
}

// blank tells whether hardly anything differs from the paper.
func blank(picture image.Image) bool {
	paper := luminance(picture.At(3, 3))
	return part(picture, picture.Bounds(), func(c color.Color) bool { l := luminance(c); return l-paper > 60 || paper-l > 60 }) < 0.005
}

// header is where an element is on the screen.
func header(b *browser, selector string) image.Rectangle {
	r := eval[map[string]float64](b, `document.querySelector(arguments[0]).getBoundingClientRect().toJSON()`, selector)
	return image.Rect(int(r["left"]), int(r["top"]), int(r["left"])+400, int(r["bottom"]))
}

func luminance(c color.Color) int {
	r, g, b, _ := c.RGBA()
	return int(299*(r>>8)+587*(g>>8)+114*(b>>8)) / 1000
}

func isRed(c color.Color) bool {
	r, g, b, _ := c.RGBA()
	return r>>8 > 140 && r > g+g/3 && r > b+b/3
}

// part is how much of an area is so.
func part(picture image.Image, area image.Rectangle, is func(color.Color) bool) float64 {
	area = area.Intersect(picture.Bounds())
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if is(picture.At(x, y)) {
				n++
			}
		}
	}
	return float64(n) / float64(max(area.Dx()*area.Dy(), 1))
}
