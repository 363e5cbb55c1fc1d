package architecture

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withoutSource lists the packages below internal/objects that do not follow a file of Kubernetes: building blocks of
// rules, rules that are declared with the types, and lists.
var withoutSource = []string{"internal/objects/rules", "internal/objects/declared", "internal/objects/generic", "internal/objects/kinds"}

// The rules of a kind start with the files of Kubernetes that they follow, so that both can be read side by side.
func TestRulesNameTheirSource(t *testing.T) {
	published := publishedModules(t)
	n := 0
	for _, p := range list(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		if !strings.HasPrefix(name, "internal/objects/") || slices.Contains(withoutSource, name) {
			continue
		}
		for _, file := range p.GoFiles {
			if file == "kinds.go" { // lists the content of the package
				continue
			}
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			head, _, _ := strings.Cut(string(text), "\n\n")
			for line := range strings.Lines(head) {
				source := strings.TrimSpace(strings.TrimPrefix(line, "//"))
				if !strings.HasPrefix(line, "// ") || !upstreamFile.MatchString(source) {
					t.Errorf("%s/%s starts with %q; want the file of Kubernetes that it follows, as owner/repository:path/of/file.go", name, file, strings.TrimSpace(line))
					break
				}
				n++
				repository, path, _ := strings.Cut(source, ":")
				if folder := published[repository]; folder != "" {
					if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(path))); err != nil {
						t.Errorf("%s/%s follows %s, which this release does not have", name, file, source)
					}
				}
			}
		}
	}
	if n == 0 {
		t.Error("no file names its source")
	}
}
