package plugins

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/internal/golden"
)

// unreachable lists messages that no scenario can produce, each with the reason.
var unreachable = map[string]string{
	"PodCertificateRequest feature gate is disabled": "without the gate the resource is not served",
	"a request for %s has an object of type %T":      "no denial: admsim's own word for a request that cannot be",
	"a resource slice is of type %T":                 "no denial: a slice is one",
	"expected PodSecurityConfiguration, got %T":      "the decoder knows no other type",
}

// TestMessages checks that every sentence of a plugin, in a denial or elsewhere, occurs in the expected output of a
// scenario or a test. A sentence is a string in the source with two or more spaces; formatted values in it may be
// anything.
func TestMessages(t *testing.T) {
	if golden.Updating() {
		t.Skip("the scenarios are being rewritten")
	}
	wanted := allWanted(t)
	files, err := filepath.Glob("../../internal/plugins/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of plugins, %v", len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, s := range sentences(t, file) {
			if _, known := unreachable[s.text]; known || s.in.MatchString(wanted) {
				continue
			}
			t.Errorf("%s:%d: no scenario produces %q", file, s.line, s.text)
		}
	}
}

type sentence struct {
	line int
	text string
	in   *regexp.Regexp
}

var verb = regexp.MustCompile(`%[#+]?[a-z]`)

func sentences(t *testing.T, file string) (all []sentence) {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if _, isImport := n.(*ast.ImportSpec); isImport {
			return false
		}
		if isOurs(n) {
			return false
		}
		lit, ok := n.(*ast.BasicLit)
		if !ok || lit.Kind != token.STRING || strings.HasPrefix(lit.Value, "`") {
			return true
		}
		text, err := strconv.Unquote(lit.Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(text, " ") >= 2 {
			all = append(all, sentence{files.Position(lit.Pos()).Line, text, patternOf(text)})
		}
		return true
	})
	return all
}

// isOurs reports whether a message is for admsim's own authors: a panic, or an error that is not a denial and means an
// impossible request.
func isOurs(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return false
	}
	name, ok := call.Fun.(*ast.Ident)
	return ok && name.Name == "panic"
}

// patternOf returns a pattern for a text in which the verbs are replaced by values.
func patternOf(text string) *regexp.Regexp {
	parts := verb.Split(text, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile(strings.Join(parts, "[^\n]*"))
}

func allWanted(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	scenarios, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range scenarios {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "want" {
				b.Write(f.Data)
			}
		}
	}
	tests, err := filepath.Glob("../../internal/plugins/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range slices.Concat(own, tests) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}
