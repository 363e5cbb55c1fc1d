package scenario

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/expression"
)

// What the server's CEL says of names that it does not know, and of what an expression is.
var (
	celUndeclared = regexp.MustCompile(`undeclared reference to '([^']+)'`)
	celUndefined  = regexp.MustCompile(`undefined field '([^']+)'`)
	celWrongType  = regexp.MustCompile(`must evaluate to (.+) but got (\w+)`)
	celKind       = regexp.MustCompile(`(?m)^([^/\s]*)/([^,\s]+), Kind=(\w+): `)
)

// celHint helps with the slips that people make in expressions: message is what the server says of the
// one at path. It is empty if nothing is known to help, as for what is no expression.
func (m Manifest) celHint(path, message string) string {
	if strings.Contains(message, "token recognition error at: '=") { // which other languages allow
		return "CEL compares with =="
	}
	if wrong := celWrongType.FindStringSubmatch(message); wrong != nil {
		return typeHint(wrong[1], wrong[2])
	}
	var meant []string
	for _, unknown := range celUndeclared.FindAllStringSubmatch(message, -1) {
		known := slices.Concat(m.celVariables(path), expression.Functions())
		switch {
		case slices.ContainsFunc(known, func(name string) bool { return strings.HasPrefix(name, unknown[1]+".") }):
			return "what begins with " + unknown[1] + ". is in later releases only" // known is of the newest one
		case slices.Contains(known, unknown[1]):
			return unknown[1] + " is a function: call it, as in " + unknown[1] + "(…)"
		}
		meant = append(meant, nearestName(unknown[1], known))
	}
	for _, unknown := range celUndefined.FindAllStringSubmatch(message, -1) {
		known := m.celFields(unknown[1], message)
		if slices.Contains(known, unknown[1]) { // a variable that comes later
			return "expressions see the variables before them: move " + unknown[1] + " up"
		}
		meant = append(meant, nearestName(unknown[1], known))
	}
	return cmp.Or(meantHint(meant), m.notDeclaredHint(path, message))
}

// MissingFieldHint helps with a field of an expression that the kinds it is checked against do not
// have: message is what [objects.Types.MissingFields] says of it.
func (m Manifest) MissingFieldHint(message string, types *objects.Types) string {
	known := expression.Fields()
	for _, kind := range celKind.FindAllStringSubmatch(message, -1) {
		known = append(known, types.FieldNames(schema.GroupVersionKind{Group: kind[1], Version: kind[2], Kind: kind[3]})...)
	}
	if params := m.specOfPolicy().ParamKind; params != nil {
		known = append(known, types.FieldNames(schema.FromAPIVersionAndKind(params.APIVersion, params.Kind))...)
	}
	var meant []string
	for _, unknown := range celUndefined.FindAllStringSubmatch(message, -1) {
		meant = append(meant, nearestName(unknown[1], known))
	}
	return meantHint(meant)
}

// meantHint is the hint with the names that were probably meant, some of which may be empty.
func meantHint(meant []string) string {
	if meant = slices.DeleteFunc(meant, func(name string) bool { return name == "" }); len(meant) > 0 {
		return `did you mean "` + strings.Join(slices.Compact(meant), `", "`) + `"?`
	}
	return ""
}

// notDeclaredHint helps with a variable that is not there, and that is like none that is.
func (m Manifest) notDeclaredHint(path, message string) string {
	unknown := celUndeclared.FindStringSubmatch(message)
	switch {
	case unknown == nil, strings.Contains(message, unknown[1]+"("), slices.Contains(expression.Functions(), unknown[1]):
		return "" // it is called, or another release has it
	case m.isPolicy() && didyoumean.Nearest(unknown[1], []string{"params"}) != "":
		return "params are those of the spec's paramKind, which is missing"
	}
	return "expressions here see " + strings.Join(m.celVariables(path), ", ")
}

// nearestName is the one of known that was probably meant; of two that are as near, the one that
// begins like it. There is none for what is known elsewhere only.
func nearestName(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	slices.SortStableFunc(known, func(a, b string) int { return begins(name, b) - begins(name, a) })
	return didyoumean.Nearest(name, known)
}

func begins(a, b string) int {
	if a != "" && b != "" && a[0] == b[0] {
		return 1
	}
	return 0
}

// typeHint says how an expression becomes of the type that it has to be.
func typeHint(want, got string) string {
	switch {
	case strings.Contains(want, "string"):
		return "string(…) around it makes a text of it"
	case want == "bool" && got == "dyn":
		return "a field of an object can have any type: compare it, as in … == 'yes', or take it as a boolean with bool(…)"
	case want == "bool":
		return "compare it with something: the expression has to be true or false"
	}
	return ""
}

func (m Manifest) isPolicy() bool { return strings.HasSuffix(m.Kind, "AdmissionPolicy") }

// celVariables are the names that the expression at path sees.
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
		return sees // of suites
	case m.Group == Group:
		return append(sees, "authorizer", "call")
	}
	return append(sees, "authorizer")
}

// A policySpec is what is asked about the spec of a policy here.
type policySpec struct {
	ParamKind *struct{ APIVersion, Kind string }
	Variables []struct{ Name string }
}

func (m Manifest) specOfPolicy() policySpec {
	var policy struct{ Spec policySpec }
	_ = json.Unmarshal(m.JSON, &policy) // told when it is decoded
	return policy.Spec
}

// celFields are the fields that one that is not there may have been meant to be.
func (m Manifest) celFields(unknown, message string) (names []string) {
	switch {
	case m.Kind == "CustomResourceDefinition":
		var whole any
		_ = json.Unmarshal(m.JSON, &whole) // told when it is decoded
		return propertiesIn(whole)
	case !strings.Contains(message, "variables."+unknown):
		return expression.Fields()
	}
	for _, v := range m.specOfPolicy().Variables {
		names = append(names, v.Name)
	}
	return names
}

// propertiesIn are the names of all properties that the schemas of a definition have, sorted.
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
