package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

type kind = schema.GroupVersionKind

// A typeName is a type of a package, whose path is that below its module, such as policy/v1beta1.
type typeName struct{ pkg, name string }

// packageOf returns the package with the types of a kind.
func packageOf(k kind) string {
	group, _, _ := strings.Cut(k.Group, ".")
	if group == "" {
		group = "core"
	}
	return group + "/" + k.Version
}

// A publishedField is a field of a struct in some releases.
type publishedField struct {
	protobuf string // its tag
	of       typeName
}

// published reads types from folders of packages.
type published struct {
	dirs  []string
	files map[string][]*ast.File // by folder
}

func readPublished(dirs []string) published { return published{dirs, map[string][]*ast.File{}} }

// parsed returns the files of a package that may declare types, or none if the folder has no such package.
func (p published) parsed(dir, pkg string) ([]*ast.File, error) {
	dir = filepath.Join(dir, filepath.FromSlash(pkg))
	if files, ok := p.files[dir]; ok {
		return files, nil
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	p.files[dir] = nil
	for _, name := range names {
		if base := filepath.Base(name); base == "generated.pb.go" || strings.HasPrefix(base, "zz_") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			return nil, err
		}
		p.files[dir] = append(p.files[dir], file)
	}
	return p.files[dir], nil
}

// fields returns the fields of a struct in all releases, by their names in JSON or, for embedded structs, by those of
// their types; nil if no release has the struct. A field must have the same number in all of them.
func (p published) fields(of typeName) (map[string]publishedField, error) {
	if of.pkg == "" {
		return map[string]publishedField{}, nil
	}
	var all map[string]publishedField
	for _, dir := range p.dirs {
		fields, err := p.fieldsIn(dir, of)
		if err != nil {
			return nil, err
		}
		if fields != nil && all == nil {
			all = map[string]publishedField{}
		}
		for name, found := range fields {
			if other, ok := all[name]; ok && !sameField(other.protobuf, found.protobuf) {
				return nil, fmt.Errorf("%s.%s: field %s is %q in %s, and %q in another release", of.pkg, of.name, name, found.protobuf, dir, other.protobuf)
			}
			all[name] = found
		}
	}
	return all, nil
}

// fieldsIn returns the fields of a struct in one release.
func (p published) fieldsIn(dir string, of typeName) (map[string]publishedField, error) {
	files, err := p.parsed(dir, of.pkg)
	if err != nil {
		return nil, err
	}
	file, declared := declaration(files, of.name)
	switch t := declared.(type) {
	case *ast.Ident, *ast.ArrayType, *ast.MapType: // type A B
		return p.fields(element(file, of.pkg, t))
	case *ast.StructType:
		all := map[string]publishedField{}
		for _, f := range t.Fields.List {
			if name, found := describe(file, of.pkg, f); found.protobuf != "" {
				all[name] = found
			}
		}
		return all, nil
	}
	return nil, nil
}

// sameField reports whether two tags have the same number.
func sameField(a, b string) bool {
	_, one, _ := strings.Cut(a, ",")
	_, other, _ := strings.Cut(b, ",")
	one, _, _ = strings.Cut(one, ",")
	other, _, _ = strings.Cut(other, ",")
	return one == other
}

// declaration returns what a type is declared to be, or nil, and the file that says so.
func declaration(files []*ast.File, name string) (in *ast.File, declared ast.Expr) {
	for _, file := range files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				if t := s.(*ast.TypeSpec); t.Name.Name == name {
					return file, t.Type
				}
			}
		}
	}
	return nil, nil
}

func describe(file *ast.File, pkg string, f *ast.Field) (name string, found publishedField) {
	if f.Tag == nil {
		return "", found
	}
	text, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", found
	}
	tag := reflect.StructTag(text)
	found.protobuf, _, _ = strings.Cut(tag.Get("protobuf"), ",casttype=")
	found.of = element(file, pkg, f.Type)
	if name, _, _ = strings.Cut(tag.Get("json"), ","); name == "" {
		name = found.of.name
	}
	return name, found
}

// element returns the type of a field, or of the elements of a list or a map. Those of other modules have no package.
func element(file *ast.File, pkg string, e ast.Expr) typeName {
	switch e := e.(type) {
	case *ast.StarExpr:
		return element(file, pkg, e.X)
	case *ast.ArrayType:
		return element(file, pkg, e.Elt)
	case *ast.MapType:
		return element(file, pkg, e.Value)
	case *ast.Ident:
		return typeName{pkg, e.Name}
	case *ast.SelectorExpr:
		return typeName{imported(file, e.X), e.Sel.Name}
	}
	return typeName{}
}

// imported returns the path below k8s.io/api that a file imports under this name, or "".
func imported(file *ast.File, alias ast.Expr) string {
	for _, i := range file.Imports {
		whole, err := strconv.Unquote(i.Path.Value)
		below, ok := strings.CutPrefix(whole, "k8s.io/api/")
		if err != nil || !ok {
			continue
		}
		name := below[strings.LastIndex(below, "/")+1:]
		if i.Name != nil {
			name = i.Name.Name
		}
		if id, ok := alias.(*ast.Ident); ok && id.Name == name {
			return below
		}
	}
	return ""
}
