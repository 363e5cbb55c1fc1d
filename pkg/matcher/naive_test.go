package matcher

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// A second matcher that follows the specification rule by rule, without regard to speed. The real one is compared with
// it. They share no code.

// A naiveAnswer is the answer of the naive matcher: the hook applies to a resource, or is skipped, or the request is
// refused with a code.
type naiveAnswer struct {
	Applies  bool
	Resource schema.GroupVersionResource
	Refused  int32
}

func naiveMatch(c Criteria, req admission.Request, namespaces []*corev1.Namespace) naiveAnswer {
	namespaceMatches, namespaceRefused := naiveNamespace(c.NamespaceSelector, req, namespaces)
	if !namespaceMatches && namespaceRefused == 0 {
		return naiveAnswer{}
	}
	objectMatches, objectRefused := naiveObjects(c.ObjectSelector, req)
	if !objectMatches && objectRefused == 0 {
		return naiveAnswer{}
	}
	if _, excluded := naiveRules(c.ExcludeRules, c.MatchPolicy, req); excluded {
		return naiveAnswer{}
	}
	resource, matches := naiveRules(c.Rules, c.MatchPolicy, req)
	if len(c.Rules) == 0 && c.NoRules == NoRulesEverything {
		resource, matches = req.Resource, true
	}
	switch {
	case !matches:
		return naiveAnswer{}
	case namespaceRefused != 0:
		return naiveAnswer{Refused: namespaceRefused}
	case objectRefused != 0:
		return naiveAnswer{Refused: objectRefused}
	}
	return naiveAnswer{Applies: true, Resource: resource}
}

func naiveNamespace(s *metav1.LabelSelector, req admission.Request, namespaces []*corev1.Namespace) (matches bool, refused int32) {
	if req.Namespace == "" && req.Resource.Resource != "namespaces" { // W-091
		return true, 0
	}
	if !naiveParses(s) { // W-095
		return false, 500
	}
	if s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 { // W-090
		return true, 0
	}
	if req.Resource.Resource == "namespaces" && req.Subresource == "" { // W-092
		if req.Operation == admissionv1.Create || req.Operation == admissionv1.Update {
			return naiveSelects(s, req.Object.(metav1.Object).GetLabels()), 0
		}
	}
	if req.Namespace == "" {
		return false, 500
	}
	for _, ns := range namespaces { // W-093
		if ns.Name == req.Namespace {
			return naiveSelects(s, ns.Labels), 0
		}
	}
	return false, 404 // W-094
}

func naiveObjects(s *metav1.LabelSelector, req admission.Request) (matches bool, refused int32) {
	if !naiveParses(s) {
		return false, 500
	}
	if s != nil && len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 {
		return true, 0
	}
	if o, ok := req.Object.(metav1.Object); ok && naiveSelects(s, o.GetLabels()) { // W-098, W-099
		return true, 0
	}
	if o, ok := req.OldObject.(metav1.Object); ok && naiveSelects(s, o.GetLabels()) {
		return true, 0
	}
	return false, 0
}

func naiveParses(s *metav1.LabelSelector) bool {
	if s == nil {
		return true
	}
	for _, e := range s.MatchExpressions {
		switch e.Operator {
		case "In", "NotIn", "Exists", "DoesNotExist":
		default:
			return false
		}
	}
	return true
}

func naiveSelects(s *metav1.LabelSelector, labels map[string]string) bool {
	if s == nil {
		return false
	}
	for key, want := range s.MatchLabels {
		if got, ok := labels[key]; !ok || got != want {
			return false
		}
	}
	for _, e := range s.MatchExpressions {
		got, ok := labels[e.Key]
		listed := slices.Contains(e.Values, got)
		switch e.Operator {
		case "In":
			if !ok || !listed {
				return false
			}
		case "NotIn":
			if ok && listed {
				return false
			}
		case "Exists":
			if !ok {
				return false
			}
		case "DoesNotExist":
			if ok {
				return false
			}
		}
	}
	return true
}

func naiveRules(rules []namedRule, policy *admissionregistrationv1.MatchPolicyType, req admission.Request) (schema.GroupVersionResource, bool) {
	for _, r := range rules { // W-089
		if naiveRule(r, req, req.Resource) {
			return req.Resource, true
		}
	}
	if policy == nil || *policy != admissionregistrationv1.Equivalent { // W-103
		return schema.GroupVersionResource{}, false
	}
	for _, r := range rules { // W-104
		for _, resource := range naiveEquivalents(req) {
			if naiveRule(r, req, resource) {
				return resource, true
			}
		}
	}
	return schema.GroupVersionResource{}, false
}

func naiveRule(r namedRule, req admission.Request, resource schema.GroupVersionResource) bool {
	isNamespace := req.Resource == gvr("", "v1", "namespaces")
	if r.Scope != nil { // W-087
		switch *r.Scope {
		case "*":
		case "Namespaced":
			if req.Namespace == "" || isNamespace {
				return false
			}
		case "Cluster":
			if req.Namespace != "" && !isNamespace {
				return false
			}
		default:
			return false
		}
	}
	has := func(list []string, s string) bool { return slices.Contains(list, "*") || slices.Contains(list, s) }
	operation := false // W-084
	for _, o := range r.Operations {
		operation = operation || o == "*" || string(o) == string(req.Operation)
	}
	listed := false // W-086
	for _, entry := range r.Resources {
		main := entry == resource.Resource || entry == "*"
		sub := entry == resource.Resource+"/"+req.Subresource || entry == "*/"+req.Subresource
		all := entry == resource.Resource+"/*" || entry == "*/*"
		listed = listed || main && req.Subresource == "" || sub && req.Subresource != "" || all
	}
	named := len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, req.Name) // W-272
	return operation && has(r.APIGroups, resource.Group) && has(r.APIVersions, resource.Version) && listed && named
}

// naiveEquivalents returns the resources equivalent to that of req, among those that the fuzzer uses (W-107 to W-110).
func naiveEquivalents(req admission.Request) []schema.GroupVersionResource {
	widgets := map[string][]schema.GroupVersionResource{
		"":       {gvr("example.com", "v1", "widgets"), gvr("example.com", "v1beta1", "widgets"), gvr("example.com", "v0", "widgets")},
		"status": {gvr("example.com", "v1", "widgets"), gvr("example.com", "v0", "widgets")},
		"scale":  {gvr("example.com", "v1", "widgets"), gvr("example.com", "v1beta1", "widgets")},
	}
	autoscalers := map[string][]schema.GroupVersionResource{
		"":       {gvr("autoscaling", "v2", "horizontalpodautoscalers"), gvr("autoscaling", "v1", "horizontalpodautoscalers")},
		"status": {gvr("autoscaling", "v2", "horizontalpodautoscalers"), gvr("autoscaling", "v1", "horizontalpodautoscalers")},
	}
	events := map[string][]schema.GroupVersionResource{
		"": {gvr("", "v1", "events"), gvr("events.k8s.io", "v1", "events")},
	}
	switch {
	case req.Resource.Group == "example.com" && req.Resource.Resource == "widgets":
		return widgets[req.Subresource]
	case req.Resource.Resource == "horizontalpodautoscalers":
		return autoscalers[req.Subresource]
	case req.Resource.Resource == "events":
		return events[req.Subresource]
	}
	return nil
}
