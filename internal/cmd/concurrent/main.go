// Command concurrent prints the packages below the current folder that use concurrency, in their code or in their
// tests: those that start goroutines or have data that goroutines share. make race runs these.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	roots := os.Args[1:]
	if len(roots) == 0 {
		roots = []string{"."}
	}
	all, err := packages(roots)
	if err != nil {
		fmt.Fprintln(os.Stderr, "concurrent:", err)
		os.Exit(1)
	}
	for _, dir := range all {
		fmt.Println("./" + filepath.ToSlash(dir))
	}
}

// packages returns the folders of concurrent packages, sorted.
func packages(roots []string) (dirs []string, err error) {
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && (d.Name() == "testdata" || path != root && strings.HasPrefix(d.Name(), ".")) {
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); d.IsDir() && path != root && err == nil {
				return fs.SkipDir // another module
			}
			if filepath.Ext(path) != ".go" || slices.Contains(dirs, filepath.Dir(path)) {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if isConcurrent(file) {
				dirs = append(dirs, filepath.Dir(path))
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs), nil
}

// isConcurrent reports whether a file starts goroutines or shares data between them. sync.Once does not count: it is
// used for lazy initialization.
func isConcurrent(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.ImportSpec:
			found = found || n.Path.Value == `"sync/atomic"` || strings.HasSuffix(n.Path.Value, `/internal/ordered"`)
		case *ast.SelectorExpr:
			switch of, _ := n.X.(*ast.Ident); {
			case of != nil && of.Name == "sync":
				found = found || !strings.HasPrefix(n.Sel.Name, "Once")
			case n.Sel.Name == "RunParallel":
				found = true
			}
		}
		return !found
	})
	return found
}
