package harvest

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// instrumented are the folders whose functions say what they are given, by module. The rest of a
// release has functions of these names, too, but none that is given whole objects by tests.
var instrumented = map[string][]string{
	"k8s.io/kubernetes":              {"pkg/apis", "pkg/registry", "pkg/api/testing"},
	"k8s.io/apiextensions-apiserver": {"pkg/apis", "pkg/registry/customresourcedefinition"},
}

// validating are the names of functions that are given the objects of a request.
var validating = regexp.MustCompile(`^([Vv]alidate|Verify|PrepareFor|WarningsOn)`)

// instrumentFolder rewrites the Go files below a folder in place.
func instrumentFolder(root, folder string) (functions int, err error) {
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		// What is generated calls what is written by hand, or is called by it.
		if strings.HasPrefix(entry.Name(), "zz_generated") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		directory, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		changed, n, err := instrument(filepath.ToSlash(directory), text)
		if err != nil || n == 0 {
			return err
		}
		functions += n
		return os.WriteFile(name, changed, 0o644)
	})
	return functions, err
}

// instrument makes every function of a file that validates call calls.Given first. No line of the
// file moves.
func instrument(directory string, text []byte) (changed []byte, functions int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	var b bytes.Buffer
	done := 0
	insert := func(after token.Pos, what string) {
		offset := fset.Position(after).Offset
		b.Write(text[done:offset])
		b.WriteString(what)
		done = offset
	}
	insert(file.Name.End(), `; import admsimcalls "admsim.example/harvest/calls"`)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || !validating.MatchString(f.Name.Name) {
			continue
		}
		names := objectParameters(f.Type.Params)
		if len(names) == 0 {
			continue
		}
		insert(f.Body.Lbrace+1, fmt.Sprintf(" admsimcalls.Given(%q, %q, %s);", directory+":"+nameOf(f), strings.Join(names, ","), strings.Join(names, ", ")))
		functions++
	}
	b.Write(text[done:])
	return b.Bytes(), functions, nil
}

// objectParameters are the names of those parameters that can be an object, and of the context; none if
// no parameter can be an object.
func objectParameters(list *ast.FieldList) (names []string) {
	objects := 0
	for _, p := range list.List {
		object := false
		switch t := p.Type.(type) {
		case *ast.StarExpr:
			switch t.X.(type) {
			case *ast.Ident, *ast.SelectorExpr:
				object = true
			}
		case *ast.SelectorExpr:
			switch from, _ := t.X.(*ast.Ident); {
			case from != nil && from.Name == "runtime" && t.Sel.Name == "Object":
				object = true
			case from != nil && from.Name == "context" && t.Sel.Name == "Context":
			default:
				continue
			}
		default:
			continue
		}
		for _, name := range p.Names {
			if name.Name == "_" {
				continue
			}
			names = append(names, name.Name)
			if object {
				objects++
			}
		}
	}
	if objects == 0 {
		return nil
	}
	return names
}

// nameOf is the name of a function, or of a method with its type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if of, ok := t.(*ast.Ident); ok {
		return of.Name + "." + f.Name.Name
	}
	return f.Name.Name
}
