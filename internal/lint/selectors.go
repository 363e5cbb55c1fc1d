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

const selectorTheme = "What webhooks are not called for"

func selectorRules() []Rule {
	return []Rule{
		{
			ID: "ADM020", Name: "no-selectors", Theme: selectorTheme, Severity: Info, Practice: "webhook-limit-scope",
			Title:  "A webhook for workloads has no selector: it is called in every namespace, including kube-system.",
			Why:    "A webhook that is called for fewer requests can break fewer requests. With failurePolicy Fail, ADM032 is reported instead.",
			Remedy: "select the namespaces or objects that it is for, with namespaceSelector, objectSelector or matchConditions",
			check:  eachHook(noSelectors),
		},
		{
			ID: "ADM021", Name: "contradiction", Theme: selectorTheme, Severity: Error,
			Title:  "A selector contradicts itself, so the webhook or policy never applies.",
			Why:    "What it should refuse is admitted, what it should add is missing, and no error is reported.",
			Remedy: "remove one of the requirements, or make two webhooks or policies of it",
			check:  contradictions,
		},
		{
			ID: "ADM022", Name: "opt-out-by-users", Theme: selectorTheme, Severity: Warning,
			Title:  "The author of an object can keep a validating webhook or policy from seeing it.",
			Why:    "The author of an object chooses its labels and annotations. A validator that excludes objects by labels or annotations only checks authors who want to be checked.",
			Remedy: "exclude whole namespaces with the namespaceSelector, or certain users with a match condition on request.userInfo",
			check:  eachSelection(optOut),
		},
		{
			ID: "ADM023", Name: "selector-without-effect", Theme: selectorTheme, Severity: Info,
			Title:  "A namespaceSelector is used for resources that have no namespace.",
			Why:    "It matches all of them: the API server only applies it to objects in a namespace, and to namespaces.",
			Remedy: "remove it, or use an objectSelector or a match condition",
			check:  eachHook(withoutEffect),
		},
		{
			ID: "ADM024", Name: "unset-label", Theme: selectorTheme, Severity: Warning, Practice: "webhook-limit-scope",
			Title:  "A namespace is excluded by a label that it does not have.",
			Why:    "Only the label kubernetes.io/metadata.name is on every namespace. Any other label with the name of the namespace exists only if somebody added it. Without it, the namespace is not excluded.",
			Remedy: "use the key kubernetes.io/metadata.name",
			check:  eachSelection(unsetLabel),
		},
		{
			ID: "ADM025", Name: "opt-out-by-namespace", Theme: selectorTheme, Severity: Info,
			Title:  "Users who may write namespaces can keep a validating webhook or policy from seeing the objects in one.",
			Why:    "The users who create or change a namespace choose its labels. Only kubernetes.io/metadata.name is set by the server and cannot be changed.",
			Remedy: "select by kubernetes.io/metadata.name, or use RBAC or a policy for namespaces so that the users to be checked cannot create namespaces or change their labels",
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
			r.at(h.field("namespaceSelector"), "nothing is checked in namespaces without the label %s", label)
		}
	}
}

// labelOf is the label that a requirement is about; out reports whether those that have it are
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
