package architecture

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/golden"
)

// book is the folder of the rules that comments and tests cite: docs/rules/README.md.
const book = "docs/rules"

// A rule is a paragraph of the book.
type rule struct {
	id      string
	file    string
	sources []string
	shownBy []string // recordings, and path suffixes of test files
}

// noRules lists the prefixes of what looks like a rule but is not, such as SHA-256.
var noRules = []string{"KEP", "P", "SHA", "UTF"}

var (
	// ruleParagraph is `**W-217.** What happens. Source: …. Shown by: ….`
	ruleParagraph = regexp.MustCompile(`^\*\*([A-Z]{1,4}-\d{2,3}[a-z]?)\.\*\* .+ Source: (.+)\. Shown by: (.+)\.$`)
	inBackquotes  = regexp.MustCompile("^`([^`]+)`$")
	upstreamFile  = regexp.MustCompile(`^[a-z]+/[a-z-]+(@v\d+\.\d+\.\d+)?:[a-z][\w./-]*\.go$`)
	// cited matches a rule, or the first and last of a range: W-217 to W-230, W-217..W-230, which may be split over two
	// lines.
	cited = regexp.MustCompile(`\b([A-Z]{1,4})-(\d{2,3})([a-z]?)\b(?:\s*(?:to|\.\.)\s*(?://\s*)?([A-Z]{1,4})-(\d{2,3})\b)?`)
)

// TestRules compares the book with what cites it: every citation is of a rule in the book, and every rule has its
// source and names the recording that shows it, or a test that cites it.
func TestRules(t *testing.T) {
	root := filepath.Join("..", "..")
	rules := readBook(t, root)
	defined := map[string]bool{}
	for _, r := range rules {
		if defined[r.id] {
			t.Errorf("%s: %s exists twice", r.file, r.id)
		}
		defined[r.id] = true
	}

	golden.Section(t, filepath.Join(root, book, "README.md"),
		"<!-- prefixes: made by go test ./internal/architecture -run Rules -update -->", "<!-- end of prefixes -->", prefixes(rules))

	published := publishedModules(t)
	citing := citations(t, root, defined)
	for id, files := range citing {
		if prefix, _, _ := strings.Cut(id, "-"); !defined[id] && !slices.Contains(noRules, prefix) {
			t.Errorf("%s: cites %s, which %s does not have", strings.Join(files, ", "), id, book)
		}
	}
	for _, r := range rules {
		for _, s := range r.sources {
			if !upstreamFile.MatchString(s) {
				t.Errorf("%s: %s comes from %q; want owner/repository:path/of/file.go", r.file, r.id, s)
				continue
			}
			repository, path, _ := strings.Cut(s, ":")
			if folder := published[repository]; folder != "" {
				if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(path))); err != nil {
					t.Errorf("%s: %s comes from %s, which this release does not have: %v", r.file, r.id, s, err)
				}
			}
		}
		for _, name := range r.shownBy {
			if !isRecording(root, name) && !slices.ContainsFunc(citing[r.id], func(file string) bool { return isTest(file) && strings.HasSuffix("/"+file, "/"+name) }) {
				t.Errorf("%s: %s is shown by %q, which is no recording and no test that cites it", r.file, r.id, name)
			}
		}
	}
}

// prefixes returns a table of the prefixes of rules: their files, and the highest number.
func prefixes(rules []rule) string {
	type row struct {
		files   []string
		highest string
	}
	rows := map[string]*row{}
	for _, r := range rules {
		prefix, number, _ := strings.Cut(r.id, "-")
		if rows[prefix] == nil {
			rows[prefix] = &row{}
		}
		of := rows[prefix]
		of.highest = max(of.highest, strings.TrimRight(number, "abcdefghijklmnopqrstuvwxyz"))
		if link := fmt.Sprintf("[%s](%s)", r.file, r.file); !slices.Contains(of.files, link) {
			of.files = append(of.files, link)
		}
	}
	table := "| prefix | file | highest number |\n|---|---|---|\n"
	for _, prefix := range slices.Sorted(maps.Keys(rows)) {
		table += fmt.Sprintf("| %s | %s | %s |\n", prefix, strings.Join(rows[prefix].files, ", "), rows[prefix].highest)
	}
	return table
}

// readBook returns the rules in all files of the book, and reports paragraphs that are malformed or out of order.
func readBook(t *testing.T, root string) []rule {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, book, "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules in %s: %v", book, err)
	}
	var rules []rule
	for _, file := range files {
		if filepath.Base(file) == "README.md" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		last := map[string]string{} // last number of each prefix
		for paragraph := range strings.SplitSeq(string(text), "\n\n") {
			if !strings.HasPrefix(paragraph, "**") || !strings.Contains(paragraph, ".**") {
				continue
			}
			paragraph = strings.Join(strings.Fields(paragraph), " ")
			m := ruleParagraph.FindStringSubmatch(paragraph)
			if m == nil {
				t.Errorf("%s: want **ID.** Text. Source: `…`. Shown by: `…`.\n%s", file, paragraph)
				continue
			}
			r := rule{id: m[1], file: filepath.Base(file), sources: names(m[2]), shownBy: names(m[3])}
			if r.sources == nil || r.shownBy == nil {
				t.Errorf("%s: %s: want names in backquotes, with commas between them", file, r.id)
			}
			prefix, number, _ := strings.Cut(r.id, "-")
			if number <= last[prefix] {
				t.Errorf("%s: %s comes after %s-%s", file, r.id, prefix, last[prefix])
			}
			last[prefix] = number
			rules = append(rules, r)
		}
	}
	return rules
}

// names returns the names in a list such as `a`, `b`, or nil if it is not such a list.
func names(list string) []string {
	var found []string
	for item := range strings.SplitSeq(list, ", ") {
		m := inBackquotes.FindStringSubmatch(item)
		if m == nil {
			return nil
		}
		found = append(found, m[1])
	}
	return found
}

// citations returns, for each rule that is cited anywhere, the files that cite it.
func citations(t *testing.T, root string, defined map[string]bool) map[string][]string {
	t.Helper()
	citing := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == "bin" || name == "recorded" {
				return fs.SkipDir
			}
			return nil
		}
		if ext := filepath.Ext(path); ext != ".go" && ext != ".txtar" && ext != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		path = strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(root)+"/")
		for _, id := range citedIn(string(text), defined) {
			if !slices.Contains(citing[id], path) {
				citing[id] = append(citing[id], path)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return citing
}

// citedIn returns the rules that a text cites. The rules between the ends of a range are included if they are defined.
func citedIn(text string, defined map[string]bool) []string {
	var ids []string
	for _, m := range cited.FindAllStringSubmatch(text, -1) {
		prefix, first := m[1], m[2]
		ids = append(ids, prefix+"-"+first+m[3])
		if m[4] == "" {
			continue
		}
		ids = append(ids, m[4]+"-"+m[5])
		from, _ := strconv.Atoi(first)
		to, _ := strconv.Atoi(m[5])
		for i := from + 1; m[4] == prefix && i < to; i++ {
			if id := fmt.Sprintf("%s-%0*d", prefix, len(first), i); defined[id] {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// publishedModules returns the folders of the Kubernetes repositories that admsim is built with.
func publishedModules(t *testing.T) map[string]string {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Path}} {{.Dir}}", "k8s.io/api", "k8s.io/apiextensions-apiserver",
		"k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/client-go", "k8s.io/pod-security-admission", "gopkg.in/evanphx/json-patch.v4")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		repository := strings.Replace(path, "k8s.io/", "kubernetes/", 1)
		repository = strings.Replace(repository, "gopkg.in/evanphx/json-patch.v4", "evanphx/json-patch", 1)
		folders[repository] = folder
	}
	return folders
}

func isTest(path string) bool {
	return strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata/")
}

func isRecording(root, name string) bool {
	for _, folder := range []string{"", "releases"} {
		if _, err := os.Stat(filepath.Join(root, "testdata", "recorded", folder, filepath.FromSlash(name)+".json")); err == nil {
			return true
		}
	}
	return false
}
