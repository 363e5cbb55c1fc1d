package architecture

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// forOthers lists what packages export only for programs outside of this repository, and what no Example shows.
var forOthers = map[string][]string{
	"pkg/dispatch":   {"BrokenAnswerError", "Trusting"}, // for their own backends
	"pkg/expression": {"AnyPart"},                       // for their own Secrets
}

// mostExported is how many names the packages in pkg/ may export, except for the features of releases in
// pkg/kubeversion, to which every release adds. Including those it was 1,056 before most packages moved to internal. It
// must only ever get smaller.
const mostExported = 311

// An exported name is a promise. So each is used outside its package, or in an Example of the package, or is part of an
// exported declaration, such as the type of a result. All values of an enumeration may be exported.
func TestExportedNames(t *testing.T) {
	sources := parseAll(t, "../..")
	uses := usesOf(sources)
	exported := map[string]*exports{}
	for _, s := range sources {
		if s.isTest || s.tree.Name.Name == "main" || strings.HasPrefix(s.dir, "examples/") {
			continue
		}
		if exported[s.dir] == nil {
			exported[s.dir] = &exports{names: map[string]bool{}, mentioned: map[string]bool{}}
		}
		exported[s.dir].add(s.tree)
	}
	public := 0
	for _, dir := range slices.Sorted(maps.Keys(exported)) {
		e := exported[dir]
		if strings.HasPrefix(dir, "pkg/") {
			public += len(e.names) - e.features
		}
		for _, name := range slices.Sorted(maps.Keys(e.names)) {
			isUsed := uses[use{dir, name}] || e.mentioned[name]
			isExcepted := slices.Contains(forOthers[dir], name)
			switch {
			case !isUsed && !isExcepted:
				t.Errorf("%s.%s is not used outside its package: unexport it, or show it in an Example", dir, name)
			case isUsed && isExcepted:
				t.Errorf("%s.%s is used now: remove the exception", dir, name)
			}
		}
	}
	if public == 0 || public > mostExported {
		t.Errorf("the packages in pkg/ export %d names besides features, want at most %d", public, mostExported)
	}
	t.Logf("the packages in pkg/ export %d names besides features", public)
}

// Each public package has an Example that runs and shows how it is used. Packages below another one are covered by its
// Example.
func TestExamples(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range parseAll(t, "../..") {
		if path.Dir(s.dir) != "pkg" {
			continue
		}
		shown[s.dir] = shown[s.dir] || slices.ContainsFunc(doc.Examples(s.tree), func(e *doc.Example) bool { return e.Output != "" })
	}
	if len(shown) == 0 {
		t.Error("found no packages in pkg/")
	}
	for dir, is := range shown {
		if !is {
			t.Errorf("%s has no Example with an output", dir)
		}
	}
}

type source struct {
	dir    string // below the root, with slashes
	isTest bool
	tree   *ast.File
}

// parseAll parses the Go files of all modules, except for those that are input of tests.
func parseAll(t *testing.T, root string) (all []source) {
	t.Helper()
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || name != root && strings.ContainsAny(d.Name()[:1], "._")): // as the go command does
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".go":
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		tree, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		all = append(all, source{filepath.ToSlash(dir), strings.HasSuffix(name, "_test.go"), tree})
		return err
	})
	if err != nil || len(all) < 100 {
		t.Fatalf("%d Go files: %v", len(all), err)
	}
	return all
}

// A use is a name from an imported package that a file uses.
type use struct{ dir, name string }

func usesOf(all []source) map[use]bool {
	uses := map[use]bool{}
	for _, s := range all {
		imported := map[string]string{}
		for _, i := range s.tree.Imports {
			dir, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module)
			switch {
			case !ours:
			case i.Name != nil:
				imported[i.Name.Name] = dir
			default:
				imported[path.Base(dir)] = dir
			}
		}
		for _, decl := range s.tree.Decls {
			f, _ := decl.(*ast.FuncDecl)
			isExample := f != nil && strings.HasPrefix(f.Name.Name, "Example")
			ast.Inspect(decl, func(n ast.Node) bool {
				if selector, ok := n.(*ast.SelectorExpr); ok {
					if of, ok := selector.X.(*ast.Ident); ok && imported[of.Name] != "" && (imported[of.Name] != s.dir || isExample) {
						uses[use{imported[of.Name], selector.Sel.Name}] = true
					}
				}
				return true
			})
		}
	}
	return uses
}

// exports holds the exported names of a package, and the names that their declarations mention.
type exports struct {
	names     map[string]bool
	mentioned map[string]bool
	features  int // number of names that are features of releases
}

func (e *exports) add(file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				e.name(d.Name)
			}
			if d.Name.IsExported() {
				e.mention(d.Type)
			}
		case *ast.GenDecl:
			e.addSpecs(d)
		}
	}
}

func (e *exports) addSpecs(d *ast.GenDecl) {
	isValue := false // of an enumeration: its type is given on the same line, or (with iota) above
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			e.name(s.Name)
			if s.Name.IsExported() {
				e.mention(s.Type)
			}
		case *ast.ValueSpec:
			if s.Type != nil || len(s.Values) > 0 {
				isValue = d.Tok == token.CONST && isExportedType(s.Type)
			}
			if len(s.Values) == 1 && s.Names[0].IsExported() && isFeature(s.Values[0]) {
				e.features++
			}
			for _, name := range s.Names {
				e.name(name)
				if isValue {
					e.mentioned[name.Name] = true
				}
				if name.IsExported() && s.Type != nil {
					e.mention(s.Type)
				}
			}
		}
	}
}

// isFeature reports whether a value is a kubeversion.Feature, written in that package itself.
func isFeature(e ast.Expr) bool {
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	of, ok := literal.Type.(*ast.Ident)
	return ok && of.Name == "Feature"
}

func isExportedType(e ast.Expr) bool {
	if selector, ok := e.(*ast.SelectorExpr); ok {
		e = selector.Sel
	}
	name, ok := e.(*ast.Ident)
	return ok && name.IsExported()
}

func (e *exports) name(n *ast.Ident) {
	if n.IsExported() {
		e.names[n.Name] = true
	}
}

// mention records the names of types, but not those of fields, methods and parameters.
func (e *exports) mention(declared ast.Node) {
	ast.Inspect(declared, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			e.mention(n.Type)
			return false
		case *ast.SelectorExpr:
			return false
		case *ast.Ident:
			e.mentioned[n.Name] = true
		}
		return true
	})
}
