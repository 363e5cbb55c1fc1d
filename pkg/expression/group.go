package expression

import (
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A group has the expressions of a policy or webhook: they are about the same objects, and see the same variables.
type group struct {
	webhook     int // its index
	rules       []admissionregistrationv1.RuleWithOperations
	params      *admissionregistrationv1.ParamKind
	variables   []admissionregistrationv1.Variable
	patches     bool // the types of patches are declared
	expressions []used
}

// A used expression is one with its place.
type used struct {
	path, text string
	always     bool // it is evaluated for every object that the rules match
	guards     bool // other expressions may only be evaluated if this one is true
}

// readsObjects reports whether an expression may read a field of an object or of params.
func (e used) readsObjects() bool {
	for _, variable := range []string{objectVariable, oldObjectVariable, paramsVariable, "Object"} {
		if strings.Contains(e.text, variable) {
			return true
		}
	}
	return false
}

// groupsOf returns the expressions of a policy, or of each webhook of a ValidatingWebhookConfiguration.
func groupsOf(object runtime.Object) []*group {
	switch o := object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		return []*group{validatingGroup(&o.Spec)}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		return []*group{mutatingGroup(&o.Spec)}
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		var all []*group
		for i := range o.Webhooks {
			all = append(all, webhookGroup(i, &o.Webhooks[i]))
		}
		return all
	}
	return nil
}

func webhookGroup(index int, w *admissionregistrationv1.ValidatingWebhook) *group {
	g := &group{webhook: index, rules: w.Rules}
	g.addConditions(nil, w.MatchConditions, !selects(w.ObjectSelector))
	return g
}

func validatingGroup(p *admissionregistrationv1.ValidatingAdmissionPolicySpec) *group {
	g := &group{params: p.ParamKind, variables: p.Variables}
	always := g.addCommon(p.MatchConstraints, p.MatchConditions)
	for i, v := range p.Validations {
		at := field.NewPath("spec", "validations").Index(i)
		g.add(at.Child("expression"), v.Expression, always)
		g.add(at.Child("messageExpression"), v.MessageExpression, false)
	}
	for i, a := range p.AuditAnnotations {
		g.add(field.NewPath("spec", "auditAnnotations").Index(i).Child("valueExpression"), a.ValueExpression, always)
	}
	return g
}

func mutatingGroup(p *admissionregistrationv1.MutatingAdmissionPolicySpec) *group {
	g := &group{params: p.ParamKind, variables: p.Variables, patches: true}
	always := g.addCommon(p.MatchConstraints, p.MatchConditions)
	for i, m := range p.Mutations {
		at := field.NewPath("spec", "mutations").Index(i)
		if m.ApplyConfiguration != nil {
			g.add(at.Child("applyConfiguration", "expression"), m.ApplyConfiguration.Expression, always)
		}
		if m.JSONPatch != nil {
			g.add(at.Child("jsonPatch", "expression"), m.JSONPatch.Expression, always)
		}
	}
	return g
}

// addCommon adds what both kinds of policies have. It reports whether the policy is evaluated for every object that its
// rules match.
func (g *group) addCommon(m *admissionregistrationv1.MatchResources, conditions []admissionregistrationv1.MatchCondition) (always bool) {
	always = true
	if m != nil {
		for _, r := range m.ResourceRules {
			g.rules = append(g.rules, r.RuleWithOperations)
		}
		always = !excludesObjects(m)
	}
	spec := field.NewPath("spec")
	g.addConditions(spec, conditions, always)
	for i, v := range g.variables { // evaluated by the expressions that use them
		g.addGuard(spec.Child("variables").Index(i).Child("expression"), v.Expression, false)
	}
	return always && len(conditions) == 0
}

// addConditions adds match conditions. An error of one does not matter if another is false.
func (g *group) addConditions(at *field.Path, conditions []admissionregistrationv1.MatchCondition, always bool) {
	for i, c := range conditions {
		g.addGuard(at.Child("matchConditions").Index(i).Child("expression"), c.Expression, always && len(conditions) == 1)
	}
}

func (g *group) add(path *field.Path, text string, always bool) {
	if text != "" {
		g.expressions = append(g.expressions, used{path: path.String(), text: text, always: always})
	}
}

func (g *group) addGuard(path *field.Path, text string, always bool) {
	g.expressions = append(g.expressions, used{path.String(), text, always, true})
}

// excludesObjects reports whether some objects are left out that the resource rules match.
func excludesObjects(m *admissionregistrationv1.MatchResources) bool {
	return len(m.ExcludeResourceRules) > 0 || selects(m.ObjectSelector)
}

func selects(s *metav1.LabelSelector) bool {
	return s != nil && len(s.MatchLabels)+len(s.MatchExpressions) > 0
}

// kindsOfRules returns the kinds that rules match, sorted, and whether these are all. Unlike the server's type checker,
// it finds those of all versions, and of subresources that are the same object.
func kindsOfRules(rules []admissionregistrationv1.RuleWithOperations, mapper meta.RESTMapper) (kinds []schema.GroupVersionKind, all bool) {
	all = true
	for i := range rules {
		onlyConnect := !slices.ContainsFunc(rules[i].Operations, func(o admissionregistrationv1.OperationType) bool { return o != admissionregistrationv1.Connect })
		for _, resource := range resourcesOf(&rules[i].Rule) {
			if onlyConnect && !strings.Contains(resource.Resource, "/") {
				continue // one connects to subresources only
			}
			found, err := mapper.KindsFor(resource)
			if meta.IsNoMatchError(err) && !strings.Contains(resource.Group, ".") && resource.Group != "*" {
				continue // such as pods of apps: groups of custom resources have a dot
			}
			if err != nil || resource.Group == "*" || strings.ContainsAny(resource.Resource, "*/") {
				all = false
				continue
			}
			for _, kind := range found {
				if kind.Group == resource.Group { // the mapper takes an empty group for any, and accepts prefixes
					kinds = append(kinds, kind)
				}
			}
		}
	}
	slices.SortFunc(kinds, compareKinds)
	kinds = slices.Compact(kinds)
	if len(kinds) > maxTypesToCheck {
		return kinds[:maxTypesToCheck], false
	}
	return kinds, all
}

// sameObject lists subresources whose requests have the whole object.
var sameObject = []string{"approval", "ephemeralcontainers", "finalize", "resize", "status"}

// resourcesOf returns the resources of a rule, with an empty version for any.
func resourcesOf(rule *admissionregistrationv1.Rule) (all []schema.GroupVersionResource) {
	for _, group := range rule.APIGroups {
		for _, version := range rule.APIVersions {
			for _, resource := range rule.Resources {
				if of, subresource, ok := strings.Cut(resource, "/"); ok && slices.Contains(sameObject, subresource) {
					resource = of
				}
				if version == "*" {
					version = ""
				}
				all = append(all, schema.GroupVersionResource{Group: group, Version: version, Resource: resource})
			}
		}
	}
	return all
}
