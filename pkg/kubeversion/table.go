package kubeversion

import (
	_ "embed"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

//go:embed plugins_1.36.txt
var pluginTable string

//go:embed resources_1.36.txt
var resourceTable string

// rows are the words of each line of a table that is no comment.
func rows(table string) [][]string {
	var all [][]string
	for line := range strings.Lines(table) {
		line, _, _ = strings.Cut(line, "#")
		if words := strings.Fields(line); len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

var operations = map[rune]admissionv1.Operation{
	'C': admissionv1.Create,
	'U': admissionv1.Update,
	'D': admissionv1.Delete,
	'X': admissionv1.Connect,
}

func plugins1_36() []Plugin {
	var all []Plugin
	for _, row := range rows(pluginTable) {
		p := Plugin{
			Name:      row[0],
			Mutates:   strings.Contains(row[1], "M"),
			Validates: strings.Contains(row[1], "V"),
			Default:   row[3] == "on",
		}
		for _, letter := range row[2] {
			p.Operations = append(p.Operations, operations[letter])
		}
		all = append(all, p)
	}
	return all
}

// What a resource can be asked for. A star in the table stands for all of it.
var allVerbs = []string{"create", "update", "patch", "delete", "deletecollection"}

// resources1_36 reads the table. Its header line says what the columns are.
func resources1_36() []Resource {
	var all []Resource
	var gv schema.GroupVersion
	for _, row := range rows(resourceTable) {
		if len(row) == 1 {
			gv = groupVersion(row[0])
			continue
		}
		all = append(all, resource(gv, row))
	}
	return all
}

func resource(gv schema.GroupVersion, row []string) Resource {
	if len(row) < 5 {
		panic(fmt.Sprintf("kubeversion: short row %v", row))
	}
	r := Resource{
		GroupVersionResource: gv.WithResource(row[0]),
		Kind:                 gv.WithKind(row[1]),
		Namespaced:           row[2] == "ns",
		Verbs:                verbs(row[3]),
		Prefix:               row[0],
	}
	r.Storage = r.Kind
	for _, item := range strings.Split(row[4], ",") {
		if item != "-" {
			r.ShortNames = append(r.ShortNames, item)
		}
	}
	for _, option := range row[5:] {
		name, value, _ := strings.Cut(option, "=")
		switch {
		case name == "storage":
			r.Storage = kind(gv, value)
		case strings.HasPrefix(name, "/"):
			r.Subresources = append(r.Subresources, subresource(r, name[1:], value))
		default:
			panic(fmt.Sprintf("kubeversion: unknown column %q of %s", option, row[0]))
		}
	}
	return r
}

func verbs(word string) []string {
	switch word {
	case "*":
		return allVerbs
	case "-":
		return nil
	}
	return strings.Split(word, ",")
}

// subresource reads `status`, `scale=autoscaling/v1.Scale` or `exec=PodExecOptions:connect`.
func subresource(of Resource, name, value string) Subresource {
	kindName, verbList, given := strings.Cut(value, ":")
	s := Subresource{Name: name, Kind: of.Kind, Verbs: []string{"update", "patch"}}
	if kindName != "" {
		s.Kind = kind(of.Kind.GroupVersion(), kindName)
	}
	if given {
		s.Verbs = strings.Split(verbList, ",")
	}
	return s
}

// kind reads `Binding`, of the same group and version, or `autoscaling/v1.Scale`.
func kind(gv schema.GroupVersion, word string) schema.GroupVersionKind {
	at := strings.LastIndex(word, ".")
	if at < 0 {
		return gv.WithKind(word)
	}
	return groupVersion(word[:at]).WithKind(word[at+1:])
}

func groupVersion(word string) schema.GroupVersion {
	gv, err := schema.ParseGroupVersion(word)
	if err != nil {
		panic(err)
	}
	return gv
}
