package manifests

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/missing"
	"github.com/admsim/admsim/internal/objects"
)

const policyTheme = "Policies in place of webhooks"

func policyRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM083", Name: "binding-matches-nothing", Theme: policyTheme, Severity: lint.Warning, Practice: "choose-admission-mechanism",
			Title:  "A binding matches nothing that its policy matches.",
			Why:    "A policy is only asked about requests that match both its matchConstraints and the matchResources of a binding: a binding can leave out resources and operations, but not add any. Such a binding does nothing, and no error is reported. (A binding is only judged if all resources that it or its policy may match are known: those that are built in, or defined in the manifests. Selectors that exclude each other are ADM021.)",
			Remedy: "let the binding match a part of what the policy matches, or leave out its resourceRules",
			Check:  lint.EachBinding(bindingMatchesNothing),
		},
		{
			ID: "ADM084", Name: "policy-types", Theme: policyTheme, Severity: lint.Warning, Practice: "choose-admission-mechanism",
			Title:  "An expression of a policy or webhook uses a field that its resources do not have.",
			Why:    "The expression fails for every object, and depending on the failurePolicy, everything or nothing is then refused. Behind has(), it does not fail: the field is never there, and the expression never notices what it looks for. (Behind has(), fields that another Kubernetes release has are no findings.) The API server reports the same for the validations of policies in status.typeChecking, where nobody looks.",
			Remedy: "correct the name of the field, or match other resources",
			Check:  policyTypes,
		},
		{
			ID: "ADM085", Name: "policy-without-binding", Theme: policyTheme, Severity: lint.Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy has no binding.",
			Why:    "A ValidatingAdmissionPolicy or MutatingAdmissionPolicy does nothing until a binding says where it applies.",
			Remedy: "add a binding with the policy's name as policyName",
			Check:  policyWithoutBinding,
		},
		{
			ID: "ADM086", Name: "binding-without-policy", Theme: policyTheme, Severity: lint.Warning, Practice: "choose-admission-mechanism",
			Title:  "A binding names a policy that does not exist.",
			Why:    "It does nothing, and no error is reported.",
			Remedy: "correct policyName, or add the policy",
			Check:  bindingWithoutPolicy,
		},
		{
			ID: "ADM087", Name: "policy-params", Theme: policyTheme, Severity: lint.Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy and its binding disagree about params, or the params do not exist.",
			Why:    "Without params a policy fails, is skipped, or sees null, depending on failurePolicy and parameterNotFoundAction. (Whether the params exist is checked if the manifests contain others of that kind in the same namespace.)",
			Remedy: "name an existing object of the policy's paramKind in paramRef",
			Check:  lint.EachBinding(policyParams),
		},
		{
			ID: "ADM088", Name: "policy-fails-open", Theme: policyTheme, Severity: lint.Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy that denies lets everything pass for which its evaluation fails.",
			Why:    "An object for which an expression fails is not checked, for example an object without a field that the expression reads. Unlike a webhook, a policy cannot be down, so failing open has little benefit.",
			Remedy: "remove failurePolicy: Ignore, and write expressions that work for all objects: has(object.spec.replicas), object.?spec",
			Check:  policyFailsOpen,
		},
		{
			ID: "ADM089", Name: "policy-never-denies", Theme: policyTheme, Severity: lint.Info, Practice: "choose-admission-mechanism",
			Title:  "A policy denies nothing: its bindings only warn or audit.",
			Why:    "That is how to try out a policy. If it stays that way, the policy seems to enforce something but does not.",
			Remedy: "set validationActions: [Deny] once it no longer finds anything that must be admitted",
			Check:  policyNeverDenies,
		},
	}
}

func policyTypes(s *lint.Subject, r *lint.Reporter) {
	types := s.Simulator.View().Types()
	for _, p := range s.Policies {
		var bound []*admissionregistrationv1.MatchResources
		for _, b := range p.Bindings {
			bound = append(bound, b.Resources)
		}
		for _, m := range types.MissingFields(p.Object, bound...) {
			missingFields(types, m, lint.Field{Manifest: p.Manifest, Path: m.Expression}, r)
		}
	}
	hooks := slices.DeleteFunc(slices.Clone(s.Hooks), func(h *lint.Hook) bool { return len(h.MatchConditions) == 0 })
	for _, m := range types.MissingFields(together(hooks)) {
		missingFields(types, m, hooks[m.Webhook].Field(m.Expression), r)
	}
}

// together returns a configuration of webhooks from several ones, so that each kind is looked at once.
func together(hooks []*lint.Hook) runtime.Object {
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
	c.SetGroupVersionKind(admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration"))
	for _, h := range hooks {
		c.Webhooks = append(c.Webhooks, h.ValidatingWebhook)
	}
	return c
}

// missingFields reports the missing fields of an expression.
func missingFields(types *objects.Types, m objects.MissingFields, at lint.Field, r *lint.Reporter) {
	for _, p := range m.Problems {
		var kinds []string
		for _, kind := range p.Kinds {
			kinds = append(kinds, kind.String())
		}
		found := r.At(at, "%s: %s", strings.Join(kinds, " and "), p.Message)
		found.Source = at.Manifest.Inside(at.Path, p.At)
		if p.Path == "" {
			found.Remedy = "correct the type, or match other resources"
		}
		found.Remedy = cmp.Or(at.Manifest.MissingFieldHint([]missing.Problem{p}, types), found.Remedy)
	}
}

func policyWithoutBinding(s *lint.Subject, r *lint.Reporter) {
	for _, p := range s.Policies {
		if len(p.Bindings) == 0 && !s.MayLack(p.Manifest.Kind+"Binding") {
			r.At(lint.Field{Manifest: p.Manifest, Path: "metadata.name"}, "no %sBinding names it, so it is never applied", p.Manifest.Kind)
		}
	}
}

// bindingWithoutPolicy only judges manifests that contain policies: others may bind policies that exist already.
func bindingWithoutPolicy(s *lint.Subject, r *lint.Reporter) {
	for _, b := range s.Lost {
		if s.Holds(b.Policy.Kind) {
			r.At(b.Field("policyName"), "there is no %s %s%s", b.Policy.Kind, b.Policy.Name, asking(nearest(b.Policy.Name, policyNames(s, b.Policy.Kind))))
		}
	}
}

// policyNames returns the names of the policies of a kind, first those without a binding, which are more likely to be
// meant.
func policyNames(s *lint.Subject, kind string) (names []string) {
	var bound []string
	for _, p := range s.Policies {
		switch {
		case p.Manifest.Kind != kind:
		case len(p.Bindings) > 0:
			bound = append(bound, p.Manifest.Name)
		default:
			names = append(names, p.Manifest.Name)
		}
	}
	return append(names, bound...)
}

// nearest returns a question with the name that a misspelt one stands for; empty if no name is similar.
func nearest(name string, known []string) string {
	if near := didyoumean.Nearest(name, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// policyParams follows the server's handling of params:
// kubernetes/apiserver:pkg/admission/plugin/policy/generic/policy_dispatcher.go.
func policyParams(s *lint.Subject, p *lint.Policy, b *lint.Binding, r *lint.Reporter) {
	switch {
	case p.ParamKind == nil && b.ParamRef != nil:
		r.At(b.Field("paramRef"), "has no effect: the policy has no paramKind").Remedy = "leave paramRef out, or give the policy a paramKind"
		return
	case p.ParamKind == nil:
		return
	}
	gvk := schema.FromAPIVersionAndKind(p.ParamKind.APIVersion, p.ParamKind.Kind)
	resource, ok := s.Simulator.Resources().ForKind(gvk)
	switch {
	case !ok || !resource.Served:
		if knows(s, gvk.Group) && !s.MayLack(crdKind) {
			f := r.At(p.Field("paramKind"), "no %s of %s is served, so that the policy fails for every request%s", gvk.Kind, gvk.GroupVersion(), asking(s.Simulator.Resources().HintKind(gvk)))
			f.Severity, f.Remedy = lint.Error, "correct paramKind, or add the CustomResourceDefinition of that kind"
		}
		return
	case b.ParamRef == nil:
		r.At(b.Field("policyName"), "names no params: they are null in the expressions of %s", p.Manifest.Name)
		return
	case !resource.Namespaced && b.ParamRef.Namespace != "":
		f := r.At(b.Field("paramRef.namespace"), "%s is in no namespace, so that the policy fails for every request that the binding matches", gvk.Kind)
		f.Severity, f.Remedy = lint.Error, "leave paramRef.namespace out"
		return
	}
	if free := withoutNamespace(s, p, b); resource.Namespaced && b.ParamRef.Namespace == "" && len(free) > 0 {
		f := r.At(b.Field("paramRef"), "names no namespace, and %s are in none: about them the policy fails", strings.Join(free, ", "))
		f.Remedy = "set paramRef.namespace, or leave these resources to a policy of their own"
	}
	missingParam(s, b, gvk, resource.Namespaced, r)
}

// withoutNamespace returns the resources that a policy is asked about and that are not namespaced.
func withoutNamespace(s *lint.Subject, p *lint.Policy, b *lint.Binding) (names []string) {
	from := p.Selection()
	if own := b.Selection(p); len(own.Rules) > 0 {
		from = own
	}
	for _, rule := range from.Rules {
		if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.Resources, "*") {
			continue // everything: the author did not choose them
		}
		for _, resource := range served(s, rule) {
			if !resource.Namespaced && !slices.Contains(names, resource.Resource) {
				names = append(names, resource.Resource)
			}
		}
	}
	return names
}

// missingParam looks for the object that a binding names, if the manifests contain similar objects in the same place. A
// binding without a namespace means the namespace of each request; there, ConfigMaps and other core kinds do not count
// as similar, because they are used for much else.
func missingParam(s *lint.Subject, b *lint.Binding, gvk schema.GroupVersionKind, namespaced bool, r *lint.Reporter) {
	ref := b.ParamRef
	one := namespaced && ref.Namespace != ""
	if ref.Name == "" || namespaced && !one && gvk.Group == "" {
		return
	}
	others := false
	for _, m := range s.Manifests {
		if m.Kind != gvk.Kind || m.Group != gvk.Group || one && cmp.Or(m.Namespace, metav1.NamespaceDefault) != ref.Namespace {
			continue
		}
		if m.Name == ref.Name {
			return
		}
		others = true
	}
	if !others || s.MayLack(gvk.Kind) {
		return
	}
	then := "so that the policy is not asked"
	if ref.ParameterNotFoundAction == nil || *ref.ParameterNotFoundAction == admissionregistrationv1.DenyAction {
		then = "so that the policy fails for every request that the binding matches"
	}
	name := ref.Name
	switch {
	case one:
		name = ref.Namespace + "/" + name
	case namespaced:
		name += " in any namespace"
	}
	r.At(b.Field("paramRef.name"), "there is no %s %s, %s", gvk.Kind, name, then)
}

func policyFailsOpen(s *lint.Subject, r *lint.Reporter) {
	for _, p := range s.Policies {
		if failsOpen(p) && p.Denies() {
			r.At(p.Field("failurePolicy"), "requests for which its expressions fail pass unchecked")
		}
	}
}

func failsOpen(p *lint.Policy) bool {
	return p.FailurePolicy != nil && *p.FailurePolicy == admissionregistrationv1.Ignore
}

func policyNeverDenies(s *lint.Subject, r *lint.Reporter) {
	for _, p := range s.Policies {
		if p.Validates() && len(p.Bindings) > 0 && !p.Denies() {
			r.At(p.Bindings[0].Field("validationActions"), "%s only finds, and refuses nothing", p.Manifest.Name)
		}
	}
}

// bindingMatchesNothing only judges bindings if all resources that the policy or the binding may match are known.
func bindingMatchesNothing(s *lint.Subject, p *lint.Policy, b *lint.Binding, r *lint.Reporter) {
	if conflict(s, p, b) == lint.RulesConflict {
		r.At(b.Field("matchResources"), "matches nothing of what %s matches: %s", p.Manifest.Name, about(p.Selection().Rules))
	}
}

// conflict returns what is certain to keep a policy from being asked under a binding, whatever else the cluster serves.
func conflict(s *lint.Subject, p *lint.Policy, b *lint.Binding) lint.Conflict {
	if !allKnown(s, p.Selection()) && !allKnown(s, b.Selection(p)) {
		return lint.NoConflict
	}
	return s.Conflict(p, b)
}

// about names the operations and resources of rules.
func about(rules []admissionregistrationv1.RuleWithOperations) string {
	var all []string
	for _, rule := range rules {
		var operations, names []string
		for _, o := range rule.Operations {
			operations = append(operations, string(o))
		}
		for _, group := range rule.APIGroups {
			for _, pattern := range rule.Resources {
				resource, subresource, isSubresource := strings.Cut(pattern, "/")
				name := schema.GroupResource{Group: group, Resource: resource}.String()
				if isSubresource {
					name += "/" + subresource
				}
				names = append(names, name)
			}
		}
		all = append(all, strings.Join(operations, ", ")+" of "+strings.Join(names, ", "))
	}
	return strings.Join(all, " and ")
}

// allKnown reports whether the cluster serves all resources that rules may match.
func allKnown(s *lint.Subject, of lint.Selection) bool {
	for _, rule := range of.Rules {
		for _, group := range rule.APIGroups {
			if isBuiltIn(s, group) {
				continue
			}
			for _, resource := range rule.Resources {
				if group == "*" || strings.Contains(resource, "*") || !serves(s, group, rule.APIVersions, resource) {
					return false
				}
			}
		}
	}
	return len(of.Rules) > 0
}

// boundToNothing looks at a policy and its binding together.
func boundToNothing(s *lint.Subject, p *lint.Policy, b *lint.Binding, r *lint.Reporter) {
	if conflict(s, p, b) != lint.SelectorsConflict {
		return
	}
	if key, ok := compatible([]string{corev1.LabelMetadataName}, b.Resources.NamespaceSelector, p.Constraints.NamespaceSelector); !ok {
		r.At(b.Field("matchResources.namespaceSelector"), "no namespace can match it and the policy: their requirements for the label %s exclude each other", key)
	}
	if key, ok := compatible(nil, b.Resources.ObjectSelector, p.Constraints.ObjectSelector); !ok {
		r.At(b.Field("matchResources.objectSelector"), "no object can match it and the policy: their requirements for the label %s exclude each other", key)
	}
}
