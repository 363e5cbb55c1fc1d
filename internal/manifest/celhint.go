package manifest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/missing"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/expression"
)

// CELHint returns a hint for a common mistake in an expression. message is what the server says about the expression at
// path.
func (m Manifest) CELHint(path, message string) string {
	n := expression.Names{Variables: m.celVariables(path), Fields: m.celFields, Policy: m.isPolicy()}
	return n.Hint(message)
}

// MissingFieldHint returns a hint for fields of an expression that do not exist in the kinds that the expression is
// about.
func (m Manifest) MissingFieldHint(problems []missing.Problem, types *objects.Types) string {
	known, message := expression.Fields(), ""
	for _, p := range problems {
		for _, kind := range p.Kinds {
			if absent := types.Absent(kind, p.Path); absent != "" {
				return p.Name() + " " + absent + ": look for it with has() first, or see --kubernetes-version"
			}
			known = append(known, types.FieldNames(kind)...)
		}
		if len(p.Having) > 0 {
			return p.Name() + " is a field of " + having(p) + ": look at object.kind first, or for the field with has()"
		}
		message += p.Message + "\n"
	}
	return expression.Names{Fields: func(_, _ string) []string { return known }}.Missing(message)
}

// having names the kinds that have a field that others lack, with their versions if these are what differs.
func having(p missing.Problem) string {
	var names []string
	for _, kind := range p.Having {
		name := kind.Kind
		if slices.ContainsFunc(p.Kinds, func(k schema.GroupVersionKind) bool { return k.Kind == kind.Kind }) {
			name += " of " + kind.GroupVersion().String()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, " and ")
}

func (m Manifest) isPolicy() bool { return strings.HasSuffix(m.Kind, "AdmissionPolicy") }

// celVariables returns the names that the expression at path can use.
func (m Manifest) celVariables(path string) []string {
	sees := []string{"object", "oldObject", "request"}
	switch {
	case m.Kind == "CustomResourceDefinition":
		return []string{"self", "oldSelf"}
	case m.isPolicy():
		sees = append(sees, "namespaceObject")
		if m.specOfPolicy().ParamKind != nil {
			sees = append(sees, "params")
		}
		if !strings.Contains(path, "matchConditions") {
			sees = append(sees, "variables")
		}
		if strings.HasSuffix(path, "messageExpression") {
			return sees
		}
		if strings.Contains(path, "mutations") {
			sees = append(sees, "Object", "JSONPatch")
		}
		return append(sees, "authorizer")
	case m.Group == Group && !strings.HasSuffix(path, "when"):
		return sees // an expression of a suite
	case m.Group == Group:
		return append(sees, "authorizer", "call")
	}
	return append(sees, "authorizer")
}

// A policySpec is the part of the spec of a policy that is needed here.
type policySpec struct {
	ParamKind *struct{ APIVersion, Kind string }
	Variables []struct{ Name string }
}

func (m Manifest) specOfPolicy() policySpec {
	var policy struct{ Spec policySpec }
	_ = json.Unmarshal(m.JSON, &policy) // reported when it is decoded
	return policy.Spec
}

// celFields returns the fields that an unknown one may have been meant to be.
func (m Manifest) celFields(unknown, message string) (names []string) {
	switch {
	case m.Kind == "CustomResourceDefinition":
		var whole any
		_ = json.Unmarshal(m.JSON, &whole) // reported when it is decoded
		return propertiesIn(whole)
	case !strings.Contains(message, "variables."+unknown):
		return expression.Fields()
	}
	for _, v := range m.specOfPolicy().Variables {
		names = append(names, v.Name)
	}
	return names
}

// propertiesIn returns the sorted names of all properties in the schemas of a definition.
func propertiesIn(v any) (names []string) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			names = append(names, propertiesIn(one)...)
		}
	case map[string]any:
		properties, _ := v["properties"].(map[string]any)
		names = slices.Collect(maps.Keys(properties))
		for _, one := range v {
			names = append(names, propertiesIn(one)...)
		}
	}
	slices.Sort(names)
	return names
}
