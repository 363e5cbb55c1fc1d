package lint

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/pkg/cluster"
)

const selectorTheme = "Which of them are left out"

func selectorRules() []Rule {
	return []Rule{
		{
			ID: "ADM020", Name: "no-selectors", Theme: selectorTheme, Severity: Info, Practice: "webhook-limit-scope",
			Title:  "A webhook for workloads selects nothing: every namespace is its own, kube-system too.",
			Why:    "A webhook that is called for less is in the way of less. With failurePolicy Fail this is ADM032.",
			Remedy: "say which namespaces or objects it is about: namespaceSelector, objectSelector, matchConditions",
			check:  eachHook(noSelectors),
		},
		{
			ID: "ADM021", Name: "contradiction", Theme: selectorTheme, Severity: Error,
			Title:  "A selector contradicts itself, so that the webhook or policy never applies.",
			Why:    "What it is there to refuse is let through, what it is there to add is missing, and no error says so.",
			Remedy: "drop one of the requirements, or make two of it",
			check:  contradictions,
		},
		{
			ID: "ADM022", Name: "opt-out-by-users", Theme: selectorTheme, Severity: Warning,
			Title:  "Whoever writes an object can keep a validating webhook or policy from seeing it.",
			Why:    "Labels and annotations of an object are chosen by its author. A validator that leaves objects out by them only checks those who want to be checked.",
			Remedy: "leave out whole namespaces by the namespaceSelector, or requests by who makes them: a match condition on request.userInfo",
			check:  eachSelection(optOut),
		},
		{
			ID: "ADM023", Name: "selector-without-effect", Theme: selectorTheme, Severity: Info,
			Title:  "A namespaceSelector selects among objects that are in no namespace.",
			Why:    "It lets all of them pass: the API server asks it only about what is in a namespace, and about namespaces.",
			Remedy: "drop it, or use an objectSelector or a match condition",
			check:  eachHook(withoutEffect),
		},
		{
			ID: "ADM024", Name: "unset-label", Theme: selectorTheme, Severity: Warning, Practice: "webhook-limit-scope",
			Title:  "A namespace is left out by a label that it does not have.",
			Why:    "Only kubernetes.io/metadata.name is on every namespace. Another label with the name of the namespace is there only if somebody put it there; without it the namespace is not left out.",
			Remedy: "use the key kubernetes.io/metadata.name",
			check:  eachSelection(unsetLabel),
		},
		{
			ID: "ADM025", Name: "opt-out-by-namespace", Theme: selectorTheme, Severity: Info,
			Title:  "Whoever may write namespaces can keep a validating webhook or policy from seeing what is in one.",
			Why:    "Labels of a namespace are chosen by who creates or changes it. Only kubernetes.io/metadata.name is set by the server and cannot be changed.",
			Remedy: "select by kubernetes.io/metadata.name, or let nobody create namespaces or change their labels who is to be checked: by RBAC, or by a policy for namespaces",
			check:  eachSelection(namespaceOptOut),
		},
	}
}

func noSelectors(s *subject, h *hook, r *reporter) {
	if h.selective() || h.FailsClosed() {
		return
	}
	if _, all := h.everything(); all {
		return // ADM001
	}
	if seen := s.seen(h, workloads); len(seen) > 0 {
		r.at(h.field("rules"), "called in every namespace, kube-system included, to %s", inWords(seen))
	}
}

func contradictions(s *subject, r *reporter) {
	eachSelection(contradiction)(s, r)
	eachBinding(boundToNothing)(s, r)
}

func contradiction(_ *subject, h selection, r *reporter) {
	if key, ok := compatible([]string{corev1.LabelMetadataName}, h.namespaceSelector); !ok {
		r.at(h.field("namespaceSelector"), "no namespace can match: the requirements for the label %s exclude each other", key)
	}
	if key, ok := compatible(nil, h.objectSelector); !ok {
		r.at(h.field("objectSelector"), "no object can match: the requirements for the label %s exclude each other", key)
	}
}

// What a match condition reads that the author of the object chooses.
var readsLabels = lazyregexp.New(`\b(object|oldObject)\.\??metadata\.\??(labels|annotations)\b`)

func optOut(_ *subject, h selection, r *reporter) {
	if !h.validates {
		return
	}
	for _, q := range requirementsOf(h.objectSelector) {
		if label, out := labelOf(q); out {
			r.at(h.field("objectSelector"), "whoever labels an object %s is not checked", label)
		} else {
			r.at(h.field("objectSelector"), "whoever leaves the label %s off an object is not checked", label)
		}
	}
	for i, c := range h.matchConditions {
		if found := readsLabels().FindString(c.Expression); found != "" {
			r.at(h.at(fmt.Sprintf("%s[%d].expression", h.conditionField, i)), "the match condition %s decides by %s, which the author of the object chooses", c.Name, found)
		}
	}
}

func namespaceOptOut(_ *subject, h selection, r *reporter) {
	if !h.validates {
		return
	}
	for _, q := range requirementsOf(h.namespaceSelector) {
		if q.Key == corev1.LabelMetadataName {
			continue
		}
		if label, out := labelOf(q); out {
			r.at(h.field("namespaceSelector"), "whoever labels a namespace %s is not checked in it", label)
		} else {
			r.at(h.field("namespaceSelector"), "nobody is checked in a namespace without the label %s", label)
		}
	}
}

// labelOf is the label that a requirement is about; out tells whether those that have it are
// left out.
func labelOf(q metav1.LabelSelectorRequirement) (label string, out bool) {
	label = q.Key
	if len(q.Values) > 0 {
		label += "=" + q.Values[0]
	}
	return label, q.Operator == metav1.LabelSelectorOpNotIn || q.Operator == metav1.LabelSelectorOpDoesNotExist
}

func withoutEffect(s *subject, h *hook, r *reporter) {
	if !asks(h.NamespaceSelector) {
		return
	}
	var names []string
	for _, rule := range h.Rules {
		for _, resource := range s.served(rule) {
			if resource.Namespaced || resource.Resource == "namespaces" {
				return
			}
			if !slices.Contains(names, resource.Resource) {
				names = append(names, resource.Resource)
			}
		}
	}
	if len(names) > 0 {
		r.at(h.field("namespaceSelector"), "has no effect: %s are in no namespace", strings.Join(names, ", "))
	}
}

func unsetLabel(s *subject, h selection, r *reporter) {
	if h.namespaceSelector == nil {
		return
	}
	for i, q := range h.namespaceSelector.MatchExpressions {
		if q.Operator != metav1.LabelSelectorOpNotIn || q.Key == corev1.LabelMetadataName {
			continue
		}
		for _, value := range q.Values {
			ns, exists := cluster.Get[*corev1.Namespace](s.state, namespaceKind, "", value)
			if exists && ns.Labels[q.Key] != value {
				r.at(h.field(fmt.Sprintf("namespaceSelector.matchExpressions[%d].key", i)), "namespace %s has no label %s=%s, so that it is not left out", value, q.Key, value)
			}
		}
	}
}
