package lint

import (
	"cmp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/lazyregexp"
)

const policyTheme = "Policies in place of webhooks"

func policyRules() []Rule {
	return []Rule{
		{
			ID: "ADM084", Name: "policy-types", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "An expression of a policy reads a field that its resources do not have.",
			Why:    "It fails for every object. Depending on the failurePolicy, the policy then refuses everything or nothing. The API server reports the same in status.typeChecking, where nobody looks.",
			Remedy: "correct the name of the field, or name other resources in matchConstraints",
			check:  policyTypes,
		},
		{
			ID: "ADM085", Name: "policy-without-binding", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy has no binding.",
			Why:    "A ValidatingAdmissionPolicy or MutatingAdmissionPolicy does nothing until a binding says where it applies.",
			Remedy: "add a binding with the policy's name as policyName",
			check:  policyWithoutBinding,
		},
		{
			ID: "ADM086", Name: "binding-without-policy", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "A binding names a policy that does not exist.",
			Why:    "It does nothing, and no error is reported.",
			Remedy: "correct policyName, or add the policy",
			check:  bindingWithoutPolicy,
		},
		{
			ID: "ADM087", Name: "policy-params", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy and its binding disagree about params, or the params do not exist.",
			Why:    "Without params a policy fails, is skipped, or sees null, depending on failurePolicy and parameterNotFoundAction. (Whether the params exist is checked if the manifests contain others of that kind in the same namespace.)",
			Remedy: "name an existing object of the policy's paramKind in paramRef",
			check:  eachBinding(policyParams),
		},
		{
			ID: "ADM088", Name: "policy-fails-open", Theme: policyTheme, Severity: Warning, Practice: "choose-admission-mechanism",
			Title:  "A policy that denies lets everything pass for which its evaluation fails.",
			Why:    "An object for which an expression fails is not checked, for example an object without a field that the expression reads. Unlike a webhook, a policy cannot be down, so failing open has little benefit.",
			Remedy: "remove failurePolicy: Ignore, and write expressions that work for all objects: has(object.spec.replicas), object.?spec",
			check:  policyFailsOpen,
		},
		{
			ID: "ADM089", Name: "policy-never-denies", Theme: policyTheme, Severity: Info, Practice: "choose-admission-mechanism",
			Title:  "A policy denies nothing: its bindings only warn or audit.",
			Why:    "That is how to try out a policy. If it stays that way, the policy seems to enforce something but does not.",
			Remedy: "set validationActions: [Deny] once it no longer finds anything that must be admitted",
			check:  policyNeverDenies,
		},
	}
}

// eachBinding makes the check of a rule that looks at one binding with its policy at a time.
func eachBinding(check func(*subject, *policy, *binding, *reporter)) func(*subject, *reporter) {
	return func(s *subject, r *reporter) {
		for _, p := range s.policies {
			for _, b := range p.bindings {
				check(s, p, b, r)
			}
		}
	}
}

// What a compiler puts before its messages, which say nothing of the file.
var inExpression = lazyregexp.New(`ERROR: <input>:\d+:\d+: `)

func policyTypes(s *subject, r *reporter) {
	for _, p := range s.policies {
		for _, w := range s.sim.View().Types().MissingFields(p.object) {
			what, _, _ := strings.Cut(strings.TrimSpace(w.Warning), "\n |")
			what = strings.Join(strings.Fields(inExpression().ReplaceAllString(what, "")), " ")
			found := r.at(fieldRef{manifest: p.manifest, field: w.FieldRef}, "%s", what)
			found.Remedy = cmp.Or(p.manifest.MissingFieldHint(w.Warning, s.sim.View().Types()), found.Remedy)
		}
	}
}

func policyWithoutBinding(s *subject, r *reporter) {
	for _, p := range s.policies {
		if len(p.bindings) == 0 {
			r.at(fieldRef{manifest: p.manifest, field: "metadata.name"}, "no binding makes it hold")
		}
	}
}

// bindingWithoutPolicy only judges manifests that hold policies: others may merely bind
// what is there already.
func bindingWithoutPolicy(s *subject, r *reporter) {
	for _, b := range s.lost {
		if s.holds(b.policy.Kind) {
			r.at(b.field("policyName"), "there is no %s %s", b.policy.Kind, b.policy.Name)
		}
	}
}

// policyParams follows what the server does of params:
// kubernetes/apiserver:pkg/admission/plugin/policy/generic/policy_dispatcher.go.
func policyParams(s *subject, p *policy, b *binding, r *reporter) {
	switch {
	case p.paramKind == nil && b.paramRef != nil:
		r.at(b.field("paramRef"), "has no effect: the policy has no paramKind").Remedy = "leave paramRef out, or give the policy a paramKind"
		return
	case p.paramKind == nil:
		return
	}
	gvk := schema.FromAPIVersionAndKind(p.paramKind.APIVersion, p.paramKind.Kind)
	resource, ok := s.sim.Resources().ForKind(gvk)
	switch {
	case !ok || !resource.Served:
		if s.knows(gvk.Group) {
			f := r.at(p.field("paramKind"), "no %s of %s is served, so that the policy fails for every request%s", gvk.Kind, gvk.GroupVersion(), asking(s.sim.Resources().HintKind(gvk)))
			f.Severity, f.Remedy = Error, "correct paramKind, or add the CustomResourceDefinition of that kind"
		}
		return
	case b.paramRef == nil:
		r.at(b.field("policyName"), "names no params: they are null in the expressions of %s", p.manifest.Name)
		return
	case !resource.Namespaced && b.paramRef.Namespace != "":
		f := r.at(b.field("paramRef.namespace"), "%s is in no namespace, so that the policy fails for every request", gvk.Kind)
		f.Severity, f.Remedy = Error, "leave paramRef.namespace out"
		return
	}
	if free := s.withoutNamespace(p, b); resource.Namespaced && b.paramRef.Namespace == "" && len(free) > 0 {
		f := r.at(b.field("paramRef"), "names no namespace, and %s are in none: about them the policy fails", strings.Join(free, ", "))
		f.Remedy = "set paramRef.namespace, or leave these resources to a policy of their own"
	}
	s.missingParam(b, gvk, resource.Namespaced, r)
}

// withoutNamespace are the resources that a policy is asked about and that are in no
// namespace.
func (s *subject) withoutNamespace(p *policy, b *binding) (names []string) {
	from := p.selection()
	if own := b.selection(p); len(own.rules) > 0 {
		from = own
	}
	for _, rule := range from.rules {
		if slices.Contains(rule.APIGroups, "*") || slices.Contains(rule.Resources, "*") {
			continue // everything, of which nobody chose them
		}
		for _, resource := range s.served(rule) {
			if !resource.Namespaced && !slices.Contains(names, resource.Resource) {
				names = append(names, resource.Resource)
			}
		}
	}
	return names
}

// missingParam looks for the object that a binding names, where the manifests hold others
// like it in the same place. A binding that names no namespace means that of each request; there
// ConfigMaps and the like are no others like it, which are there for much else.
func (s *subject) missingParam(b *binding, gvk schema.GroupVersionKind, namespaced bool, r *reporter) {
	ref := b.paramRef
	one := namespaced && ref.Namespace != ""
	if ref.Name == "" || namespaced && !one && gvk.Group == "" {
		return
	}
	others := false
	for _, m := range s.Manifests {
		if m.Kind != gvk.Kind || m.Group != gvk.Group || one && m.Namespace != ref.Namespace {
			continue
		}
		if m.Name == ref.Name {
			return
		}
		others = true
	}
	if !others {
		return
	}
	then := "so that the policy is not asked"
	if ref.ParameterNotFoundAction == nil || *ref.ParameterNotFoundAction == admissionregistrationv1.DenyAction {
		then = "so that the policy fails for every request"
	}
	name := ref.Name
	switch {
	case one:
		name = ref.Namespace + "/" + name
	case namespaced:
		name += " in any namespace"
	}
	r.at(b.field("paramRef.name"), "there is no %s %s, %s", gvk.Kind, name, then)
}

func policyFailsOpen(s *subject, r *reporter) {
	for _, p := range s.policies {
		if p.failurePolicy == nil || *p.failurePolicy != admissionregistrationv1.Ignore {
			continue
		}
		for _, b := range p.bindings {
			if b.denies() {
				r.at(p.field("failurePolicy"), "what its expressions fail for passes unchecked")
				break
			}
		}
	}
}

func policyNeverDenies(s *subject, r *reporter) {
	for _, p := range s.policies {
		if !p.validates || len(p.bindings) == 0 {
			continue
		}
		first, denies := p.bindings[0], false
		for _, b := range p.bindings {
			denies = denies || b.denies()
		}
		if !denies {
			r.at(first.field("validationActions"), "%s only finds, and refuses nothing", p.manifest.Name)
		}
	}
}

// boundToNothing looks at a policy and its binding together.
func boundToNothing(s *subject, p *policy, b *binding, r *reporter) {
	if p.constraints == nil || b.resources == nil {
		return
	}
	for _, one := range []struct {
		of, field string
		always    []string
	}{{"namespace", "namespaceSelector", []string{corev1.LabelMetadataName}}, {"object", "objectSelector", nil}} {
		own, other := b.resources.NamespaceSelector, p.constraints.NamespaceSelector
		if one.of == "object" {
			own, other = b.resources.ObjectSelector, p.constraints.ObjectSelector
		}
		_, alone := compatible(one.always, own)
		_, policy := compatible(one.always, other)
		if key, ok := compatible(one.always, own, other); !ok && alone && policy {
			r.at(b.field("matchResources."+one.field), "no %s can match it and the policy: their requirements for the label %s exclude each other", one.of, key)
		}
	}
}
