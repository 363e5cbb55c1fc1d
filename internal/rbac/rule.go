package rbac

import (
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Allow reports whether any of the rules grants what a asks for.
func Allow(rules []rbacv1.PolicyRule, a authorizer.Attributes) bool {
	return slices.ContainsFunc(rules, func(rule rbacv1.PolicyRule) bool { return allows(rule, a) })
}

// allows reports whether a rule grants what a asks for. A * in a rule is a wildcard where the functions below say so; a
// * in the question is an ordinary character.
func allows(rule rbacv1.PolicyRule, a authorizer.Attributes) bool {
	if !matches(rule.Verbs, a.GetVerb()) {
		return false
	}
	if !a.IsResourceRequest() {
		return slices.ContainsFunc(rule.NonResourceURLs, func(url string) bool { return urlMatches(url, a.GetPath()) })
	}
	return matches(rule.APIGroups, a.GetAPIGroup()) &&
		resourceMatches(rule.Resources, a.GetResource(), a.GetSubresource()) &&
		(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, a.GetName()))
}

// matches reports whether listed has asked or *.
func matches(listed []string, asked string) bool {
	return slices.ContainsFunc(listed, func(one string) bool { return one == "*" || one == asked })
}

// resourceMatches reports whether listed has the resource, *, or, for a subresource, that subresource of any resource.
func resourceMatches(listed []string, resource, subresource string) bool {
	if subresource == "" {
		return matches(listed, resource)
	}
	return matches(listed, resource+"/"+subresource) || slices.Contains(listed, "*/"+subresource)
}

// urlMatches reports whether the URL of a rule, which may end in *, covers a path.
func urlMatches(url, path string) bool {
	if url == "*" || url == path {
		return true
	}
	return strings.HasSuffix(url, "*") && strings.HasPrefix(path, strings.TrimRight(url, "*"))
}
