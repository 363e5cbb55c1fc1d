package matcher

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
)

// For arbitrary hooks, the matcher agrees with the naive matcher, explanations fit on one line, and the index misses no
// hook that applies or refuses the request.
func FuzzMatch(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		seed := make([]byte, 400)
		for i := range seed {
			seed[i] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &choices{data: data}
		namespaces := []*corev1.Namespace{namespaceWith("shop", c.labels()), namespaceWith("plain", nil)}
		w := worldOf(namespaces...)
		req := c.request()
		var hooks []*Matcher
		var criteria []Criteria
		for range 1 + c.below(8) {
			criteria = append(criteria, c.criteria())
			hooks = append(hooks, Compile(criteria[len(criteria)-1]))
		}

		candidates := NewIndex(hooks).Candidates(req, w)
		if !slices.IsSorted(candidates) || len(slices.Compact(slices.Clone(candidates))) != len(candidates) {
			t.Errorf("Candidates(%s) = %v, want them in order and once", requestText(req), candidates)
		}
		for i, m := range hooks {
			got := m.Match(req, w)
			want := naiveMatch(criteria[i], req, namespaces)
			if diff := cmp.Diff(want, naively(got)); diff != "" {
				t.Errorf("Match(%s) by %+v (-want +got):\n%s", requestText(req), criteria[i], diff)
			}
			if (got.Applies || got.Denial != nil) && !slices.Contains(candidates, i) {
				t.Errorf("Candidates(%s) = %v, which misses %d: %+v", requestText(req), candidates, i, criteria[i])
			}
			if text := m.Explain(req, w, got); text == "" || strings.Contains(text, "\n") {
				t.Errorf("Explain(%s) = %q, want one line", requestText(req), text)
			}
		}
	})
}

func naively(r Result) naiveAnswer {
	switch {
	case r.Applies:
		return naiveAnswer{Applies: true, Resource: r.Resource}
	case r.Denial != nil:
		return naiveAnswer{Refused: r.Denial.Code}
	}
	return naiveAnswer{}
}

// choices turns the bytes of the fuzzer into choices.
type choices struct{ data []byte }

func (c *choices) below(n int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % n
}

func one[T any](c *choices, list ...T) T { return list[c.below(len(list))] }

// some returns one or two elements, mostly one.
func some[T any](c *choices, list ...T) []T {
	picked := []T{one(c, list...)}
	if c.below(4) == 0 {
		picked = append(picked, one(c, list...))
	}
	return picked
}

func (c *choices) labels() map[string]string {
	l := map[string]string{}
	for range c.below(3) {
		l[one(c, "a", "b")] = one(c, "1", "2")
	}
	return l
}

func (c *choices) object() runtime.Object {
	switch c.below(4) {
	case 0:
		return nil
	case 1:
		return &corev1.PodExecOptions{}
	}
	return podWith(c.labels())
}

func (c *choices) request() admission.Request {
	r := admission.Request{
		Operation: one(c, admissionv1.Create, admissionv1.Update, admissionv1.Delete, admissionv1.Connect),
		Resource: one(c,
			podsResource, namespaceResource, gvr("", "v1", "events"), gvr("events.k8s.io", "v1", "events"),
			gvr("example.com", "v1", "widgets"), gvr("example.com", "v1beta1", "widgets"),
			gvr("example.com", "v1", "namespaces"), gvr("autoscaling", "v2", "horizontalpodautoscalers")),
		Kind:        gvk("", "", "Any"),
		Subresource: one(c, "", "", "status", "scale"),
		Namespace:   one(c, "shop", "plain", "gone", ""),
		Name:        one(c, "x", "y", ""),
		Object:      c.object(),
		OldObject:   c.object(),
	}
	if labelsInRequest(&r) { // sets a namespace in any case
		r.Object = namespaceWith("shop", c.labels())
	}
	return r
}

func (c *choices) criteria() Criteria {
	criteria := Criteria{
		NoRules:           one(c, NoRulesNothing, NoRulesEverything),
		MatchPolicy:       one(c, nil, new(admissionregistrationv1.Exact), new(admissionregistrationv1.Equivalent)),
		NamespaceSelector: c.selector(),
		ObjectSelector:    c.selector(),
	}
	for range c.below(4) {
		criteria.Rules = append(criteria.Rules, c.rule())
	}
	if c.below(4) == 0 {
		criteria.ExcludeRules = append(criteria.ExcludeRules, c.rule())
	}
	return criteria
}

func (c *choices) selector() *metav1.LabelSelector {
	s := &metav1.LabelSelector{}
	switch c.below(8) {
	case 0:
		return nil
	case 1, 2, 3, 4:
		return s
	case 5:
		s.MatchLabels = c.labels()
	}
	for range c.below(3) {
		e := metav1.LabelSelectorRequirement{Key: one(c, "a", "b")}
		e.Operator = one(c, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist, "Is")
		if e.Operator == metav1.LabelSelectorOpIn || e.Operator == metav1.LabelSelectorOpNotIn {
			e.Values = some(c, "1", "2")
		}
		s.MatchExpressions = append(s.MatchExpressions, e)
	}
	return s
}

func (c *choices) rule() namedRule {
	var r namedRule
	r.Operations = some[admissionregistrationv1.OperationType](c, "*", "*", "CREATE", "UPDATE", "DELETE", "CONNECT")
	r.APIGroups = some(c, "*", "*", "", "example.com", "events.k8s.io", "autoscaling", "e*")
	r.APIVersions = some(c, "*", "*", "v1", "v1beta1", "v0", "v2", "v*")
	r.Resources = some(c, "*/*", "*", "*/status", "pods", "pods/*", "pods/status", "widgets", "widgets/*",
		"widgets/scale", "events", "namespaces", "namespaces/*", "horizontalpodautoscalers")
	r.Scope = one(c, nil, new(admissionregistrationv1.AllScopes), new(admissionregistrationv1.NamespacedScope),
		new(admissionregistrationv1.ClusterScope), new(admissionregistrationv1.ScopeType("All")))
	if c.below(8) == 0 {
		r.ResourceNames = some(c, "x", "y")
	}
	return r
}
