package manifests

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/pkg/discovery"
)

const declarationTheme = "What a webhook says of itself"

func declarationRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM040", Name: "side-effects", Theme: declarationTheme, Severity: lint.Info, Practice: "avoid-side-effects",
			Title:  "A webhook has side effects.",
			Why:    "What it writes elsewhere stays, even if the request is refused later. In a dry run it must not write anything; the API server cannot check that. (Some and Unknown, for which dry runs are refused, are no longer accepted.)",
			Remedy: "let a controller do it, and set sideEffects: None",
			Check:  lint.EachHook(sideEffects),
		},
		{
			ID: "ADM041", Name: "match-policy-exact", Theme: declarationTheme, Severity: lint.Warning, Practice: "match-all-versions",
			Title:  "A webhook or policy is not called for other versions of its resources.",
			Why:    "The same objects can be written in any served version, today or after an upgrade. With matchPolicy Exact, requests in a version that no rule names are not checked.",
			Remedy: "set matchPolicy: Equivalent, or remove matchPolicy",
			Check:  lint.EachSelection(matchPolicyExact),
		},
		{
			ID: "ADM042", Name: "old-version", Theme: declarationTheme, Severity: lint.Warning, Practice: "plan-future-field-updates",
			Title:  "A rule names only unstable versions of a resource, although there is a stable one.",
			Why:    "The webhook gets objects in that version, without newer fields, and gets none once the version is no longer served.",
			Remedy: "name the stable version, and read objects in it",
			Check:  lint.EachSelection(oldVersion),
		},
		{
			ID: "ADM043", Name: "matches-nothing", Theme: declarationTheme, Severity: lint.Warning,
			Title:  "No request ever matches a rule or a match condition.",
			Why:    "The rule names a resource that is not served: it is a typing error, a wrong plural, or a version that was removed. Or the resource has no such operation or is in another scope, webhooks are never called for it, or a match condition is false for all that the rules name. (Rules for every resource, and custom resources without a definition in the manifests, are not judged. In rules for every group, a resource is only reported if it is named by its kind, singular or short name, or if its name differs from a known one by a typing error, since a definition may add any other.)",
			Remedy: "name a resource that kubectl api-resources lists",
			Check:  lint.EachSelection(matchesNothing),
		},
		{
			ID: "ADM044", Name: "review-versions", Theme: declarationTheme, Severity: lint.Info,
			Title:  "A webhook does not accept admission.k8s.io/v1 reviews.",
			Why:    "v1beta1 is deprecated, and the only other version that still exists.",
			Remedy: "support v1 as well, and put it first in admissionReviewVersions",
			Check:  lint.EachHook(reviewVersions),
		},
		{
			ID: "ADM045", Name: "called-twice", Theme: declarationTheme, Severity: lint.Warning, Practice: "design-admission-webhooks-low-latency",
			Title:  "The same endpoint is called twice for one request.",
			Why:    "Two webhooks send the same requests to the same endpoint. That doubles the latency, and what a mutating webhook adds may be added twice.",
			Remedy: "merge the two, or let their selectors exclude each other",
			Check:  calledTwice,
		},
		{
			ID: "ADM046", Name: "many-of-one-server", Theme: declarationTheme, Severity: lint.Info, Practice: "design-admission-webhooks-low-latency",
			Title:  "One server is called three times or more for one request.",
			Why:    "Three or more webhooks of one kind send the same requests to one Service. Mutating webhooks are called one after the other, so each call adds its latency.",
			Remedy: "make one webhook of them, whose server does all of it in one call",
			Check:  manyOfOneServer,
		},
		{
			ID: "ADM047", Name: "same-name", Theme: declarationTheme, Severity: lint.Warning,
			Title:  "Two webhooks of a configuration have the same name.",
			Why:    "Metrics, audit events and error messages have nothing but the name. Version v1beta1 accepts such configurations, but v1 does not: they cannot be moved to the version that newer clusters serve.",
			Remedy: "give each webhook a name of its own",
			Check:  sameName,
		},
	}
}

func sideEffects(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if h.SideEffects != nil && *h.SideEffects == admissionregistrationv1.SideEffectClassNoneOnDryRun {
		r.At(h.Field("sideEffects"), "has side effects, and promises none in a dry run")
	}
}

func matchPolicyExact(s *lint.Subject, h lint.Selection, r *lint.Reporter) {
	if h.MatchPolicy == nil || *h.MatchPolicy != admissionregistrationv1.Exact {
		return
	}
	var missed []string
	for _, rule := range h.Rules {
		for _, resource := range served(s, rule) {
			for _, other := range s.Simulator.Resources().Equivalents(resource.GroupVersionResource, "") {
				text := other.GroupVersion().String() + " " + other.Resource
				if !namesVersion(h, other) && !slices.Contains(missed, text) {
					missed = append(missed, text)
				}
			}
		}
	}
	if len(missed) > 0 {
		r.At(h.Field("matchPolicy"), "not asked about %s", strings.Join(missed, ", "))
	}
}

// namesVersion reports whether a rule names a resource in exactly this version.
func namesVersion(h lint.Selection, r schema.GroupVersionResource) bool {
	return slices.ContainsFunc(h.Rules, func(rule admissionregistrationv1.RuleWithOperations) bool {
		return has(rule.APIGroups, r.Group) && has(rule.APIVersions, r.Version) && has(rule.Resources, r.Resource)
	})
}

// served returns the resources that a rule is about, without their subresources.
func served(s *lint.Subject, rule admissionregistrationv1.RuleWithOperations) []discovery.Resource {
	var found []discovery.Resource
	for _, r := range s.Simulator.Resources().All() {
		if r.Served && has(rule.APIGroups, r.Group) && has(rule.APIVersions, r.Version) && inScope(rule, r) &&
			slices.ContainsFunc(rule.Resources, func(pattern string) bool { return names(pattern, r) }) {
			found = append(found, r)
		}
	}
	return found
}

func has(list []string, s string) bool { return slices.Contains(list, "*") || slices.Contains(list, s) }

func inScope(rule admissionregistrationv1.RuleWithOperations, r discovery.Resource) bool {
	return rule.Scope == nil || *rule.Scope == admissionregistrationv1.AllScopes ||
		(*rule.Scope == admissionregistrationv1.NamespacedScope) == r.Namespaced
}

// names reports whether an entry of a rule's resources is about r or a subresource of it.
func names(pattern string, r discovery.Resource) bool {
	resource, subresource, _ := strings.Cut(pattern, "/")
	if resource != "*" && resource != r.Resource {
		return false
	}
	_, exists := r.Subresources[subresource]
	return subresource == "" || subresource == "*" || exists
}

func oldVersion(s *lint.Subject, h lint.Selection, r *lint.Reporter) {
	for i, rule := range h.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				stable := stableVersion(s, group, resource)
				if group == "*" || stable == "" || has(rule.APIVersions, stable) || slices.ContainsFunc(rule.APIVersions, isStable) {
					continue
				}
				if serves(s, group, rule.APIVersions, resource) {
					r.At(h.RuleField(i, "apiVersions"), "%s of %s is stable as %s", resource, group, stable)
				}
			}
		}
	}
}

// stableVersion returns the newest stable version in which a resource is served.
func stableVersion(s *lint.Subject, group, resource string) string {
	best := ""
	name, _, _ := strings.Cut(resource, "/")
	for _, r := range s.Simulator.Resources().All() {
		if r.Served && r.Group == group && r.Resource == name && isStable(r.Version) && (best == "" || version.CompareKubeAwareVersionStrings(r.Version, best) > 0) {
			best = r.Version
		}
	}
	return best
}

func isStable(v string) bool {
	return v == "*" || !strings.Contains(v, "alpha") && !strings.Contains(v, "beta")
}

// serves reports whether a resource, as rules name it, is served in one of these versions.
func serves(s *lint.Subject, group string, versions []string, resource string) bool {
	return slices.ContainsFunc(s.Simulator.Resources().All(), func(r discovery.Resource) bool {
		return r.Served && (group == "*" || r.Group == group) && has(versions, r.Version) && names(resource, r)
	})
}

// matchesNothing only judges groups whose contents are known from the manifests: built-in groups, and groups of
// CustomResourceDefinitions in the manifests. The name of a custom group contains a dot, so a group without one cannot
// be defined elsewhere.
func matchesNothing(s *lint.Subject, h lint.Selection, r *lint.Reporter) {
	if h.Hook != nil && len(h.Rules) == 0 && !completes(s, h.Hook) {
		r.At(h.At(""), "has no rules, and is never called").Remedy = "add rules, or remove the webhook; if a controller writes the rules when it runs, ignore the finding with that reason"
	}
	known := len(h.Rules) > 0 // everything that the rules may match
	for i, rule := range h.Rules {
		unmatched := false
		for j, resource := range rule.Resources {
			one := rule
			one.Resources = []string{resource}
			if slices.Contains(rule.APIGroups, "*") || strings.Contains(resource, "*") || !allServe(s, one) {
				known = false
				continue
			}
			if why := s.Unmatched(h, one); why != "" {
				unmatched = true
				r.At(h.RuleField(i, fmt.Sprintf("resources[%d]", j)), "%s", why).Remedy = "correct the rule, or remove it"
			}
		}
		known = known && !unmatched
		for _, group := range rule.APIGroups {
			if group != "*" && !knows(s, group) {
				known = false
				if !strings.Contains(group, ".") {
					found := r.At(h.RuleField(i, "apiGroups"), "there is no group %q", group)
					if group == "core" || group == "v1" {
						found.Remedy = `write "", which is the core group`
					}
				}
				continue
			}
			for j, resource := range rule.Resources {
				// A rule with several groups names the resources of all of them.
				if len(rule.APIGroups) > 1 && servedByAny(s, rule, resource) || serves(s, group, rule.APIVersions, resource) {
					continue
				}
				known = false
				asked := meant(s, group, rule.APIVersions, resource)
				if group == "*" { // an unknown definition may add the resource, but hardly with a name so similar
					if asked != "" {
						r.At(h.RuleField(i, fmt.Sprintf("resources[%d]", j)), "no known resource is called %s%s", resource, asked)
					}
					continue
				}
				if s.MayLack(crdKind) && !isBuiltIn(s, group) {
					continue
				}
				r.At(h.RuleField(i, fmt.Sprintf("resources[%d]", j)), "nothing is served as %s in group %q, version %s%s", resource, group, strings.Join(rule.APIVersions, ", "), asked)
			}
		}
	}
	neverMet(s, h, known, r)
}

// neverMet only judges conditions if all that the rules may match is known, or if nothing but the condition decides.
func neverMet(s *lint.Subject, h lint.Selection, known bool, r *lint.Reporter) {
	if !known {
		h.MatchConditions = slices.Clone(h.MatchConditions)
		for i, c := range h.MatchConditions {
			if readsRequest.MatchString(c.Expression) {
				h.MatchConditions[i].Expression = "true"
			}
		}
	}
	if i, never := s.NeverMet(h); never {
		r.At(h.ConditionField(i, "expression"), "the match condition %s is false for every request that the rules match, so it is never asked", h.MatchConditions[i].Name).Remedy = "correct the condition or the rules"
	}
}

var readsRequest = regexp.MustCompile(`\b(request|object|oldObject|namespaceObject|params|authorizer|variables)\b`)

// allServe reports whether each group of a rule serves its resources.
func allServe(s *lint.Subject, rule admissionregistrationv1.RuleWithOperations) bool {
	for _, group := range rule.APIGroups {
		for _, resource := range rule.Resources {
			if !serves(s, group, rule.APIVersions, resource) {
				return false
			}
		}
	}
	return true
}

// isBuiltIn reports whether the server itself serves a group.
func isBuiltIn(s *lint.Subject, group string) bool {
	return slices.ContainsFunc(s.Simulator.Resources().All(), func(r discovery.Resource) bool { return r.Group == group && r.CRD == nil })
}

// meant returns a question with the resource that an unknown name in a rule may stand for, which is empty if there is
// none: a resource of the group with that singular, short name or kind, or with a similar name, or a resource of another
// group.
func meant(s *lint.Subject, group string, versions []string, name string) string {
	name, subresource, _ := strings.Cut(name, "/")
	like := func(r discovery.Resource) string {
		words := r.Resource
		if _, ok := r.Subresources[subresource]; ok {
			words += "/" + subresource
		}
		return asking(fmt.Sprintf("did you mean %q?", words))
	}
	all := s.Simulator.Resources()
	words := name
	if group != "" && group != "*" {
		words += "." + group
	}
	found, _, err := all.Find(words)
	switch {
	case err != nil:
	case group == "*" && (found.Resource == name || !has(versions, found.Version)):
		return "" // it is known, in other versions
	case found.Resource != name && (group == "*" || group == found.Group):
		return like(found)
	}
	var known []string
	by := map[string]discovery.Resource{}
	for _, r := range all.All() {
		if r.Served && (group == "*" || r.Group == group) && has(versions, r.Version) {
			known = append(known, r.Resource)
			by[r.Resource] = r
		}
	}
	near := didyoumean.Nearest(name, known)
	if group == "*" && max(len(name), len(near)) > min(len(name), len(near))+1 {
		near = "" // definitions add longer and shorter names: certificates, ingressroutes, templates
	}
	if near != "" && near != name {
		return like(by[near])
	}
	if found, _, err = all.Find(name); err == nil && group != "*" && group != found.Group {
		return asking(fmt.Sprintf("did you mean %q of group %q?", found.Resource, found.Group))
	}
	return ""
}

// asking appends a question to a finding.
func asking(question string) string {
	if question == "" {
		return ""
	}
	return "; " + question
}

func servedByAny(s *lint.Subject, rule admissionregistrationv1.RuleWithOperations, resource string) bool {
	return slices.ContainsFunc(rule.APIGroups, func(group string) bool {
		return group != "*" && !knows(s, group) || serves(s, group, rule.APIVersions, resource)
	})
}

func knows(s *lint.Subject, group string) bool {
	return slices.ContainsFunc(s.Simulator.Resources().All(), func(r discovery.Resource) bool { return r.Group == group })
}

func reviewVersions(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if versions := h.AdmissionReviewVersions; len(versions) > 0 && !slices.Contains(versions, "v1") { // none: the release has no such field
		r.At(h.Field("admissionReviewVersions"), "takes only %s reviews", strings.Join(versions, ", "))
	}
}
