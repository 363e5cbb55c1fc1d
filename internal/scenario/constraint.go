package scenario

import (
	"encoding/json"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/pkg/cluster"
)

const (
	templateGroup   = "templates.gatekeeper.sh"
	constraintGroup = "constraints.gatekeeper.sh"
)

// ConstraintDefinition returns the CustomResourceDefinition that Gatekeeper installs for the constraints of a
// ConstraintTemplate, nil if the template names no kind. The match section of constraints may have any fields:
// Gatekeeper's webhook checks it.
func ConstraintDefinition(template map[string]any) map[string]any {
	kind, _, _ := unstructured.NestedString(template, "spec", "crd", "spec", "names", "kind")
	if kind == "" {
		return nil
	}
	names := map[string]any{
		"kind": kind, "listKind": kind + "List", "plural": strings.ToLower(kind), "singular": strings.ToLower(kind),
		"categories": []any{"constraint", "constraints"},
	}
	if short, _, _ := unstructured.NestedSlice(template, "spec", "crd", "spec", "names", "shortNames"); len(short) > 0 {
		names["shortNames"] = short
	}
	open := func() map[string]any {
		return map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}
	}
	spec := open()
	if parameters := parameterSchema(template); parameters != nil {
		spec["properties"] = map[string]any{"parameters": parameters}
	}
	version := func(name string, storage bool) map[string]any {
		return map[string]any{
			"name": name, "served": true, "storage": storage,
			"schema": map[string]any{"openAPIV3Schema": map[string]any{
				"type": "object", "properties": map[string]any{"spec": spec, "status": open()},
			}},
			"subresources": map[string]any{"status": map[string]any{}},
		}
	}
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata": map[string]any{
			"name":   strings.ToLower(kind) + "." + constraintGroup,
			"labels": map[string]any{"gatekeeper.sh/constraint": "yes"},
		},
		"spec": map[string]any{
			"group": constraintGroup, "scope": "Cluster", "names": names,
			"versions": []any{version("v1beta1", true), version("v1alpha1", false)},
		},
	}
}

// parameterSchema returns the schema of a template for parameters, which may give them defaults. It returns nil for a
// legacy schema, which a server might not accept.
func parameterSchema(template map[string]any) map[string]any {
	validation, _, _ := unstructured.NestedMap(template, "spec", "crd", "spec", "validation")
	parameters, _ := validation["openAPIV3Schema"].(map[string]any)
	legacy, given := validation["legacySchema"].(bool)
	if !given {
		legacy = template["apiVersion"] != templateGroup+"/v1"
	}
	if legacy || parameters["type"] == nil {
		return nil
	}
	return parameters
}

// constraintDefinitions returns the definitions that Gatekeeper would create from the templates, except those that are
// among the manifests or in the cluster already.
func constraintDefinitions(found []manifest.Manifest, base *cluster.State) (made []manifest.Manifest) {
	isTemplate := func(m manifest.Manifest) bool { return m.Group == templateGroup && m.Kind == "ConstraintTemplate" }
	if !slices.ContainsFunc(found, isTemplate) {
		return nil
	}
	known := map[string]bool{}
	for _, m := range found {
		if m.Group == apiextensionsv1.GroupName {
			known[m.Name] = true
		}
	}
	for _, m := range found {
		var template map[string]any
		if !isTemplate(m) || json.Unmarshal(m.JSON, &template) != nil {
			continue
		}
		definition := unstructured.Unstructured{Object: ConstraintDefinition(template)}
		if definition.Object == nil || known[definition.GetName()] {
			continue
		}
		kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
		if _, there := cluster.Get[*apiextensionsv1.CustomResourceDefinition](base, kind.GroupKind(), "", definition.GetName()); there {
			continue
		}
		known[definition.GetName()] = true
		made = append(made, manifest.Manifest{
			GroupVersionKind: schema.GroupVersionKind(kind), Name: definition.GetName(), JSON: manifest.Encode(definition.Object), Source: m.Source,
		})
	}
	return made
}
