// Package architecture holds the import rules of the map in docs/design.md.
package architecture

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/admsim/admsim/"

// lines is the map, from the bottom up: a package imports any line below its own and
// nothing on it.
var lines = [][]string{
	{"internal/didyoumean"},
	{"pkg/admission", "pkg/cluster", "pkg/kubeversion", "pkg/patch", "pkg/removed"},
	{"pkg/trace", "pkg/discovery", "pkg/expression", "pkg/objects", "pkg/rbac"},
	{"pkg/chain", "pkg/matcher", "pkg/dispatch"},
	{"pkg/plugins", "pkg/plugins/webhook", "pkg/plugins/policy", "pkg/rest"},
	{"pkg/scenario", "pkg/recording", "pkg/simulator"},
	{"pkg/world"},
	{"pkg/suite", "pkg/replay", "pkg/whatif", "pkg/lint"},
	{"pkg/report"},
	{"pkg/admsimtest"},
	{"cmd/admsim", "internal/conformance"},
	{"internal/cmd/conformance"},
}

// doors are the packages through which a foreign world enters: nobody else imports what
// starts with the key.
var doors = map[string][]string{
	"github.com/google/cel-go":                     {"pkg/expression"},
	"k8s.io/apiserver/pkg/cel":                     {"pkg/expression", "pkg/objects"}, // objects: the rules in the schemas of CRDs
	"k8s.io/apiserver/pkg/admission":               {"pkg/expression", "pkg/patch"},
	"k8s.io/apiextensions-apiserver/pkg/apiserver": {"pkg/objects", "pkg/patch"},
	"github.com/evanphx/json-patch":                {"pkg/patch"},
	"sigs.k8s.io/structured-merge-diff":            {"pkg/patch", "pkg/objects"},
	"k8s.io/apimachinery/pkg/util/strategicpatch":  {"pkg/patch"},
	"go.yaml.in/yaml":                              {"pkg/scenario"},
	"sigs.k8s.io/yaml":                             {"pkg/scenario", "pkg/report", "pkg/rest"}, // report only writes it; the body of an apply is YAML
	"k8s.io/pod-security-admission":                {"pkg/plugins"},
	"github.com/spf13/cobra":                       {"cmd/admsim"},
	"crypto/tls":                                   {"pkg/dispatch", "pkg/objects"}, // objects: the key pairs in Secrets,
}

// never are modules that must not be imported at all.
var never = []string{"k8s.io/kubernetes"}

type goPackage struct {
	ImportPath string
	Imports    []string
}

func list(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func lineOf(name string) int {
	return slices.IndexFunc(lines, func(line []string) bool { return slices.Contains(line, name) })
}

func TestImports(t *testing.T) {
	packages := list(t)
	if len(packages) < 10 {
		t.Fatalf("go list found %d packages", len(packages))
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module)
		line := lineOf(name)
		if line < 0 && name != "internal/architecture" {
			t.Errorf("%s is not on the map: give it a line", name)
			continue
		}
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				if lineOf(ours) >= line {
					t.Errorf("%s imports %s, which is not below it", name, ours)
				}
				continue
			}
			checkForeign(t, name, imported)
		}
	}
}

func checkForeign(t *testing.T, name, imported string) {
	t.Helper()
	for door, by := range doors {
		if within(imported, door) && !slices.Contains(by, name) {
			t.Errorf("%s imports %s, which only %s may", name, imported, strings.Join(by, " and "))
		}
	}
	for _, n := range never {
		if within(imported, n) {
			t.Errorf("%s imports %s", name, imported)
		}
	}
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
