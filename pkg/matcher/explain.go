package matcher

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// Explain returns one line about r, the result of m for req in w: the condition that decided and the value that it was
// compared with, e.g. `namespaceSelector: namespace "shop" has no label env`.
//
// It is separate from [Matcher.Match], so that reasons cost nothing unless they are read.
func (m *Matcher) Explain(req admission.Request, w World, r Result) string {
	switch {
	case r.Decided == trace.MatchConditions:
		return explainConditions(r)
	case r.Denial != nil:
		return string(r.Decided) + ": " + r.Denial.Message
	case r.Applies:
		return explainHit(&req, r) + m.explainSelected(&req, w) + explainConditionsMet(r)
	}
	switch r.Decided {
	case trace.NamespaceSelector:
		return "namespaceSelector: " + m.namespaces.explainNamespace(&req, w)
	case trace.ObjectSelector:
		return "objectSelector: " + m.objects.explainObjects(&req)
	case trace.ExcludeRules:
		return "excludeResourceRules: " + explainHit(&req, r)
	case trace.MatchPolicy:
		h, _ := m.rules.matchEquivalent(targetOf(&req), w.Resources)
		return fmt.Sprintf("matchPolicy Exact: rule %d matches only %s", h.rule, resourceText(h.resource, req.Subresource))
	}
	return "rules: " + m.rules.explain(targetOf(&req), w.Resources)
}

func explainHit(req *admission.Request, r Result) string {
	switch {
	case r.Rule == trace.NoRule:
		return "there are no rules, any resource matches"
	case r.Resource != req.Resource:
		return fmt.Sprintf("rule %d matches the equivalent %s", r.Rule, resourceText(r.Resource, req.Subresource))
	}
	return fmt.Sprintf("rule %d matches", r.Rule)
}

func resourceText(r schema.GroupVersionResource, subresource string) string {
	return r.GroupVersion().String() + " " + resourcePattern{r.Resource, subresource}.String()
}

// explainNamespace explains why s does not match the namespace of req.
func (s selector) explainNamespace(req *admission.Request, w World) string {
	l, _ := namespaceLabels(req, w.State)
	failed, ok := s.failed(l)
	if !ok {
		return selectsNothing
	}
	return explainLabel(failed, l, namespaceText(req))
}

func namespaceText(req *admission.Request) string {
	if labelsInRequest(req) {
		return "the namespace in the request"
	}
	return fmt.Sprintf("namespace %q", req.Namespace)
}

// explainSelected returns the labels that the selectors matched, unless they match everything. The text follows that of
// the rule.
func (m *Matcher) explainSelected(req *admission.Request, w World) (text string) {
	if namespaceAsked(req) && m.namespaces.asks() {
		l, _ := namespaceLabels(req, w.State)
		text += fmt.Sprintf(", namespaceSelector matches: %s has %s", namespaceText(req), m.namespaces.found(l))
	}
	if m.objects.asks() {
		who, obj := "object", req.Object
		if !m.objects.matchObject(obj) {
			who, obj = "old object", req.OldObject
		}
		l, _ := objectLabels(obj)
		text += fmt.Sprintf(", objectSelector matches: %s has %s", who, m.objects.found(l))
	}
	return text
}

// asks reports whether s selects less than everything.
func (s selector) asks() bool { return s.err == nil && !s.labels.Empty() }

// found returns the labels in l that s refers to.
func (s selector) found(l labels.Set) string {
	var all []string
	requirements, _ := s.labels.Requirements()
	for _, r := range requirements {
		text := "no label " + r.Key()
		if value, ok := l[r.Key()]; ok {
			text = r.Key() + "=" + value
		}
		if !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, " and ")
}

const selectsNothing = "null selects nothing"

// explainLabel says what who has instead of the label that r requires.
func explainLabel(r labels.Requirement, l labels.Set, who string) string {
	value, ok := l[r.Key()]
	if !ok {
		return fmt.Sprintf("%s has no label %s", who, r.Key())
	}
	return fmt.Sprintf("%s: %s has %s=%s", r.String(), who, r.Key(), value)
}

// explainObjects explains why s matches neither object of req.
func (s selector) explainObjects(req *admission.Request) string {
	var texts []string
	var demanded string // the requirement that the previous text is about
	for _, o := range []struct {
		who string
		obj runtime.Object
	}{{"object", req.Object}, {"old object", req.OldObject}} {
		if o.obj == nil {
			continue
		}
		l, ok := objectLabels(o.obj)
		if !ok {
			texts = append(texts, fmt.Sprintf("%s %s has no metadata", o.who, req.Kind.Kind))
			continue
		}
		failed, ok := s.failed(l)
		if !ok {
			return selectsNothing
		}
		text := explainLabel(failed, l, o.who)
		if demanded == failed.String() {
			text = strings.TrimPrefix(text, demanded+": ")
		}
		demanded = failed.String()
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		return "the request has no object"
	}
	return strings.Join(texts, ", ")
}

// failed returns the first requirement of s that l does not meet.
func (s selector) failed(l labels.Set) (labels.Requirement, bool) {
	requirements, _ := s.labels.Requirements()
	for _, r := range requirements {
		if !r.Matches(l) {
			return r, true
		}
	}
	return labels.Requirement{}, false
}

func explainConditionsMet(r Result) string {
	switch n := len(r.Evaluation.Results); n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(", matchCondition %q is true", r.Evaluation.Results[0].Name)
	default:
		return fmt.Sprintf(", all %d matchConditions are true", n)
	}
}

func explainConditions(r Result) string {
	decisive, failed := decisive(r.Evaluation)
	if !failed {
		return fmt.Sprintf("matchCondition %q: false", decisive.Name)
	}
	ignored := ""
	if r.Denial == nil {
		ignored = " (failurePolicy Ignore)"
	}
	if decisive.Err != nil {
		return fmt.Sprintf("matchCondition %q: %v%s", decisive.Name, decisive.Err, ignored)
	}
	return fmt.Sprintf("matchConditions: %v%s", r.Evaluation.Failure(), ignored)
}
