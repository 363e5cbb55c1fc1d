package convert

import (
	"maps"
	"slices"
	"strings"
)

const registration = "admissionregistration.k8s.io"

// policies are admission policies and their bindings, by the name of the policy.
type policies struct {
	policy   map[string]document
	bindings map[string][]document
	others   []document
}

func sortPolicies(all []document) policies {
	p := policies{policy: map[string]document{}, bindings: map[string][]document{}}
	for _, d := range all {
		d = released(d)
		switch {
		case d.Group == registration && strings.HasSuffix(d.Kind, "AdmissionPolicy"):
			p.policy[d.Name] = d
		case d.Group == registration && strings.HasSuffix(d.Kind, "AdmissionPolicyBinding"):
			name := text(d.value, "spec", "policyName")
			p.bindings[name] = append(p.bindings[name], d)
		default:
			p.others = append(p.others, d)
		}
	}
	return p
}

// released returns a policy or binding in v1. Policies that were written for a beta version have the same fields.
func released(d document) document {
	if d.Group != registration || !strings.HasPrefix(d.Version, "v1alpha") && !strings.HasPrefix(d.Version, "v1beta") {
		return d
	}
	d.Version = "v1"
	value := copied(d)
	value["apiVersion"] = d.GroupVersion().String()
	d.value = value
	return d
}

// binding returns a binding for a policy without one: it denies, and applies to everything that the policy matches.
func binding(policy document, param map[string]any) map[string]any {
	spec := map[string]any{"policyName": policy.Name}
	if policy.Kind == "ValidatingAdmissionPolicy" {
		spec["validationActions"] = []any{"Deny"}
	}
	if param != nil {
		param["parameterNotFoundAction"] = "Deny"
		spec["paramRef"] = param
	}
	return map[string]any{
		"apiVersion": policy.GroupVersion().String(),
		"kind":       policy.Kind + "Binding",
		"metadata":   map[string]any{"name": policy.Name},
		"spec":       spec,
	}
}

// denying returns a binding with the action Deny, whatever its actions are: tests of policies are about the decision of
// the policy.
func denying(binding document) map[string]any {
	b := copied(binding)
	if strings.HasPrefix(binding.Kind, "Validating") {
		under(b, "spec")["validationActions"] = []any{"Deny"}
	}
	return b
}

// namespacesOf returns the namespaces of objects, with their labels, except for those that are among the objects or
// exist in every cluster.
func namespacesOf(objects []document, labels map[string]any) (all []any) {
	there := map[string]bool{"": true, "default": true, "kube-system": true, "kube-public": true, "kube-node-lease": true}
	wanted := map[string]bool{}
	for name := range labels {
		wanted[name] = true
	}
	for _, o := range objects {
		if o.Group == "" && o.Kind == "Namespace" {
			there[o.Name] = true
		} else {
			wanted[o.Namespace] = wanted[o.Namespace] || !there[o.Namespace]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if !wanted[name] || there[name] && labels[name] == nil {
			continue
		}
		meta := map[string]any{"name": name}
		if labels[name] != nil {
			meta["labels"] = labels[name]
		}
		all = append(all, map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
	}
	return all
}
