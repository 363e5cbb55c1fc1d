// kubernetes/kubernetes:pkg/apis/rbac/validation/validation.go

package rbac

import (
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func validateRules(list []rbacv1.PolicyRule, namespaced bool) field.ErrorList {
	var errs rules.Errors
	for i, rule := range list {
		errs.Add(policyRule(rule, namespaced, field.NewPath("rules").Index(i)))
	}
	return errs.List()
}

func policyRule(rule rbacv1.PolicyRule, namespaced bool, path *field.Path) field.ErrorList {
	var errs rules.Errors
	if len(rule.Verbs) == 0 {
		errs.Required(path.Child("verbs"), "verbs must contain at least one value")
	}
	if len(rule.NonResourceURLs) > 0 {
		urls := path.Child("nonResourceURLs")
		if namespaced {
			errs.Invalid(urls, rule.NonResourceURLs, "namespaced rules cannot apply to non-resource URLs")
		}
		if len(rule.APIGroups)+len(rule.Resources)+len(rule.ResourceNames) > 0 {
			errs.Invalid(urls, rule.NonResourceURLs, "rules cannot apply to both regular resources and non-resource URLs")
		}
		return errs.List()
	}
	if len(rule.APIGroups) == 0 {
		errs.Required(path.Child("apiGroups"), "resource rules must supply at least one api group")
	}
	if len(rule.Resources) == 0 {
		errs.Required(path.Child("resources"), "resource rules must supply at least one resource")
	}
	return errs.List()
}

func validateClusterRole(c *rbacv1.ClusterRole, _ rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(validateRules(c.Rules, false))
	if c.AggregationRule == nil {
		return errs.List()
	}
	path := field.NewPath("aggregationRule", "clusterRoleSelectors")
	if len(c.AggregationRule.ClusterRoleSelectors) == 0 {
		errs.Required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")
	}
	for i := range c.AggregationRule.ClusterRoleSelectors {
		selector := &c.AggregationRule.ClusterRoleSelectors[i]
		errs.Add(rules.LabelValues.Selector(selector, path.Index(i)))
		if _, err := metav1.LabelSelectorAsSelector(selector); err != nil {
			errs.Invalid(path.Index(i), nil, "invalid label selector.") // the server shows the selector that it failed to create
		}
	}
	return errs.List()
}

// validateBinding checks a binding to a role of one of these kinds.
func validateBinding(role rbacv1.RoleRef, subjects []rbacv1.Subject, namespaced bool, kinds ...string) field.ErrorList {
	path := field.NewPath("roleRef")
	var errs rules.Errors
	errs.Add(rules.OneOf(&role.APIGroup, []string{rbacv1.GroupName}, path.Child("apiGroup")))
	errs.Add(rules.OneOf(&role.Kind, kinds, path.Child("kind")))
	errs.Add(rules.Required(role.Name, path.Child("name")).WithOrigin(rules.Declared))
	errs.Add(rules.Faults(path.Child("name"), role.Name, content.IsPathSegmentName(role.Name)))
	for i, s := range subjects {
		errs.Add(bindingSubject(s, namespaced, field.NewPath("subjects").Index(i)))
	}
	return errs.List()
}

func bindingSubject(s rbacv1.Subject, namespaced bool, path *field.Path) field.ErrorList {
	var errs rules.Errors
	name, group := path.Child("name"), path.Child("apiGroup")
	errs.Add(rules.Required(s.Name, name).WithOrigin(rules.Declared))
	switch s.Kind {
	case rbacv1.ServiceAccountKind:
		errs.Add(rules.SubdomainIfGiven(name, s.Name))
		errs.Add(rules.OneOf(&s.APIGroup, []string{""}, group))
		if !namespaced && s.Namespace == "" {
			errs.Required(path.Child("namespace"), "")
		}
	case rbacv1.UserKind, rbacv1.GroupKind:
		errs.Add(rules.OneOf(&s.APIGroup, []string{rbacv1.GroupName}, group))
	default:
		errs.Append(field.NotSupported(path.Child("kind"), s.Kind, []string{rbacv1.ServiceAccountKind, rbacv1.UserKind, rbacv1.GroupKind}))
	}
	return errs.List()
}

func sameRole(role, old rbacv1.RoleRef, r rules.Request) field.ErrorList {
	if role == old {
		return nil
	}
	words := "cannot change roleRef"
	if r.Release.Has(kubeversion.RoleRefImmutableWords) {
		words = validation.FieldImmutableErrorMsg
	}
	return field.ErrorList{field.Invalid(field.NewPath("roleRef"), rules.AsInternal(role), words)}
}
