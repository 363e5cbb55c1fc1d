package scenario

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An Engine evaluates policies of its own kinds, as a webhook.
type Engine struct {
	Name string
	// Word is in the name of each webhook configuration of the engine, and of the policies that it generates.
	Word string

	kinds map[string][]string // by group; empty: all of them
	later bool                // its webhook configurations are written while it runs
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

// EngineOf is the engine whose policies are of a kind.
func EngineOf(kind schema.GroupVersionKind) (Engine, bool) {
	for _, e := range engines {
		if kinds, ok := e.kinds[kind.Group]; ok && (len(kinds) == 0 || slices.Contains(kinds, kind.Kind)) {
			return e, true
		}
	}
	return Engine{}, false
}

// Names reports whether a webhook configuration or a policy of Kubernetes is called as those of the engine.
func (e Engine) Names(object string) bool { return strings.Contains(strings.ToLower(object), e.Word) }

// Hint is what to do about a cluster with policies that nothing evaluates.
func (e Engine) Hint() string {
	if e.later {
		return e.Name + " writes its webhook configurations while it runs: take them from a cluster with admsim snapshot, and name who answers for them, such as its own program (docs/policies.md)"
	}
	return "load the webhook configurations of " + e.Name + ", and name who answers for them, such as its own program (docs/policies.md)"
}
