package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// The site of our documentation has no broken links, and loads nothing from the network.
func TestSite(t *testing.T) {
	site := t.TempDir()
	pages, err := build("../..", site)
	if err != nil {
		t.Fatal(err)
	}
	if pages < 45 {
		t.Errorf("%d pages", pages)
	}
	for _, err := range problems("../..", site) {
		t.Error(err)
	}
	for name, wants := range map[string][]string{
		"index.html":             {"<title>admsim: ", `href="tutorials/ci.html"`, `aria-current="page">What admsim is`},
		"tutorials/ci.html":      {`href="../style.css"`, `<div class="file">world/policy.yaml</div>`, `<span class="prompt">$ </span>`, `<a class="next"`},
		"reference/plugins.html": {`id="limitranger"`},
		"index.js":               {`"a":"suite.html#expectations"`},
		"style.css":              {":root[data-theme=dark] {\n"},
	} {
		for _, want := range wants {
			if !strings.Contains(read(t, site, name), want) {
				t.Errorf("%s has no %s", name, want)
			}
		}
	}
	for _, name := range []string{"style.css", "site.js"} {
		if found := regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]|url\(|@import`).FindString(read(t, site, name)); found != "" {
			t.Errorf("%s has %q: pages must not load anything from the network", name, found)
		}
	}
}

// Problems in a site are reported.
func TestProblems(t *testing.T) {
	repository, site := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"a.html": `<h2 id="one">1</h2><h2 id="two">2</h2><h2 id="two">2</h2><a href="b.html#here">b</a><a href="#one">1</a>
<a href="sub/c.html">c</a><a href="b.html#nowhere">b</a><a href="#nowhere">1</a><a href="missing.html">m</a>
<script src="https://cdn.example/x.js"></script><img src="//cdn.example/x.png"><a href="https://example.com/">fine</a>
<a href="https://github.com/admsim/admsim/blob/main/LICENSE">fine</a><a href="https://github.com/admsim/admsim/tree/main/gone">gone</a>`,
		"b.html":     `<p id="here">x</p>`,
		"sub/c.html": `<a href="../a.html#one">a</a><a href="a.html">a</a>`,
	} {
		if err := write(site, name, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(repository, "LICENSE", ""); err != nil {
		t.Fatal(err)
	}
	want := `a.html: there are two parts called #two
a.html: b.html#nowhere has no such part
a.html: #nowhere has no such part
a.html: missing.html does not exist
a.html: <script> loads https://cdn.example/x.js from the network
a.html: <img> loads //cdn.example/x.png from the network
a.html: the repository has no gone
sub/c.html: a.html does not exist
`
	var got strings.Builder
	for _, err := range problems(repository, site) {
		got.WriteString(err.Error() + "\n")
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
}

// A page that is missing in the navigation is an error, and so is a link to a file that does not exist.
func TestBuildFails(t *testing.T) {
	for name, want := range map[string]string{
		"docs/new.md": "docs/new.md is in no section of the site",
		"README.md":   "README.md: links to missing.md, which does not exist",
	} {
		repository := t.TempDir()
		for _, s := range sections {
			for _, entry := range s.pages {
				source, _, _ := strings.Cut(entry, " ")
				if err := write(repository, source, "# A page\n"); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := write(repository, name, "# New\n\n[to](missing.md)\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := build(repository, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// HTML in a page is text, and the commands of a session are distinguished from their output.
func TestRender(t *testing.T) {
	repository := t.TempDir()
	source := strings.ReplaceAll("# On `a` & [b](b.md)\n\n<script>x</script> <b>bold</b>\n\n'''console\n$ echo '<a>' \\\n  b\n<a> b\n'''\n", "'''", "```")
	if err := write(repository, "docs/a.md", source); err != nil {
		t.Fatal(err)
	}
	p := page{Source: "docs/a.md", Address: "sub/a.html"}
	if err := p.render(repository, map[string]string{"docs/b.md": "b.html"}); err != nil {
		t.Fatal(err)
	}
	body := string(p.Body)
	for _, want := range []string{
		`<h1 id="on-a--b">`, `<a href="../b.html">b</a>`, `<span class="prompt">$ </span><span class="command">`,
		`<span class="output">&lt;a&gt; b` + "\n</span>",
	} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in\n%s", want, body)
		}
	}
	for _, never := range []string{"<script>", "<b>"} {
		if strings.Contains(body, never) {
			t.Errorf("unexpected %s in\n%s", never, body)
		}
	}
	if p.Title != "On a & b" {
		t.Errorf("title %q", p.Title)
	}
}

// In a browser, the search finds parts of pages, the best first, and code blocks can be copied.
func TestInBrowser(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("ADMSIM_BROWSER") == "required" {
			t.Fatal(err)
		}
		t.Skip("no chromium found: in Debian, apt-get install chromium")
	}
	site := t.TempDir()
	if _, err := build("../..", site); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
		"--user-data-dir="+t.TempDir(), "--virtual-time-budget=5000", "--dump-dom", "file://"+filepath.Join(site, "tutorials", "ci.html")+"?q=Fault")
	c.WaitDelay = time.Second
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	dom := string(out)
	if !regexp.MustCompile(`<ol id="site-results"><li><a href="\.\./(reference/formats|serve)\.html#faults?"><b>Faults?<`).MatchString(dom) {
		_, found, _ := strings.Cut(dom, `<ol id="site-results"`)
		t.Errorf("the search found first: %.600s", found)
	}
	for _, want := range []string{"<mark>", `class="self"`, `<button class="copy"`} {
		if !strings.Contains(dom, want) {
			t.Errorf("the script has not created %s", want)
		}
	}
}

func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A site replaces an earlier site, and nothing else.
func TestNothingIsLost(t *testing.T) {
	folder := t.TempDir()
	if err := write(folder, "thesis.txt", "years of work"); err != nil {
		t.Fatal(err)
	}
	if _, err := build("../..", folder); err == nil || !strings.Contains(err.Error(), "is not a site") {
		t.Errorf("the error about a folder with other files: %v", err)
	}
	if got := read(t, folder, "thesis.txt"); got != "years of work" {
		t.Errorf("the file is now %q", got)
	}
	if err := write(folder, scriptFile, script); err != nil {
		t.Fatal(err)
	}
	if err := clearSite(folder); err != nil {
		t.Errorf("a site is not replaced: %v", err)
	}
}
