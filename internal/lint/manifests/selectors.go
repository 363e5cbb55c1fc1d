package manifests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/cluster"
)

const selectorTheme = "What webhooks are not called for"

func selectorRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM020", Name: "no-selectors", Theme: selectorTheme, Severity: lint.Info, Practice: "webhook-limit-scope",
			Title:  "A webhook for workloads has no selector: it is called in every namespace, including kube-system.",
			Why:    "A webhook that is called for fewer requests can break fewer requests. With failurePolicy Fail, ADM032 is reported instead.",
			Remedy: "select the namespaces or objects that it is for, with namespaceSelector, objectSelector or matchConditions",
			Needs:  []string{lint.MatchConditions}, Otherwise: "select the namespaces or objects that it is for, with namespaceSelector or objectSelector",
			Check: lint.EachHook(noSelectors),
		},
		{
			ID: "ADM021", Name: "contradiction", Theme: selectorTheme, Severity: lint.Error,
			Title:  "A selector contradicts itself, so the webhook or policy never applies.",
			Why:    "What it should refuse is admitted, what it should add is missing, and no error is reported.",
			Remedy: "remove one of the requirements, or make two webhooks or policies of it",
			Check:  contradictions,
		},
		{
			ID: "ADM022", Name: "opt-out-by-users", Theme: selectorTheme, Severity: lint.Warning,
			Title:  "The author of an object can keep a validating webhook or policy from seeing it.",
			Why:    "The author of an object chooses its labels and annotations. A validator that excludes objects by labels or annotations only checks authors who want to be checked. (An objectSelector that asks for a label is not reported: such a validator is only meant for the objects that have it.)",
			Remedy: "exclude whole namespaces with the namespaceSelector, or certain users with a match condition on request.userInfo",
			Needs:  []string{lint.MatchConditions}, Otherwise: "exclude whole namespaces with the namespaceSelector",
			Check: lint.EachSelection(optOut),
		},
		{
			ID: "ADM023", Name: "selector-without-effect", Theme: selectorTheme, Severity: lint.Info,
			Title:  "A namespaceSelector is used for resources that have no namespace.",
			Why:    "It matches all of them: the API server only applies it to objects in a namespace, and to namespaces.",
			Remedy: "remove it, or use an objectSelector or a match condition",
			Needs:  []string{lint.MatchConditions}, Otherwise: "remove it, or use an objectSelector",
			Check: lint.EachHook(withoutEffect),
		},
		{
			ID: "ADM024", Name: "unset-label", Theme: selectorTheme, Severity: lint.Warning, Practice: "webhook-limit-scope",
			Title:  "A namespace is excluded by a label that it does not have.",
			Why:    "Only the label kubernetes.io/metadata.name is on every namespace. Any other label with the name of the namespace exists only if somebody added it. Without it, the namespace is not excluded.",
			Remedy: "use the key kubernetes.io/metadata.name",
			Check:  lint.EachSelection(unsetLabel),
		},
		{
			ID: "ADM025", Name: "opt-out-by-namespace", Theme: selectorTheme, Severity: lint.Info,
			Title:  "Users who may write namespaces can keep a validating webhook or policy from seeing the objects in one.",
			Why:    "The users who create or change a namespace choose its labels. Only kubernetes.io/metadata.name is set by the server and cannot be changed. (A namespaceSelector that asks for a label is not reported: the namespaces that have it were chosen.)",
			Remedy: "select by kubernetes.io/metadata.name, or use RBAC or a policy for namespaces so that the users to be checked cannot create namespaces or change their labels",
			Check:  lint.EachSelection(namespaceOptOut),
		},
	}
}

func noSelectors(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if h.Selective() || h.FailsClosed() {
		return
	}
	if _, all := everything(h); all {
		return // ADM001
	}
	if seen := s.Sees(h, lint.Workloads); len(seen) > 0 {
		r.At(h.Field("rules"), "called in every namespace, kube-system included, to %s", inWords(seen))
	}
}

func contradictions(s *lint.Subject, r *lint.Reporter) {
	lint.EachSelection(contradiction)(s, r)
	lint.EachBinding(boundToNothing)(s, r)
}

func contradiction(_ *lint.Subject, h lint.Selection, r *lint.Reporter) {
	if key, ok := compatible([]string{corev1.LabelMetadataName}, h.NamespaceSelector); !ok {
		r.At(h.Field("namespaceSelector"), "no namespace can match: the requirements for the label %s exclude each other", key)
	}
	if key, ok := compatible(nil, h.ObjectSelector); !ok {
		r.At(h.Field("objectSelector"), "no object can match: the requirements for the label %s exclude each other", key)
	}
}

// readsLabels matches what a match condition reads and the author of the object chooses.
var readsLabels = regexp.MustCompile(`\b(object|oldObject)\.\??metadata\.\??(labels|annotations)\b`)

func optOut(_ *lint.Subject, h lint.Selection, r *lint.Reporter) {
	if !h.Validates {
		return
	}
	for _, label := range excluded(h.ObjectSelector) {
		r.At(h.Field("objectSelector"), "whoever labels an object %s is not checked", label)
	}
	for i, c := range h.MatchConditions {
		if found := readsLabels.FindString(c.Expression); found != "" {
			r.At(h.ConditionField(i, "expression"), "the match condition %s decides by %s, which the author of the object chooses", c.Name, found)
		}
	}
}

func namespaceOptOut(_ *lint.Subject, h lint.Selection, r *lint.Reporter) {
	if !h.Validates {
		return
	}
	for _, label := range excluded(h.NamespaceSelector, corev1.LabelMetadataName) {
		r.At(h.Field("namespaceSelector"), "whoever labels a namespace %s is not checked in it", label)
	}
}

// excluded returns the labels by which a selector excludes objects, except for some keys. A label that it requires is a
// choice: leaving it off does not bypass a validator that is only meant for objects that have it.
func excluded(s *metav1.LabelSelector, except ...string) (labels []string) {
	for _, q := range requirementsOf(s) {
		excludes := q.Operator == metav1.LabelSelectorOpNotIn || q.Operator == metav1.LabelSelectorOpDoesNotExist
		if !excludes || slices.Contains(except, q.Key) {
			continue
		}
		label := q.Key
		if len(q.Values) > 0 {
			label += "=" + q.Values[0]
		}
		labels = append(labels, label)
	}
	return labels
}

func withoutEffect(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if !lint.Asks(h.NamespaceSelector) {
		return
	}
	var names []string
	for _, rule := range h.Rules {
		if s.Unmatched(h.Selection(), rule) != "" {
			continue // ADM043
		}
		for _, resource := range served(s, rule) {
			if resource.Namespaced || resource.Resource == "namespaces" {
				return
			}
			if !slices.Contains(names, resource.Resource) {
				names = append(names, resource.Resource)
			}
		}
	}
	if len(names) > 0 {
		r.At(h.Field("namespaceSelector"), "has no effect: %s are in no namespace", strings.Join(names, ", "))
	}
}

func unsetLabel(s *lint.Subject, h lint.Selection, r *lint.Reporter) {
	if h.NamespaceSelector == nil {
		return
	}
	for i, q := range h.NamespaceSelector.MatchExpressions {
		if q.Operator != metav1.LabelSelectorOpNotIn || q.Key == corev1.LabelMetadataName {
			continue
		}
		for _, value := range q.Values {
			ns, exists := cluster.Get[*corev1.Namespace](s.State, lint.NamespaceKind, "", value)
			if exists && ns.Labels[q.Key] != value {
				r.At(h.Field(fmt.Sprintf("namespaceSelector.matchExpressions[%d].key", i)), "namespace %s has no label %s=%s, so that it is not left out", value, q.Key, value)
			}
		}
	}
}
