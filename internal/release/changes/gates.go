package changes

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// A Gate is the state of a feature gate in one release.
type Gate struct {
	Stage  string // Alpha, Beta, GA, Deprecated
	On     bool
	Locked bool
}

func (g Gate) String() string {
	state := "off"
	if g.On {
		state = "on"
	}
	if g.Locked {
		state += ", locked"
	}
	return g.Stage + ", " + state
}

var gateFiles = [][2]string{
	{"kubernetes", "pkg/features/kube_features.go"},
	{"apiserver", "pkg/features/kube_features.go"},
	{"apiextensions-apiserver", "pkg/features/kube_features.go"},
}

// Gates reads the feature gates of kube-apiserver in a release.
func Gates(ctx context.Context, release *upstream.Release) (map[string]Gate, error) {
	files, names, err := parseGates(ctx, release)
	if err != nil {
		return nil, err
	}
	gates := map[string]Gate{}
	for _, file := range files {
		if err := readGates(file, names, minorOf(release.Version), gates); err != nil {
			return nil, fmt.Errorf("Kubernetes %s: %w", release.Version, err)
		}
	}
	if len(gates) == 0 {
		return nil, fmt.Errorf("Kubernetes %s: no feature gates were found where they used to be", release.Version)
	}
	return gates, nil
}

// parseGates parses the files with feature gates, and reads the names of the gates by their constants.
func parseGates(ctx context.Context, release *upstream.Release) (files []*ast.File, names map[string]string, err error) {
	names = map[string]string{}
	for _, f := range gateFiles {
		name, err := release.File(ctx, f[0], f[1])
		if err != nil {
			return nil, nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
		gateNames(file, names)
	}
	return files, names, nil
}

// nameOf returns the name of the gate that an expression refers to.
func nameOf(names map[string]string, e ast.Expr) string {
	if name, ok := names[selected(e)]; ok {
		return name
	}
	return selected(e)
}

// gateNames reads the constants of gates. Some names are spelled differently from their constants.
func gateNames(file *ast.File, into map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || selected(v.Type) != "Feature" || len(v.Values) != 1 {
			return true
		}
		if literal, ok := v.Values[0].(*ast.BasicLit); ok {
			into[v.Names[0].Name], _ = strconv.Unquote(literal.Value)
		}
		return false
	})
}

// readGates reads the maps from gates to their state, or since 1.31 to their state in each release.
func readGates(file *ast.File, names map[string]string, minor int, into map[string]Gate) error {
	var problem error
	ast.Inspect(file, func(n ast.Node) bool {
		list, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := list.Type.(*ast.MapType)
		if !ok {
			return true
		}
		kind := selected(of.Value)
		if kind != "VersionedSpecs" && kind != "FeatureSpec" {
			return true
		}
		for _, e := range list.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			spec, ok := pair.Value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			if kind == "FeatureSpec" {
				into[nameOf(names, pair.Key)] = gateOf(spec)
				continue
			}
			for _, e := range spec.Elts { // sorted by release
				one, ok := e.(*ast.CompositeLit)
				if !ok {
					continue
				}
				since, err := versionIn(one, "Version")
				if err != nil && problem == nil {
					problem = fmt.Errorf("%s: %w", nameOf(names, pair.Key), err)
				}
				least, err := versionIn(one, "MinCompatibilityVersion")
				if err != nil && problem == nil {
					problem = fmt.Errorf("%s: %w", nameOf(names, pair.Key), err)
				}
				if since <= minor && least < minor { // by default a server stays compatible with the previous release
					into[nameOf(names, pair.Key)] = gateOf(one)
				}
			}
		}
		return false
	})
	return problem
}

// selected returns the last name of an expression such as featuregate.GA.
func selected(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func gateOf(spec *ast.CompositeLit) Gate {
	g := Gate{Stage: "Alpha"}
	for name, value := range members(spec) {
		switch name {
		case "Default":
			g.On = selected(value) == "true"
		case "LockToDefault":
			g.Locked = selected(value) == "true"
		case "PreRelease":
			if g.Stage = selected(value); g.Stage == "" {
				g.Stage = "GA" // the zero value
			}
		}
	}
	return g
}

// versionIn returns the minor version in a field of a spec, such as version.MustParse("1.31"), or 0 if the field is
// missing.
func versionIn(spec *ast.CompositeLit, member string) (int, error) {
	value, given := members(spec)[member]
	if !given {
		return 0, nil
	}
	call, ok := value.(*ast.CallExpr)
	if !ok || len(call.Args) != 1 {
		return 0, fmt.Errorf("a version that is not a call with one argument")
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	if !ok {
		return 0, fmt.Errorf("a version that is not a literal")
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return 0, err
	}
	return minorOf(text), nil
}

func members(spec *ast.CompositeLit) map[string]ast.Expr {
	all := map[string]ast.Expr{}
	for _, e := range spec.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			all[selected(pair.Key)] = pair.Value
		}
	}
	return all
}

func minorOf(version string) int {
	words := strings.Split(version, ".")
	if len(words) < 2 {
		return 0
	}
	minor, _ := strconv.Atoi(words[1])
	return minor
}

// CompareGates lists the gates that differ, one per line.
func CompareGates(from, to map[string]Gate) []string {
	var lines []string
	for _, name := range union(from, to) {
		before, had := from[name]
		after, has := to[name]
		switch {
		case !had:
			lines = append(lines, fmt.Sprintf("+ %s: %s", name, after))
		case !has:
			lines = append(lines, fmt.Sprintf("- %s: was %s", name, before))
		case before != after:
			lines = append(lines, fmt.Sprintf("~ %s: %s, was %s", name, after, before))
		}
	}
	return lines
}

// union returns the keys of both maps, sorted.
func union[V any](a, b map[string]V) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// CompareTable lists the gates that differ between the table of pkg/kubeversion and a release, one per line. The table
// holds for each gate what it became in which release: 31:beta,on.
func CompareTable(table string, version string, gates map[string]Gate) []string {
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		if words := strings.Fields(line); len(words) > 1 && words[0] != "#" {
			rows[words[0]] = words[1:]
		}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(gates)) {
		is := gates[name]
		want := inWords(is)
		if got := inTable(rows[name], minorOf(version)); got != want {
			if got == "" {
				got = "nothing"
			}
			lines = append(lines, fmt.Sprintf("~ %s: %s, the table has %s", name, want, got))
		}
	}
	return lines
}

// inTable returns the last stage of a row that a release has reached.
func inTable(stages []string, minor int) string {
	now := ""
	for _, stage := range stages {
		since, what, _ := strings.Cut(stage, ":")
		if n, err := strconv.Atoi(since); err == nil && n <= minor && !strings.HasPrefix(what, "needs") {
			now = what
		}
	}
	return now
}
