package scenario

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An Engine is a policy engine: it evaluates policies of its own kinds in a webhook.
type Engine struct {
	Name string
	// Word occurs in the names of the engine's webhook configurations, and of the policies that it generates.
	Word string

	kinds map[string][]string // by group; empty: all kinds of the group
	later bool                // it creates its webhook configurations while it runs
}

var engines = []Engine{
	{Name: "Kyverno", Word: "kyverno", later: true, kinds: map[string][]string{
		"kyverno.io": {"ClusterPolicy", "Policy"},
		"policies.kyverno.io": {
			"ValidatingPolicy", "MutatingPolicy", "GeneratingPolicy", "ImageValidatingPolicy",
			"NamespacedValidatingPolicy", "NamespacedMutatingPolicy", "NamespacedGeneratingPolicy", "NamespacedImageValidatingPolicy",
		},
	}},
	{Name: "Gatekeeper", Word: "gatekeeper", kinds: map[string][]string{
		"templates.gatekeeper.sh":   {"ConstraintTemplate"},
		"constraints.gatekeeper.sh": {},
		"mutations.gatekeeper.sh":   {},
	}},
	{Name: "Kubewarden", Word: "kubewarden", later: true, kinds: map[string][]string{
		"policies.kubewarden.io": {"AdmissionPolicy", "ClusterAdmissionPolicy", "AdmissionPolicyGroup", "ClusterAdmissionPolicyGroup"},
	}},
}

// EngineOf returns the engine that evaluates policies of a kind.
func EngineOf(kind schema.GroupVersionKind) (Engine, bool) {
	for _, e := range engines {
		if kinds, ok := e.kinds[kind.Group]; ok && (len(kinds) == 0 || slices.Contains(kinds, kind.Kind)) {
			return e, true
		}
	}
	return Engine{}, false
}

// Names reports whether a webhook configuration or policy of Kubernetes has a name that the engine uses.
func (e Engine) Names(object string) bool { return strings.Contains(strings.ToLower(object), e.Word) }

// Hint says what to do about a cluster whose policies nothing evaluates.
func (e Engine) Hint() string {
	if e.later {
		return e.Name + " writes its webhook configurations while it runs: take them from a cluster with admsim snapshot, and name what answers for them, such as its own program (docs/policies.md)"
	}
	return "load the webhook configurations of " + e.Name + ", and name what answers for them, such as its own program (docs/policies.md)"
}
