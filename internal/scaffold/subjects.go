package scaffold

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/recording/callee"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/discovery"
)

// A subject is a webhook or policy that a suite should have a case for.
type subject struct {
	webhook             bool
	hook                callee.Webhook // of a webhook
	configuration, name string         // a policy, and its binding
	at                  scenario.Source
	rules               []admissionregistrationv1.RuleWithOperations

	namespaces, objects []*metav1.LabelSelector // all must match

	paramKind *admissionregistrationv1.ParamKind
	paramRef  *admissionregistrationv1.ParamRef
}

// subjectsOf returns the webhooks among manifests, and the policies with each of their bindings.
func subjectsOf(manifests []scenario.Manifest) (all []subject) {
	bindings := map[string][]admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
	for _, m := range manifests {
		var b admissionregistrationv1.ValidatingAdmissionPolicyBinding
		if strings.HasSuffix(m.Kind, "AdmissionPolicyBinding") && json.Unmarshal(m.JSON, &b) == nil {
			policy := strings.TrimSuffix(m.Kind, "Binding") + "/" + b.Spec.PolicyName
			bindings[policy] = append(bindings[policy], b)
		}
	}
	for _, m := range manifests {
		switch m.Kind {
		case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
			var c admissionregistrationv1.ValidatingWebhookConfiguration // mutating ones have the same parts
			if json.Unmarshal(m.JSON, &c) != nil {
				continue // reported when it is loaded
			}
			for i, w := range c.Webhooks {
				all = append(all, subject{
					hook:    callee.Webhook{Configuration: m.Name, Mutating: m.Kind == "MutatingWebhookConfiguration", ValidatingWebhook: w},
					webhook: true, configuration: m.Name, name: w.Name, at: m.Position(fmt.Sprintf("webhooks[%d]", i)), rules: w.Rules,
					namespaces: []*metav1.LabelSelector{w.NamespaceSelector}, objects: []*metav1.LabelSelector{w.ObjectSelector},
				})
			}
		case "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy":
			var p admissionregistrationv1.ValidatingAdmissionPolicy
			if json.Unmarshal(m.JSON, &p) != nil || p.Spec.MatchConstraints == nil {
				continue
			}
			for _, b := range bindings[m.Kind+"/"+m.Name] {
				s := subject{configuration: m.Name, name: b.Name, at: m.Source, paramKind: p.Spec.ParamKind, paramRef: b.Spec.ParamRef}
				for _, r := range p.Spec.MatchConstraints.ResourceRules {
					s.rules = append(s.rules, r.RuleWithOperations)
				}
				for _, match := range []*admissionregistrationv1.MatchResources{p.Spec.MatchConstraints, b.Spec.MatchResources} {
					if match != nil {
						s.namespaces, s.objects = append(s.namespaces, match.NamespaceSelector), append(s.objects, match.ObjectSelector)
					}
				}
				all = append(all, s)
			}
		}
	}
	return all
}

// String returns the name of s in messages.
func (s subject) String() string {
	if s.webhook {
		return s.name
	}
	return s.configuration
}

// word returns a short name of s: the first word of a webhook's name, or the binding of a policy.
func (s subject) word() string {
	if word, _, _ := strings.Cut(s.name, "."); s.webhook {
		return word
	}
	return s.name
}

// in returns what happened to s in a request; nil: the request did not reach it.
func (s subject) in(r *result) *hook {
	for _, h := range r.hooks {
		if h.Configuration == s.configuration && h.Name == s.name {
			return &h
		}
	}
	return nil
}

// creates reports whether the rules of s include create operations.
func (s subject) creates() bool {
	return slices.ContainsFunc(s.rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return slices.Contains(r.Operations, admissionregistrationv1.Create) || slices.Contains(r.Operations, admissionregistrationv1.OperationAll)
	})
}

// creatable returns a resource that the rules match and that clients create, preferably a common one.
func creatable(all []discovery.Resource, rules []admissionregistrationv1.RuleWithOperations) (best discovery.Resource, ok bool) {
	usual := []string{"configmaps", "pods", "deployments"}
	for _, rule := range rules {
		if !slices.ContainsFunc(rule.Operations, func(o admissionregistrationv1.OperationType) bool {
			return o == admissionregistrationv1.Create || o == admissionregistrationv1.OperationAll
		}) {
			continue
		}
		is := func(value string, of []string) bool { return slices.Contains(of, value) || slices.Contains(of, "*") }
		for _, r := range all {
			if r.Served && slices.Contains(r.Verbs, "create") && is(r.Group, rule.APIGroups) && is(r.Version, rule.APIVersions) &&
				(is(r.Resource, rule.Resources) || slices.Contains(rule.Resources, "*/*")) &&
				(!ok || slices.Contains(usual, r.Resource) && !slices.Contains(usual, best.Resource)) {
				best, ok = r, true
			}
		}
	}
	return best, ok
}

// wantedLabels returns labels that selectors match, as far as they require any.
func wantedLabels(selectors []*metav1.LabelSelector) map[string]string {
	labels := map[string]string{}
	for _, s := range selectors {
		if s == nil {
			continue
		}
		for key, value := range s.MatchLabels {
			labels[key] = value
		}
		for _, e := range s.MatchExpressions {
			switch {
			case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
				labels[e.Key] = e.Values[0]
			case e.Operator == metav1.LabelSelectorOpExists && labels[e.Key] == "":
				labels[e.Key] = "true"
			}
		}
	}
	return labels
}
