package pages

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/report/reporttest"
)

// A browser is a headless Chromium, controlled through W3C's WebDriver. Tests are skipped in short mode, and if there
// is no browser, unless ADMSIM_BROWSER=required.
type browser struct {
	t       testing.TB
	session string // its address
}

// openBrowser starts a browser for a test. Preferences are those of Chromium.
func openBrowser(t testing.TB, preferences map[string]any) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes long, and the race detector does not see what it does")
	}
	if preferences == nil {
		preferences = map[string]any{}
	}
	chromium, driver := program(t, "chromium", "chromium-browser", "google-chrome"), program(t, "chromedriver")
	address := startDriver(t, driver)
	b := &browser{t: t, session: address + "/session"}
	var created struct{ SessionID string }
	b.do(http.MethodPost, "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"browserName": "chrome",
		"goog:chromeOptions": map[string]any{
			"binary": chromium,
			"args": []string{
				"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
				"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--window-size=1280,1200", "--user-data-dir=" + t.TempDir(),
			},
			"prefs": preferences,
		},
		"goog:loggingPrefs": map[string]any{"browser": "ALL"},
	}}}, &created)
	b.session += "/" + created.SessionID
	t.Cleanup(func() { b.do(http.MethodDelete, "", nil, nil) })
	return b
}

func program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("ADMSIM_BROWSER") == "required" {
		t.Fatalf("no %s found, and ADMSIM_BROWSER=required", names[0])
	}
	t.Skipf("no %s found: in Debian, apt-get install chromium chromium-driver", names[0])
	return ""
}

func startDriver(t testing.TB, driver string) (address string) {
	t.Helper()
	cmd := exec.Command(driver, "--port=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	started := regexp.MustCompile(`started successfully on port (\d+)`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if port := started.FindStringSubmatch(lines.Text()); port != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return "http://127.0.0.1:" + port[1]
		}
	}
	t.Fatal("chromedriver did not start")
	return ""
}

// do sends one WebDriver command.
func (b *browser) do(method, path string, body, value any) {
	b.t.Helper()
	data := []byte("{}")
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			b.t.Fatal(err)
		}
	}
	req, err := http.NewRequest(method, b.session+path, bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	client := http.Client{Timeout: 2 * time.Minute}
	resp, err := client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		b.t.Fatalf("%s %s: %s", method, path, answer)
	}
	if value == nil {
		return
	}
	var wrapped struct{ Value json.RawMessage }
	if err := json.Unmarshal(answer, &wrapped); err != nil {
		b.t.Fatal(err)
	}
	if err := json.Unmarshal(wrapped.Value, value); err != nil {
		b.t.Fatalf("%s %s: %v: %s", method, path, err, answer)
	}
}

// open shows a page from a file, as a user does who downloaded it from a build.
func (b *browser) open(page string) {
	b.t.Helper()
	file := b.t.TempDir() + "/page.html"
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.do(http.MethodPost, "/url", map[string]any{"url": "file://" + file}, nil)
}

// eval returns the value of a script on the page.
func eval[T any](b *browser, script string, args ...any) (v T) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	b.do(http.MethodPost, "/execute/sync", map[string]any{"script": "return " + script, "args": args}, &v)
	return v
}

// run runs a script on the page.
func (b *browser) run(script string, args ...any) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	b.do(http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": args}, nil)
}

// until waits for something that the page does asynchronously. If it does not happen, later checks fail.
func (b *browser) until(condition string) {
	b.t.Helper()
	for range 100 {
		if eval[bool](b, condition) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// keys types text wherever the focus is. Special keys are those of WebDriver.
func (b *browser) keys(text string) {
	b.t.Helper()
	var actions []map[string]any
	for _, r := range text {
		actions = append(actions, map[string]any{"type": "keyDown", "value": string(r)}, map[string]any{"type": "keyUp", "value": string(r)})
	}
	b.do(http.MethodPost, "/actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}}, nil)
}

const (
	enterKey     = "\ue007"
	escapeKey    = "\ue00c"
	arrowDownKey = "\ue015"
	arrowLeftKey = "\ue012"
)

// click clicks on the first element that a selector finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	for range 3 { // elements that come into view get their real size, and move others
		eval[bool](b, `document.querySelector(arguments[0]).scrollIntoView({block: "center"}) === undefined`, selector)
	}
	b.do(http.MethodPost, "/element/"+b.find(selector)+"/click", nil, nil)
}

func (b *browser) find(selector string) (id string) {
	b.t.Helper()
	var element map[string]string
	b.do(http.MethodPost, "/element", map[string]any{"using": "css selector", "value": selector}, &element)
	for _, id = range element {
	}
	return id
}

// text returns the visible text of an element.
func (b *browser) text(selector string) (text string) {
	b.t.Helper()
	b.do(http.MethodGet, "/element/"+b.find(selector)+"/text", nil, &text)
	return text
}

// scheme shows the page in light or dark mode.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// media shows the page as in "print", or "" for the screen.
func (b *browser) media(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"media": name}, nil)
}

// window sets the size of the window.
func (b *browser) window(width, height int) {
	b.t.Helper()
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// metrics returns Chromium's metrics.
func (b *browser) metrics() map[string]float64 {
	b.t.Helper()
	b.cdp("Performance.enable", map[string]any{}, nil)
	var counted struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	b.cdp("Performance.getMetrics", map[string]any{}, &counted)
	all := map[string]float64{}
	for _, m := range counted.Metrics {
		all[m.Name] = m.Value
	}
	return all
}

// cdp sends a DevTools command, for features that WebDriver does not have.
func (b *browser) cdp(command string, params map[string]any, value any) {
	b.t.Helper()
	b.do(http.MethodPost, "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, value)
}

// complaints returns the messages of the console.
func (b *browser) complaints() (all []string) {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.do(http.MethodPost, "/se/log", map[string]any{"type": "browser"}, &entries)
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%s: %s", e.Level, e.Message))
	}
	return all
}

// screenshot returns a picture of the window; it is kept with the files of the test.
func (b *browser) screenshot(name string) image.Image {
	b.t.Helper()
	var encoded string
	b.do(http.MethodGet, "/screenshot", nil, &encoded)
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		b.t.Fatal(err)
	}
	dir := os.Getenv("ADMSIM_SCREENSHOTS")
	if dir == "" {
		dir = b.t.TempDir()
	}
	if err := os.WriteFile(dir+"/"+name+".png", data, 0o666); err != nil {
		b.t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		b.t.Fatal(err)
	}
	return picture
}

const shownRows = `Array.from(document.querySelectorAll('.row')).filter(r => !r.hidden).map(r => r.querySelector('.name').textContent)`

// A failed case is found by its contents, opened and read, using only the keyboard.
func TestPageFindsFailure(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(suitesPage(t, reporttest.Results(t)))
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
		t.Error("the failed case is not open at first")
	}
	b.keys(arrowDownKey + enterKey) // move to the row, and close it
	if eval[bool](b, `document.querySelector('#r3 details').open`) {
		t.Error("Enter does not close a row")
	}
	b.keys(enterKey)
	body := b.text("#r3 .body")
	for _, want := range []string{"expect.allowed tests/pods.yaml:23", "want true", "got false", "Denied by ValidatingAdmissionWebhook: policy/images.shop.example", reporttest.Hostile[strings.Index(reporttest.Hostile, "</script>"):strings.Index(reporttest.Hostile, " # ")]} {
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
		t.Error("the page does not say that nothing matches")
	}
	if said := b.complaints(); said != nil {
		t.Errorf("the console says %q", said)
	}
}

// An object is shown after any step, or with its whole history.
func TestPageSteps(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(pageOf(t, reporttest.Answers(t, reporttest.Pods)[1:]))
	object := func() string { return eval[string](b, `document.querySelector('pre.object').innerText`) }
	if !strings.Contains(object(), "owner: checkout") {
		t.Errorf("at first the object is incomplete:\n%s", object())
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

// Without scripts, all contents are there, and controls that need a script are not.
func TestPageWithoutScripts(t *testing.T) {
	b := openBrowser(t, map[string]any{"profile.managed_default_content_settings.javascript": 2})
	b.open(suitesPage(t, reporttest.Results(t)))
	light(t, b.screenshot("no-scripts"))
	if b.text("#tools") != "" {
		t.Error("there is a search field that cannot work")
	}
	if body := b.text("#r3 .body"); !strings.Contains(body, "want") || !strings.Contains(body, "The object, step by step") {
		t.Errorf("the failure does not say enough:\n%s", body)
	}
	b.click("#r2 summary")
	if body := b.text("#r2 .body"); !strings.Contains(body, "Admitted") || !strings.Contains(body, "owner: checkout") {
		t.Errorf("what passed does not say enough:\n%s", body)
	}
}

// In light and dark mode, the background fits, and the verdict and its bars have their colours.
func TestPageColours(t *testing.T) {
	b := openBrowser(t, nil)
	b.open(suitesPage(t, reporttest.Results(t)))
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

// blank reports whether hardly anything differs from the background.
func blank(picture image.Image) bool {
	paper := luminance(picture.At(3, 3))
	return part(picture, picture.Bounds(), func(c color.Color) bool { l := luminance(c); return l-paper > 60 || paper-l > 60 }) < 0.005
}

// header returns where an element is on the screen.
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

// part returns which fraction of an area has a colour for which is returns true.
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
