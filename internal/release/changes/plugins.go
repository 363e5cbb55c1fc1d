package changes

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// A Plugin is an admission plugin of kube-apiserver.
type Plugin struct {
	Name string
	On   bool // by default
}

// Plugins reads the admission plugins of a release, in the order in which they run.
func Plugins(ctx context.Context, release *upstream.Release) ([]Plugin, error) {
	name, err := release.File(ctx, "kubernetes", "pkg/kubeapiserver/options/plugins.go")
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	names := pluginNames{ctx, release, map[string]string{}}
	for _, i := range file.Imports {
		importPath, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		alias := importPath[strings.LastIndex(importPath, "/")+1:]
		if i.Name != nil {
			alias = i.Name.Name
		}
		names.imports[alias] = importPath
	}
	var plugins []Plugin
	on := map[string]bool{}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || v.Names[0].Name != "AllOrderedPlugins" {
					continue
				}
				list, err := names.in(v)
				if err != nil {
					return nil, err
				}
				for _, n := range list {
					plugins = append(plugins, Plugin{Name: n})
				}
			}
		case *ast.FuncDecl:
			if d.Name.Name != "DefaultOffAdmissionPlugins" {
				continue
			}
			list, err := names.in(d)
			if err != nil {
				return nil, err
			}
			for _, n := range list {
				on[n] = true
			}
		}
	}
	if len(plugins) == 0 || len(on) == 0 {
		return nil, fmt.Errorf("%s: the plugins were not found where they used to be", name)
	}
	for i := range plugins {
		plugins[i].On = on[plugins[i].Name]
	}
	return plugins, nil
}

type pluginNames struct {
	ctx     context.Context
	release *upstream.Release
	imports map[string]string // import paths by their name in the file
}

// in returns the plugins that a declaration names, in order, each as package.PluginName.
func (p pluginNames) in(n ast.Node) ([]string, error) {
	var names []string
	var problem error
	ast.Inspect(n, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok || s.Sel.Name != "PluginName" {
			return true
		}
		name, err := p.of(selected(s.X))
		if err != nil && problem == nil {
			problem = err
		}
		names = append(names, name)
		return false
	})
	return names, problem
}

// of returns the constant PluginName of an imported package.
func (p pluginNames) of(alias string) (string, error) {
	rest, ok := strings.CutPrefix(p.imports[alias], "k8s.io/")
	if !ok {
		return "", fmt.Errorf("a plugin of package %s, which is not Kubernetes' own", alias)
	}
	repository, folder, _ := strings.Cut(rest, "/")
	dir, err := p.release.File(p.ctx, repository, folder)
	if err != nil {
		return "", err
	}
	files, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range files {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			return "", err
		}
		if name := stringConstant(file, "PluginName"); name != "" {
			return name, nil
		}
	}
	return "", fmt.Errorf("%s has no constant PluginName", dir)
}

func stringConstant(file *ast.File, name string) string {
	found := ""
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Names[0].Name != name || len(v.Values) != 1 {
			return true
		}
		if literal, ok := v.Values[0].(*ast.BasicLit); ok {
			found, _ = strconv.Unquote(literal.Value)
		}
		return false
	})
	return found
}

// ComparePlugins lists the plugins that differ, one per line: new and removed ones, and those whose position or default
// changed.
func ComparePlugins(from, to []Plugin) []string {
	at := func(list []Plugin, name string) int {
		return slices.IndexFunc(list, func(p Plugin) bool { return p.Name == name })
	}
	state := func(p Plugin) string {
		if p.On {
			return "on"
		}
		return "off"
	}
	var lines []string
	var keptBefore, keptAfter []string
	for _, p := range from {
		if i := at(to, p.Name); i < 0 {
			lines = append(lines, fmt.Sprintf("- %s: was %s by default", p.Name, state(p)))
		} else {
			keptBefore = append(keptBefore, p.Name)
			if to[i].On != p.On {
				lines = append(lines, fmt.Sprintf("~ %s: %s by default, was %s", p.Name, state(to[i]), state(p)))
			}
		}
	}
	for i, p := range to {
		if at(from, p.Name) >= 0 {
			keptAfter = append(keptAfter, p.Name)
			continue
		}
		place := "first"
		if i > 0 {
			place = "after " + to[i-1].Name
		}
		lines = append(lines, fmt.Sprintf("+ %s: %s by default, %s", p.Name, state(p), place))
	}
	for i := range keptBefore {
		if keptBefore[i] != keptAfter[i] {
			lines = append(lines, fmt.Sprintf("~ the order differs from %s on: now %s", keptBefore[i], strings.Join(keptAfter[i:], ", ")))
			break
		}
	}
	return lines
}
