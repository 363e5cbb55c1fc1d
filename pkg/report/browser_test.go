package report

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"
)

// A browser is a headless Chromium, driven by what W3C's WebDriver says. Without one tests
// are skipped, unless ADMSIM_BROWSER=required.
type browser struct {
	t       testing.TB
	session string // its address
}

// openBrowser starts one of its own for a test. Preferences are Chromium's.
func openBrowser(t testing.TB, preferences map[string]any) *browser {
	t.Helper()
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

// do sends one command of WebDriver.
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

// open shows a page, from a file as somebody would who took it from a build.
func (b *browser) open(page string) {
	b.t.Helper()
	file := b.t.TempDir() + "/page.html"
	if err := os.WriteFile(file, []byte(page), 0o666); err != nil {
		b.t.Fatal(err)
	}
	b.do(http.MethodPost, "/url", map[string]any{"url": "file://" + file}, nil)
}

// eval returns what a script says of the page.
func eval[T any](b *browser, script string, args ...any) (v T) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	b.do(http.MethodPost, "/execute/sync", map[string]any{"script": "return " + script, "args": args}, &v)
	return v
}

// run has the page do something.
func (b *browser) run(script string, args ...any) {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	b.do(http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": args}, nil)
}

// until waits for what the page does on its own time. What does not come about is for the
// checks behind it to tell.
func (b *browser) until(condition string) {
	b.t.Helper()
	for range 100 {
		if eval[bool](b, condition) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// keys are typed wherever the focus is. Special ones are those of WebDriver.
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

// click is on the first element that a selector finds.
func (b *browser) click(selector string) {
	b.t.Helper()
	for range 3 { // what comes into view gets its real size, and moves the others
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

// text is what a reader sees of an element.
func (b *browser) text(selector string) (text string) {
	b.t.Helper()
	b.do(http.MethodGet, "/element/"+b.find(selector)+"/text", nil, &text)
	return text
}

// scheme has the page shown in light or dark.
func (b *browser) scheme(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": name}}}, nil)
}

// media has it shown as on "print", or "" on the screen.
func (b *browser) media(name string) {
	b.t.Helper()
	b.cdp("Emulation.setEmulatedMedia", map[string]any{"media": name}, nil)
}

// window makes it so large.
func (b *browser) window(width, height int) {
	b.t.Helper()
	b.cdp("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// metrics are what Chromium counts.
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

// cdp sends a command of the DevTools, for what WebDriver does not know.
func (b *browser) cdp(command string, params map[string]any, value any) {
	b.t.Helper()
	b.do(http.MethodPost, "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, value)
}

// complaints are what the console shows.
func (b *browser) complaints() (all []string) {
	b.t.Helper()
	var entries []struct{ Level, Message string }
	b.do(http.MethodPost, "/se/log", map[string]any{"type": "browser"}, &entries)
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%s: %s", e.Level, e.Message))
	}
	return all
}

// screenshot is what is in the window; it is kept with the files of the test.
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
