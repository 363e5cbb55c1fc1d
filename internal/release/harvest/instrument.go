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
	"slices"
	"strings"
)

// instrumented lists the folders whose functions are instrumented, by module. The rest of a release also has functions
// with these names, but tests do not pass whole objects to them.
var instrumented = map[string][]string{
	"k8s.io/kubernetes":              {"pkg/apis", "pkg/registry", "pkg/api/testing"},
	"k8s.io/apiextensions-apiserver": {"pkg/apis", "pkg/registry/customresourcedefinition", "pkg/apiserver/schema", "pkg/apiserver/validation"},
	podSecurity:                      {"policy"},
}

// ofSchemas lists the functions that take the schema of custom resources or a custom resource, by folder.
var ofSchemas = map[string][]string{

	"pkg/apiserver/schema/cel":        {"NewValidator", "Validator.Validate", "Compile"},
	"pkg/apiserver/schema/defaulting": {"Default", "ValidateDefaults", "PruneNonNullableNullsWithoutDefaults"},
	"pkg/apiserver/schema/listtype":   {"ValidateListSetsAndMaps"},
	"pkg/apiserver/schema/objectmeta": {"Validate", "Coerce", "CoerceWithOptions"},
	"pkg/apiserver/schema/pruning":    {"Prune", "PruneWithOptions"},
	"pkg/apiserver/validation":        {"NewSchemaValidatorForVersion", "ValidateCustomResource", "ValidateCustomResourceUpdate"},
}

// validating matches the names of functions that take the objects of a request.
var validating = regexp.MustCompile(`^([Vv]alidate|Verify|PrepareFor|WarningsOn)`)

// instrumentFolder rewrites the Go files in a folder and its subfolders in place.
func instrumentFolder(root, folder string) (functions int, err error) {
	err = filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		// Generated functions call handwritten ones, or are called by them.
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

// instrument makes the validating functions of a file record their arguments first. No line of the file moves.
func instrument(directory string, text []byte) (changed []byte, functions int, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, 0, err
	}
	var b bytes.Buffer
	done := 0
	insert := func(at token.Pos, what string, instead int) {
		offset := fset.Position(at).Offset
		b.Write(text[done:offset])
		b.WriteString(what)
		done = offset + instead
	}
	insert(file.Name.End(), `; import admsimcalls "admsim.example/harvest/calls"`, 0)
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		call, isObject := "Given", givesObject
		switch {
		case directory == "policy":
			call, isObject = "OfPod", givesPart
		case slices.Contains(ofSchemas[directory], nameOf(f)):
			call, isObject = "OfSchema", givesCustom
		case strings.HasPrefix(directory, "pkg/apiserver/") || !validating.MatchString(f.Name.Name):
			continue
		}
		parameters, any := objectParameters(f.Type.Params, isObject)
		if !any || call == "OfPod" && len(parameters) != 2 {
			continue
		}
		var names []string
		for _, p := range parameters {
			name := p.Name
			if name == "_" {
				name = fmt.Sprintf("admsim%d", len(names))
				insert(p.Pos(), name, len("_"))
			}
			names = append(names, name)
		}
		insert(f.Body.Lbrace+1, fmt.Sprintf(" admsimcalls.%s(%q, %q, %s);", call, directory+":"+nameOf(f), strings.Join(names, ","), strings.Join(names, ", ")), 0)
		functions++
	}
	b.Write(text[done:])
	return b.Bytes(), functions, nil
}

// objectParameters returns the parameters that can be an object or are a context, and whether any of them can be an
// object.
func objectParameters(list *ast.FieldList, isObject func(ast.Expr) bool) (parameters []*ast.Ident, any bool) {
	for _, p := range list.List {
		object := isObject(p.Type)
		if object || isNamed(p.Type, "context", "Context") {
			parameters = append(parameters, p.Names...)
			any = any || object && len(p.Names) > 0
		}
	}
	return parameters, any
}

func givesObject(t ast.Expr) bool {
	if star, ok := t.(*ast.StarExpr); ok {
		switch star.X.(type) {
		case *ast.Ident, *ast.SelectorExpr:
			return true
		}
		return false
	}
	return isNamed(t, "runtime", "Object")
}

// givesCustom also accepts custom resources, which have no type of their own.
func givesCustom(t ast.Expr) bool {
	switch t.(type) {
	case *ast.InterfaceType, *ast.MapType:
		return true
	}
	return givesObject(t)
}

// givesPart accepts the two parts of a pod that a check gets.
func givesPart(t ast.Expr) bool {
	star, ok := t.(*ast.StarExpr)
	return ok && (isNamed(star.X, "metav1", "ObjectMeta") || isNamed(star.X, "corev1", "PodSpec"))
}

func isNamed(t ast.Expr, from, name string) bool {
	selector, ok := t.(*ast.SelectorExpr)
	if !ok || selector.Sel.Name != name {
		return false
	}
	x, ok := selector.X.(*ast.Ident)
	return ok && x.Name == from
}

// nameOf returns the name of a function, or of a method with its type.
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
