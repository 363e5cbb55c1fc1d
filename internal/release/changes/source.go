package changes

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// A FileChange lists what differs in a Go file between two releases: functions, methods, and other declarations by
// name. Comments and layout do not count.
type FileChange struct {
	Appeared, Vanished      bool // the file
	Changed, Added, Removed []string
}

// Any reports whether anything differs.
func (c FileChange) Any() bool {
	return c.Appeared || c.Vanished || len(c.Changed)+len(c.Added)+len(c.Removed) > 0
}

func (c FileChange) String() string {
	switch {
	case c.Appeared:
		return "is new"
	case c.Vanished:
		return "is gone"
	}
	var parts []string
	for _, p := range []struct {
		what  string
		names []string
	}{{"changed", c.Changed}, {"added", c.Added}, {"removed", c.Removed}} {
		if len(p.names) > 0 {
			parts = append(parts, p.what+" "+strings.Join(p.names, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// CompareFiles compares the files of two releases. If a name is empty or the file does not exist, that release does not
// have the file.
func CompareFiles(from, to string) (FileChange, error) {
	before, err := declarations(from)
	if err != nil {
		return FileChange{}, err
	}
	after, err := declarations(to)
	if err != nil {
		return FileChange{}, err
	}
	switch {
	case before == nil && after == nil:
		return FileChange{}, fmt.Errorf("neither release has it")
	case before == nil:
		return FileChange{Appeared: true}, nil
	case after == nil:
		return FileChange{Vanished: true}, nil
	}
	var c FileChange
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch text, ok := after[name]; {
		case !ok:
			c.Removed = append(c.Removed, name)
		case text != before[name]:
			c.Changed = append(c.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[name]; !ok {
			c.Added = append(c.Added, name)
		}
	}
	return c, nil
}

// declarations returns the source of a file's declarations by name, or nil if the file does not exist.
func declarations(name string) (map[string]string, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution) // without comments
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	add := func(name string, node any) error {
		text, err := printed(node)
		all[name] += text
		return err
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			err = add(functionName(d), d)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					err = add(s.Name.Name, s)
				case *ast.ValueSpec:
					err = add(s.Names[0].Name, s)
				}
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// printed returns the source of a node in a uniform layout.
func printed(node any) (string, error) {
	var b bytes.Buffer
	// With an empty file set nothing has a position, so the original line breaks are dropped.
	if err := (&printer.Config{Mode: printer.RawFormat}).Fprint(&b, token.NewFileSet(), node); err != nil {
		return "", err
	}
	return b.String(), nil
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	receiver, err := printed(f.Recv.List[0].Type)
	if err != nil {
		return f.Name.Name
	}
	return strings.TrimPrefix(receiver, "*") + "." + f.Name.Name
}
