package changes

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Priorities reads the priorities of the group versions of a release, by names such as apps/v1: that of the group and that
// of the version, with a comma between them.
func Priorities(release *upstream.Release) (map[string]string, error) {
	all := map[string]string{}
	for _, name := range []string{"cmd/kube-apiserver/app/aggregator.go", "pkg/controlplane/apiserver/aggregator.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(release.Dir, name), nil, parser.SkipObjectResolution)
		if errors.Is(err, fs.ErrNotExist) { // older releases have only the first
			continue
		}
		if err != nil {
			return nil, err
		}
		readPriorities(file, all)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no priorities of group versions", release.Version)
	}
	return all, nil
}

// readPriorities reads entries such as {Group: "apps", Version: "v1"}: {Group: 17800, Version: 15}.
func readPriorities(file *ast.File, into map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		of, priorities := membersOf(pair.Key), membersOf(pair.Value)
		if version, err := strconv.Unquote(of["version"]); err == nil && priorities["group"] != "" {
			group, _ := strconv.Unquote(of["group"])
			into[strings.TrimPrefix(group+"/"+version, "/")] = priorities["group"] + "," + priorities["version"]
		}
		return true
	})
}

// membersOf returns the literals in a composite literal by their names in lower case.
func membersOf(e ast.Expr) map[string]string {
	literal, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	members := map[string]string{}
	for _, one := range literal.Elts {
		pair, _ := one.(*ast.KeyValueExpr)
		if pair == nil {
			continue
		}
		name, _ := pair.Key.(*ast.Ident)
		value, _ := pair.Value.(*ast.BasicLit)
		if name != nil && value != nil {
			members[strings.ToLower(name.Name)] = value.Value
		}
	}
	return members
}

// NextPriorities returns the table of pkg/kubeversion with the priorities of a release added.
func NextPriorities(table, version string, priorities map[string]string) string {
	var head, rows []string
	known := map[string]bool{}
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			head = append(head, line)
			continue
		}
		known[words[0]] = true
		next, ok := priorities[words[0]]
		if !ok {
			next = "gone"
		}
		if _, last, _ := strings.Cut(words[len(words)-1], ":"); last != next {
			line += fmt.Sprintf(" %d:%s", minorOf(version), next)
		}
		rows = append(rows, line)
	}
	for _, name := range slices.Sorted(maps.Keys(priorities)) {
		if !known[name] {
			rows = append(rows, fmt.Sprintf("%s %d:%s", name, minorOf(version), priorities[name]))
		}
	}
	slices.Sort(rows)
	return strings.Join(append(head, rows...), "\n") + "\n"
}
