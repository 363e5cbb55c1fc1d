package manifests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/discovery"
)

const alternativeTheme = "What needs no webhook"

func alternativeRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM080", Name: "custom-resource-schema", Theme: alternativeTheme, Severity: lint.Info, Practice: "no-crd-validation-defaulting",
			Title:  "A webhook validates or defaults custom resources whose CustomResourceDefinition could do so.",
			Why:    "A CustomResourceDefinition can contain CEL rules and default values. They cannot be down, need no call, and clients can see them. (Checked if the manifests contain the definition.)",
			Remedy: "move what is possible to x-kubernetes-validations and default in the schema, or to a ValidatingAdmissionPolicy",
			Needs:  []string{lint.ValidatingPolicies}, Otherwise: "move what is possible to the schema: types, patterns, limits and default",
			Check: lint.EachHook(customSchema),
		},
		{
			ID: "ADM081", Name: "pod-updates", Theme: alternativeTheme, Severity: lint.Info, Practice: "filter-match-conditions",
			Title:  "A mutating webhook is called for updates of pods.",
			Why:    "Hardly anything in the spec of an existing pod can change. Updates are mostly labels, annotations and finalizers that controllers write. Injectors only need to see new pods.",
			Remedy: "match only CREATE, or select the updates that matter with a match condition",
			Needs:  []string{lint.MatchConditions}, Otherwise: "match only CREATE",
			Check: lint.EachHook(podUpdates),
		},
	}
}

func customSchema(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	keyword, verb := `"x-kubernetes-validations"`, "validates"
	if h.Mutating {
		keyword, verb = `"default"`, "changes"
	}
	var names []string
	for _, rule := range h.Rules {
		if !slices.ContainsFunc(rule.Operations, writesObject) {
			continue // a schema says nothing about deletions
		}
		for _, resource := range served(s, rule) {
			if resource.CRD == nil || mentions(resource, keyword) {
				return
			}
			if !slices.Contains(names, resource.Resource) {
				names = append(names, resource.Resource)
			}
		}
	}
	if len(names) > 0 {
		r.At(h.Field(""), "%s %s, for which the schema has no %s", verb, strings.Join(names, ", "), strings.Trim(keyword, `"`))
	}
}

func writesObject(o admissionregistrationv1.OperationType) bool {
	return o != admissionregistrationv1.Delete && o != admissionregistrationv1.Connect
}

// mentions reports whether the schema of a custom resource uses a keyword.
func mentions(r discovery.Resource, keyword string) bool {
	for _, v := range r.CRD.Spec.Versions {
		if v.Name != r.Version || v.Schema == nil {
			continue
		}
		text, err := json.Marshal(v.Schema)
		return err == nil && strings.Contains(string(text), keyword+":")
	}
	return false
}

func podUpdates(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if !h.Mutating || len(h.MatchConditions) > 0 {
		return
	}
	for i, rule := range h.Rules {
		updates := slices.Contains(rule.Operations, admissionregistrationv1.Update)
		if updates && slices.Contains(rule.APIGroups, "") && slices.Contains(rule.Resources, "pods") {
			r.At(h.Field(fmt.Sprintf("rules[%d].operations", i)), "called for updates of pods")
		}
	}
}
