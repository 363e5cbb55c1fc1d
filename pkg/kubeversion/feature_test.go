package kubeversion

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// Features are many, and are added in parallel. In a sorted file, everybody finds them, and nobody adds one twice.
func TestFeaturesAreSorted(t *testing.T) {
	files, err := filepath.Glob("feature_*.go")
	if err != nil {
		t.Fatal(err)
	}
	sorted := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			block, ok := d.(*ast.GenDecl)
			if !ok || block.Tok != token.VAR {
				continue
			}
			last := ""
			for _, spec := range block.Specs {
				feature := spec.(*ast.ValueSpec).Names[0].Name
				if strings.ToLower(feature) < strings.ToLower(last) {
					t.Errorf("%s: %s comes after %s; features are sorted by name", name, feature, last)
				}
				last = feature
				sorted++
			}
		}
	}
	if sorted == 0 {
		t.Error("no features found")
	}
}
