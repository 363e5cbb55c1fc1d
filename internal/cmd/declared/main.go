// Command declared writes the rules that are declared with the types of k8s.io/api, as tags in their comments
// (+k8s:required), into the table that internal/objects/declared interprets. Its first argument is the folder of
// k8s.io/api. Further arguments limit it to some packages:
//
//	make declared
//	make declared-former FROM=0.36.3 PACKAGES=scheduling/v1alpha2
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: declared DIRECTORY [PACKAGE...]")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], os.Args[2:]...); err != nil {
		fmt.Fprintln(os.Stderr, "declared: error:", err)
		os.Exit(1)
	}
}

func write(to io.Writer, dir string, only ...string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "types.go"))
	if err != nil {
		return err
	}
	b := bufio.NewWriter(to)
	_, version, _ := strings.Cut(filepath.Base(dir), "@")
	fmt.Fprintf(b, "# k8s.io/api %s; made by internal/cmd/declared\n", version)
	set := token.NewFileSet()
	packages := map[string]*ast.File{} // by their path in k8s.io/api
	for _, name := range files {
		pkg, err := filepath.Rel(dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		packages[filepath.ToSlash(pkg)] = file
	}
	for _, pkg := range slices.Sorted(maps.Keys(packages)) {
		if len(only) == 0 || slices.Contains(only, pkg) {
			writePackage(b, set, packages, pkg)
		}
	}
	return b.Flush()
}

func writePackage(to io.Writer, set *token.FileSet, packages map[string]*ast.File, pkg string) {
	file := packages[pkg]
	values := constants(packages, file)
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.TYPE {
			continue
		}
		for _, s := range g.Specs {
			t := s.(*ast.TypeSpec)
			doc := t.Doc
			if doc == nil {
				doc = g.Doc
			}
			// Tags may be separated from the comment of a type by an empty line.
			writeType(to, pkg, t, append(detached(set, file, g), tagsOf(doc)...), values[t.Name.Name])
		}
	}
}

// writeType writes the rules of a type, or nothing if it has none.
func writeType(to io.Writer, pkg string, t *ast.TypeSpec, tags []string, values []string) {
	var lines []string
	for _, tag := range tags {
		name, _, _ := strings.Cut(tag, "=")
		if slices.Contains(strings.Split(tag, "="), "enum") {
			tag += "(" + strings.Join(values, ",") + ")"
		}
		if name != "" {
			lines = append(lines, "\t.\t"+tag)
		}
	}
	if s, ok := t.Type.(*ast.StructType); ok {
		for _, f := range s.Fields.List {
			name := jsonName(f)
			if tags := tagsOf(f.Doc); name != "" && len(tags) > 0 {
				lines = append(lines, "\t"+name+"\t"+strings.Join(tags, "\t"))
			}
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(to, "%s %s\n%s\n", pkg, t.Name.Name, strings.Join(lines, "\n"))
	}
}

func jsonName(f *ast.Field) string {
	if f.Tag == nil {
		return ""
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(reflect.StructTag(text).Get("json"), ",")
	return name
}

// noRules lists tags that are not rules about values.
var noRules = []string{"deepcopy-gen", "prerelease-lifecycle-gen", "conversion-gen", "openapi-gen", "validation-gen-nolint", "deprecated", "supportsSubresource", "isSubresource", "validation-gen"}

// tagsOf returns the rules in a comment, without the prefix of each part: alpha=optional. A field with a default gets
// the rule default.
func tagsOf(doc *ast.CommentGroup) []string {
	if doc == nil {
		return nil
	}
	var tags []string
	hasDefault := false
	for _, line := range doc.List {
		text := strings.TrimSpace(strings.TrimPrefix(line.Text, "//"))
		if strings.HasPrefix(text, "+default=") {
			hasDefault = true
		}
		tag, ok := strings.CutPrefix(text, "+k8s:")
		if !ok {
			continue
		}
		tag, _, _ = strings.Cut(tag, " #")
		tag, _, _ = strings.Cut(tag, " //")
		tag = strings.ReplaceAll(tag, "=+k8s:", "=")
		for _, level := range []string{"alpha", "beta"} {
			if rest, ok := strings.CutPrefix(tag, level+"("); ok {
				_, rest, _ = strings.Cut(rest, ")=")
				tag = level + "=" + rest
			}
		}
		name, _, _ := strings.Cut(tag, "=")
		name, _, _ = strings.Cut(name, ":")
		name, _, _ = strings.Cut(name, "(")
		if !slices.Contains(noRules, name) {
			tags = append(tags, strings.TrimSpace(tag))
		}
	}
	if hasDefault && len(tags) > 0 {
		tags = append(tags, "default")
	}
	return tags
}

// detached returns the tags in the comment right before that of a declaration.
func detached(set *token.FileSet, file *ast.File, g *ast.GenDecl) []string {
	start := g.Pos()
	if g.Doc != nil {
		start = g.Doc.Pos()
	}
	line := set.Position(start).Line
	for _, c := range file.Comments {
		if set.Position(c.End()).Line == line-2 {
			return tagsOf(c)
		}
	}
	return nil
}

// constants returns the values of the constants of each type, sorted.
func constants(packages map[string]*ast.File, file *ast.File) map[string][]string {
	values := map[string]map[string]bool{}
	eachConstant(file, func(_ string, declared, value ast.Expr) {
		if call, ok := value.(*ast.CallExpr); ok && declared == nil && len(call.Args) == 1 {
			declared, value = call.Fun, call.Args[0] // A = T("a")
		}
		t, ok := declared.(*ast.Ident)
		if !ok {
			return
		}
		if text, ok := stringOf(packages, file, value); ok {
			if values[t.Name] == nil {
				values[t.Name] = map[string]bool{}
			}
			values[t.Name][text] = true
		}
	})
	sorted := map[string][]string{}
	for name, set := range values {
		sorted[name] = slices.Sorted(maps.Keys(set))
	}
	return sorted
}

func eachConstant(file *ast.File, do func(name string, declared, value ast.Expr)) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for i, value := range v.Values {
				do(v.Names[i].Name, v.Type, value)
			}
		}
	}
}

// stringOf returns the value of a string literal, or of a constant in another package of k8s.io/api.
func stringOf(packages map[string]*ast.File, file *ast.File, value ast.Expr) (text string, ok bool) {
	switch v := value.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(v.Value)
		return text, err == nil && v.Kind == token.STRING
	case *ast.SelectorExpr:
		alias, isName := v.X.(*ast.Ident)
		other := packages[imported(file, alias)]
		if !isName || other == nil {
			return "", false
		}
		eachConstant(other, func(name string, _, value ast.Expr) {
			if name == v.Sel.Name {
				text, ok = stringOf(packages, other, value)
			}
		})
	}
	return text, ok
}

// imported returns the path below k8s.io/api that a file imports under this name.
func imported(file *ast.File, alias *ast.Ident) string {
	for _, i := range file.Imports {
		whole, err := strconv.Unquote(i.Path.Value)
		if err != nil || alias == nil {
			continue
		}
		if i.Name != nil && i.Name.Name == alias.Name || i.Name == nil && path.Base(whole) == alias.Name {
			return strings.TrimPrefix(whole, "k8s.io/api/")
		}
	}
	return ""
}
