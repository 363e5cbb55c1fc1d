package changes

import (
	"context"
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Needs reads which feature gates of a release require others to be on.
func Needs(ctx context.Context, release *upstream.Release) (map[string][]string, error) {
	files, names, err := parseGates(ctx, release)
	if err != nil {
		return nil, err
	}
	needs := map[string][]string{}
	for _, file := range files {
		readNeeds(file, names, needs)
	}
	return needs, nil
}

// readNeeds reads the maps from gates to lists of gates.
func readNeeds(file *ast.File, names map[string]string, into map[string][]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		list, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		of, ok := list.Type.(*ast.MapType)
		if !ok {
			return true
		}
		values, ok := of.Value.(*ast.ArrayType)
		if !ok || selected(values.Elt) != "Feature" {
			return true
		}
		for _, e := range list.Elts {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			needed, ok := pair.Value.(*ast.CompositeLit)
			if !ok {
				continue
			}
			name := nameOf(names, pair.Key)
			for _, one := range needed.Elts {
				if conversion, ok := one.(*ast.CallExpr); ok && len(conversion.Args) == 1 {
					one = conversion.Args[0] // a gate of client-go
				}
				into[name] = append(into[name], nameOf(names, one))
			}
			slices.SortFunc(into[name], func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
		}
		return false
	})
}

// NextGates returns the table of pkg/kubeversion with the state of each gate in a release added. before holds the gates
// of the previous release: a gate that exists only there is gone. Gates of libraries that [Gates] does not read stay as
// they are.
func NextGates(table, version string, before, gates map[string]Gate, needs map[string][]string) string {
	minor := minorOf(version)
	known := map[string]bool{}
	var head, rows []string
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			head = append(head, line)
			continue
		}
		name := words[0]
		known[name] = true
		current, has := gates[name]
		_, had := before[name]
		switch {
		case has:
			line += nextStage(words[1:], minor, inWords(current), needs[name])
		case had:
			line += nextStage(words[1:], minor, "gone", nil)
		}
		rows = append(rows, line)
	}
	for name, current := range gates {
		if !known[name] {
			rows = append(rows, name+nextStage(nil, minor, inWords(current), needs[name]))
		}
	}
	slices.SortFunc(rows, func(a, b string) int { return strings.Compare(lowerName(a), lowerName(b)) })
	return strings.Join(append(head, rows...), "\n") + "\n"
}

func lowerName(row string) string {
	name, _, _ := strings.Cut(row, " ")
	return strings.ToLower(name)
}

// inWords formats a gate as in the table: beta,on.
func inWords(g Gate) string {
	text := strings.ToLower(g.Stage)
	if text == "ga" {
		text = "GA"
	}
	text += map[bool]string{true: ",on", false: ",off"}[g.On]
	if g.Locked {
		text += ",locked"
	}
	return text
}

// nextStage returns what a release adds to a row: another stage, or other needs.
func nextStage(row []string, minor int, stage string, needs []string) (more string) {
	if inTable(row, minor) != stage {
		more += fmt.Sprintf(" %d:%s", minor, stage)
	}
	if want := strings.Join(needs, ","); stage != "gone" && neededIn(row, minor) != want {
		more += strings.TrimSuffix(fmt.Sprintf(" %d:needs,%s", minor, want), ",")
	}
	return more
}

// neededIn returns the gates that a gate needs according to its row, separated by commas.
func neededIn(row []string, minor int) (needs string) {
	for _, word := range row {
		since, what, _ := strings.Cut(word, ":")
		if n, err := strconv.Atoi(since); err == nil && n <= minor && strings.HasPrefix(what, "needs") {
			needs = strings.TrimPrefix(strings.TrimPrefix(what, "needs"), ",")
		}
	}
	return needs
}

// NextServed updates the table of served resources for a release. The table has a line for each resource with its first
// and last release. Resources without a last release are served by the previous release.
func NextServed(table, before, version string, served map[string]string) (string, error) {
	previous, current := "1."+strconv.Itoa(minorOf(before)), "1."+strconv.Itoa(minorOf(version))
	known := map[string]bool{}
	var head, rows []string
	for line := range strings.Lines(table) {
		line = strings.TrimSuffix(line, "\n")
		name, span, _ := strings.Cut(line, " ")
		if name == "#" {
			head = append(head, line)
			continue
		}
		known[name] = true
		_, has := served[strings.Replace(name, "/"+pathOf(name), " "+pathOf(name), 1)]
		first, isOpen := strings.CutSuffix(span, "-")
		switch {
		case has && !isOpen:
			return "", fmt.Errorf("%s is served again: the table cannot express that", name)
		case isOpen && !has && first == previous:
			span = previous
		case isOpen && !has:
			span += previous
		}
		rows = append(rows, name+" "+span)
	}
	for name := range served {
		if name = strings.Replace(name, " ", "/", 1); !known[name] {
			rows = append(rows, name+" "+current+"-")
		}
	}
	slices.Sort(rows)
	return strings.Join(append(head, rows...), "\n") + "\n", nil
}

// pathOf returns the resource of a row, with its subresource: the part after the version.
func pathOf(name string) string {
	words := strings.Split(name, "/")
	for i, word := range words {
		if len(word) > 1 && word[0] == 'v' && '0' <= word[1] && word[1] <= '9' {
			return strings.Join(words[i+1:], "/")
		}
	}
	return name
}

// isGoType reports whether admsim has a type of OpenAPI as a Go type, whose fields differ between releases.
func isGoType(name string) bool {
	return strings.HasPrefix(name, "io.k8s.api.") || strings.HasPrefix(name, "io.k8s.apiextensions-apiserver.")
}

// NextFields adds the fields that a release brought to the table of fields that came later than their type. The fields
// of an inlined struct are listed under the name of the outer type, as in OpenAPI.
func NextFields(table, version string, before, fields map[string]string) string {
	var head, rows []string
	for line := range strings.Lines(table) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "#") {
			head = append(head, line)
		} else {
			rows = append(rows, line)
		}
	}
	for name := range fields {
		typeName, field, isField := strings.Cut(name, " ")
		_, isOld := before[typeName]
		_, had := before[name]
		row := fmt.Sprintf("%s %s %d", typeName, field, minorOf(version))
		if isField && isOld && !had && isGoType(typeName) && !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return strings.Join(append(head, rows...), "\n") + "\n"
}

// Spans writes releases as kubeversion.ParseSpans reads them. The last span is open if it contains the newest release.
func Spans(releases []int, newest int) string {
	var all []string
	for i := 0; i < len(releases); {
		j := i
		for j+1 < len(releases) && releases[j+1] == releases[j]+1 {
			j++
		}
		from, to := strconv.Itoa(releases[i]), "-"+strconv.Itoa(releases[j])
		switch {
		case releases[j] == newest:
			to = "-"
		case i == j:
			to = ""
		}
		all = append(all, from+to)
		i = j + 1
	}
	return strings.Join(all, ",")
}
