package architecture

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var requirement = regexp.MustCompile(`(?m)^(?:require)?\s+(\S+\.\S+) (v\S+)`)

// The modules of the repository require what they share with the main module in the same version. With another version
// of golang.org/x/net alone, nearly all of Kubernetes' libraries are compiled a second time, which takes CI four
// minutes.
func TestModulesShareVersions(t *testing.T) {
	root := filepath.Join("..", "..")
	main, n := requirements(t, filepath.Join(root, "go.mod")), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() != "go.mod" {
			return err
		}
		n++
		for module, version := range requirements(t, path) {
			if want, shared := main[module]; shared && version != want {
				t.Errorf("%s has %s in %s, the main module in %s: run go get %s@VERSION if that is older, then go mod tidy in all modules", path, module, version, want, module)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 2 || len(main) == 0 {
		t.Errorf("only %d modules with %d requirements found", n, len(main))
	}
}

// requirements returns the versions of modules that a go.mod requires.
func requirements(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, m := range requirement.FindAllStringSubmatch(string(text), -1) {
		all[m[1]] = m[2]
	}
	return all
}
