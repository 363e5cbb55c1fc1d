package lint

import (
	"encoding/json"
	"strings"
)

const policyTheme = "Policies in place of webhooks"

func policyRules() []Rule {
	return []Rule{
		{
			ID: "ADM085", Name: "policy-without-binding", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy is bound nowhere.",
			Why:    "A ValidatingAdmissionPolicy or MutatingAdmissionPolicy does nothing until a binding says where it holds.",
			Remedy: "add a binding with its name as policyName",
			check:  policyWithoutBinding,
		},
		{
			ID: "ADM086", Name: "binding-without-policy", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "A binding names a policy that is not there.",
			Why:    "It does nothing, and nobody says so.",
			Remedy: "correct policyName, or add the policy",
			check:  bindingWithoutPolicy,
		},
	}
}

const bindingSuffix = "Binding"

func isPolicy(kind string) bool {
	return kind == "ValidatingAdmissionPolicy" || kind == "MutatingAdmissionPolicy"
}

// policies are those of the manifests, and those that a binding names, by kind and name.
func (s *subject) policies() (policies, bound map[string]bool) {
	policies, bound = map[string]bool{}, map[string]bool{}
	for _, m := range s.Manifests {
		kind, isBinding := strings.CutSuffix(m.Kind, bindingSuffix)
		switch {
		case !isPolicy(kind):
		case isBinding:
			bound[kind+"/"+policyNameOf(m.JSON)] = true
		default:
			policies[kind+"/"+m.Name] = true
		}
	}
	return policies, bound
}

func policyWithoutBinding(s *subject, r *reporter) {
	_, bound := s.policies()
	for _, m := range s.Manifests {
		if isPolicy(m.Kind) && !bound[m.Kind+"/"+m.Name] {
			r.at(place{manifest: m, field: "metadata.name"}, "no binding makes it hold")
		}
	}
}

// bindingWithoutPolicy only judges manifests that hold policies: others may merely bind
// what is there already.
func bindingWithoutPolicy(s *subject, r *reporter) {
	policies, _ := s.policies()
	for _, m := range s.Manifests {
		kind, isBinding := strings.CutSuffix(m.Kind, bindingSuffix)
		if !isBinding || !isPolicy(kind) || !s.holds(kind) {
			continue
		}
		if name := policyNameOf(m.JSON); !policies[kind+"/"+name] {
			r.at(place{manifest: m, field: "spec.policyName"}, "there is no %s %s", kind, name)
		}
	}
}

func policyNameOf(binding []byte) string {
	var o struct {
		Spec struct {
			PolicyName string `json:"policyName"`
		} `json:"spec"`
	}
	_ = json.Unmarshal(binding, &o) // it was decoded before, as an object of the cluster
	return o.Spec.PolicyName
}
