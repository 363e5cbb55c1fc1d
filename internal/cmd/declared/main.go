// Command declared writes the rules that are declared with the types of k8s.io/api, as tags in their
// comments (+k8s:required), into the table that internal/objects/declared interprets. Its argument is
// the folder of k8s.io/api:
//
//	make declared
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
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: declared DIRECTORY")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "declared: error:", err)
		os.Exit(1)
	}
}

func write(to io.Writer, dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*", "*", "types.go"))
	if err != nil {
		return err
	}
	b := bufio.NewWriter(to)
	_, version, _ := strings.Cut(filepath.Base(dir), "@")
	fmt.Fprintf(b, "# k8s.io/api %s; made by internal/cmd/declared\n", version)
	for _, name := range files {
		pkg, err := filepath.Rel(dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		if err := writePackage(b, name, filepath.ToSlash(pkg)); err != nil {
			return err
		}
	}
	return b.Flush()
}

func writePackage(to io.Writer, name, pkg string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	values := constants(file)
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
			// Tags may stand apart from the comment of a type, by an empty line.
			writeType(to, pkg, t, append(detached(set, file, g), tagsOf(doc)...), values[t.Name.Name])
		}
	}
	return nil
}

// writeType writes nothing of a type without rules.
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

// noRules are tags that say nothing of values.
var noRules = []string{"deepcopy-gen", "prerelease-lifecycle-gen", "conversion-gen", "openapi-gen", "validation-gen-nolint", "deprecated", "supportsSubresource", "isSubresource", "validation-gen"}

// tagsOf are the rules in a comment, without the mark before each part: alpha=optional. A field that has
// a default is reported by default.
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

// detached are the tags in the comment right before that of a declaration.
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

// constants are the values of the constants of each type, sorted.
func constants(file *ast.File) map[string][]string {
	values := map[string]map[string]bool{}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			t, ok := v.Type.(*ast.Ident)
			if !ok {
				continue
			}
			for _, value := range v.Values {
				if lit, ok := value.(*ast.BasicLit); ok && lit.Kind == token.STRING {
					text, _ := strconv.Unquote(lit.Value)
					if values[t.Name] == nil {
						values[t.Name] = map[string]bool{}
					}
					values[t.Name][text] = true
				}
			}
		}
	}
	sorted := map[string][]string{}
	for name, set := range values {
		sorted[name] = slices.Sorted(maps.Keys(set))
	}
	return sorted
}
