package changes

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/release/upstream"
)

// Served reads which resources a release can serve, including alpha APIs, from its published discovery documents: kind,
// scope and verbs by resource, such as apps/v1 deployments/scale.
func Served(release *upstream.Release) (map[string]string, error) {
	documents, err := filepath.Glob(filepath.Join(release.Dir, "api", "discovery", "api*__v[0-9]*.json"))
	if err != nil {
		return nil, err
	}
	served := map[string]string{}
	for _, name := range documents {
		var list struct {
			GroupVersion string
			Resources    []struct {
				Name       string
				Namespaced bool
				Kind       string
				Verbs      []string
			}
		}
		if err := readJSON(name, &list); err != nil {
			return nil, err
		}
		for _, r := range list.Resources {
			scope := "cluster"
			if r.Namespaced {
				scope = "namespaced"
			}
			slices.Sort(r.Verbs)
			served[list.GroupVersion+" "+r.Name] = fmt.Sprintf("%s, %s: %s", r.Kind, scope, strings.Join(r.Verbs, " "))
		}
	}
	if len(served) == 0 {
		return nil, fmt.Errorf("Kubernetes %s: no discovery documents were found where they used to be", release.Version)
	}
	return served, nil
}

// A schema is a type in the published OpenAPI document.
type schema struct {
	Properties map[string]field
	Required   []string
}

type field struct {
	Type   string
	Format string
	Ref    string `json:"$ref"`
	Items  *field
	Values *field `json:"additionalProperties"`

	ListType      string   `json:"x-kubernetes-list-type"`
	MapType       string   `json:"x-kubernetes-map-type"`
	ListMapKeys   []string `json:"x-kubernetes-list-map-keys"`
	PatchStrategy string   `json:"x-kubernetes-patch-strategy"`
	PatchMergeKey string   `json:"x-kubernetes-patch-merge-key"`
}

// String returns the field's type, and how lists of it are merged.
func (f field) String() string {
	text := f.Type
	switch {
	case f.Ref != "":
		text = f.Ref[strings.LastIndex(f.Ref, ".")+1:]
	case f.Items != nil:
		text = "[]" + f.Items.String()
	case f.Values != nil:
		text = "map of " + f.Values.String()
	case f.Format != "":
		text = f.Format
	}
	for _, extra := range []struct{ name, value string }{
		{"list", f.ListType}, {"map", f.MapType}, {"keys", strings.Join(f.ListMapKeys, " ")},
		{"patch", f.PatchStrategy}, {"merge key", f.PatchMergeKey},
	} {
		if extra.value != "" {
			text += fmt.Sprintf(" (%s %s)", extra.name, extra.value)
		}
	}
	return text
}

// Fields reads the fields of all types of a release from its published OpenAPI document. They are named like
// io.k8s.api.core.v1.Pod spec.
func Fields(release *upstream.Release) (map[string]string, error) {
	var document struct{ Definitions map[string]schema }
	if err := readJSON(filepath.Join(release.Dir, "api", "openapi-spec", "swagger.json"), &document); err != nil {
		return nil, err
	}
	fields := map[string]string{}
	for name, s := range document.Definitions {
		fields[name] = "a type"
		for property, f := range s.Properties {
			text := f.String()
			if slices.Contains(s.Required, property) {
				text += ", required"
			}
			fields[name+" "+property] = text
		}
	}
	return fields, nil
}

// CompareTexts lists the differences between two maps by name, one per line. For a type that is new or removed its
// fields are not listed.
func CompareTexts(from, to map[string]string) []string {
	var lines []string
	for _, name := range union(from, to) {
		whole, _, within := strings.Cut(name, " ")
		before, had := from[name]
		after, has := to[name]
		_, wholeHad := from[whole]
		_, wholeHas := to[whole]
		switch {
		case within && wholeHad != wholeHas:
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

func readJSON(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
