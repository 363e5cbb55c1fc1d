// Command concurrent prints the packages below the current folder that start goroutines, in their code or in their
// tests. make race runs these: in the others, the race detector would have nothing to find.
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

// isConcurrent reports whether a file starts goroutines, or whether tests in it run at the same time. A lock alone says
// nothing: where one goroutine does everything, the race detector has nothing to find.
func isConcurrent(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.ImportSpec:
			found = found || slices.ContainsFunc(startGoroutines, func(name string) bool { return strings.HasSuffix(n.Path.Value, name+`"`) })
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			found = found || ok && slices.Contains([]string{"Go", "Parallel", "RunParallel", "NewServer", "NewTLSServer"}, called.Sel.Name)
		}
		return !found
	})
	return found
}

// startGoroutines lists packages of ours whose callers are called by several goroutines.
var startGoroutines = []string{"/internal/ordered", "/internal/webhooktest"}
