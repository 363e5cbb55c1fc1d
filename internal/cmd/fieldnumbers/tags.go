package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// writeTags sets the tags of fields in the files of a package.
func writeTags(dir string, tags map[field]string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := writeFile(name, tags); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(name string, tags map[field]string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	changed := false
	ast.Inspect(file, func(n ast.Node) bool {
		t, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		s, ok := t.Type.(*ast.StructType)
		if !ok {
			return false
		}
		for _, f := range s.Fields.List {
			if tag := tags[field{t.Name.Name, fieldName(f)}]; tag != "" && f.Tag != nil {
				changed = setTag(f.Tag, tag) || changed
			}
		}
		return false
	})
	if !changed {
		return nil
	}
	var b bytes.Buffer
	if err := format.Node(&b, set, file); err != nil {
		return err
	}
	return os.WriteFile(name, b.Bytes(), 0o644)
}

// fieldName returns the name of a field, which is that of its type if it is embedded.
func fieldName(f *ast.Field) string {
	if len(f.Names) > 0 {
		return f.Names[0].Name
	}
	switch t := f.Type.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.SelectorExpr:
		return t.Sel.Name
	}
	return ""
}

// setTag sets the part for protocol buffers in the tag of a field, and reports whether it changed.
func setTag(literal *ast.BasicLit, protobuf string) bool {
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return false
	}
	old, tagged := reflect.StructTag(text).Lookup("protobuf")
	part := fmt.Sprintf("protobuf:%q", protobuf)
	switch {
	case old == protobuf:
		return false
	case tagged:
		text = strings.Replace(text, fmt.Sprintf("protobuf:%q", old), part, 1)
	default:
		text = strings.TrimLeft(text+" "+part, " ")
	}
	literal.Value = "`" + text + "`"
	return true
}
