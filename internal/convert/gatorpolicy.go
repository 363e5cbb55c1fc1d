package convert

import (
	"maps"
	"slices"
	"strings"
)

// gatorPolicy returns the policy that Gatekeeper would generate from a template for a single constraint: the match of
// the constraint becomes conditions. It also returns the parts of match that cannot be converted.
func gatorPolicy(template, constraint document, code map[string]any) (policy any, unknown []string) {
	conditions, unknown := matchConditions(constraint)
	conditions = append(conditions, list(code, "matchConditions")...)
	spec := map[string]any{
		"paramKind": map[string]any{"apiVersion": constraint.GroupVersion().String(), "kind": constraint.Kind},
		"matchConstraints": map[string]any{"resourceRules": []any{map[string]any{
			"apiGroups": []any{"*"}, "apiVersions": []any{"*"}, "resources": []any{"*"}, "operations": gatorOperations(template),
		}}},
		"variables": append([]any{
			map[string]any{"name": "params", "expression": "!has(params.spec) ? null : !has(params.spec.parameters) ? null : params.spec.parameters"},
			map[string]any{"name": "anyObject", "expression": `has(request.operation) && request.operation == "DELETE" && object == null ? oldObject : object`},
		}, list(code, "variables")...),
		"validations": list(code, "validations"),
	}
	if len(conditions) > 0 {
		spec["matchConditions"] = conditions
	}
	if failure := text(code, "failurePolicy"); failure != "" {
		spec["failurePolicy"] = failure
	}
	return map[string]any{
		"apiVersion": registration + "/v1",
		"kind":       "ValidatingAdmissionPolicy",
		"metadata":   map[string]any{"name": gatorPolicyName(template, constraint)},
		"spec":       spec,
	}, unknown
}

func gatorPolicyName(template, constraint document) string {
	return "gatekeeper-" + template.Name + "-" + constraint.Name
}

func gatorOperations(template document) []any {
	for _, target := range list(template.value, "spec", "targets") {
		if operations := list(target, "operations"); len(operations) > 0 {
			return operations
		}
	}
	return []any{"CREATE", "UPDATE", "DELETE"}
}

// matchConditions returns what a constraint matches apart from selectors, in CEL.
func matchConditions(constraint document) (conditions []any, unknown []string) {
	match, _ := at(constraint.value, "spec", "match").(map[string]any)
	add := func(name, expression string) {
		conditions = append(conditions, map[string]any{"name": name, "expression": expression})
	}
	namespace := `(request.kind.group == "" && request.kind.kind == "Namespace" ? (object == null ? oldObject : object).metadata.name : request.namespace)`
	for _, key := range slices.Sorted(maps.Keys(match)) {
		switch key {
		case "kinds":
			var any []string
			for _, one := range list(match, "kinds") {
				any = append(any, "("+oneOf("request.kind.group", texts(one, "apiGroups"))+" && "+oneOf("request.kind.kind", texts(one, "kinds"))+")")
			}
			if len(any) > 0 {
				add("kinds", strings.Join(any, " || "))
			}
		case "namespaces":
			add(key, `request.namespace == "" && request.kind.kind != "Namespace" || `+globs(namespace, texts(match, key)))
		case "excludedNamespaces":
			add(key, "!("+globs(namespace, texts(match, key))+")")
		case "name":
			add(key, globs("(object == null ? oldObject : object).metadata.name", []string{text(match, key)}))
		case "scope":
			switch text(match, key) {
			case "Namespaced":
				add(key, `request.namespace != ""`)
			case "Cluster":
				add(key, `request.namespace == ""`)
			}
		case "labelSelector", "namespaceSelector": // part of the binding
		case "source":
			if text(match, key) == "Generated" {
				unknown = append(unknown, key)
			}
		default:
			unknown = append(unknown, key)
		}
	}
	return conditions, unknown
}

func oneOf(value string, of []string) string {
	if len(of) == 0 || slices.Contains(of, "*") {
		return "true"
	}
	return value + " in [" + quoted(of) + "]"
}

func quoted(all []string) string {
	words := make([]string, len(all))
	for i, one := range all {
		words[i] = `"` + strings.ReplaceAll(strings.ReplaceAll(one, `\`, `\\`), `"`, `\"`) + `"`
	}
	return strings.Join(words, ", ")
}

// globs returns an expression for whether a value is one of several, where a star at the beginning or end stands for
// any text.
func globs(value string, of []string) string {
	var any []string
	for _, one := range of {
		trimmed := strings.Trim(one, "*")
		switch begins, ends := strings.HasPrefix(one, "*"), strings.HasSuffix(one, "*"); {
		case begins && ends:
			any = append(any, value+".contains("+quoted([]string{trimmed})+")")
		case begins:
			any = append(any, value+".endsWith("+quoted([]string{trimmed})+")")
		case ends:
			any = append(any, value+".startsWith("+quoted([]string{trimmed})+")")
		default:
			any = append(any, value+" == "+quoted([]string{one}))
		}
	}
	if len(any) == 0 {
		return "true"
	}
	return strings.Join(any, " || ")
}

// gatorBinding returns the binding of the policy to its constraint.
func gatorBinding(template, constraint document) any {
	spec := map[string]any{
		"policyName":        gatorPolicyName(template, constraint),
		"validationActions": []any{"Deny"},
		"paramRef":          map[string]any{"name": constraint.Name, "parameterNotFoundAction": "Deny"},
	}
	resources := map[string]any{}
	if s := at(constraint.value, "spec", "match", "labelSelector"); s != nil {
		resources["objectSelector"] = s
	}
	if s := at(constraint.value, "spec", "match", "namespaceSelector"); s != nil {
		resources["namespaceSelector"] = s
	}
	if len(resources) > 0 {
		spec["matchResources"] = resources
	}
	return map[string]any{
		"apiVersion": registration + "/v1",
		"kind":       "ValidatingAdmissionPolicyBinding",
		"metadata":   map[string]any{"name": gatorPolicyName(template, constraint)},
		"spec":       spec,
	}
}
