// Package policy decides which requests a server writes to its audit log, and how much of each: it reads the file of
// --audit-policy-file.
//
// Start with [Load], then ask [Policy.For]. The package does not know what is written.
package policy

import (
	"slices"
	"strings"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// A Policy is an audit policy.
type Policy struct{ auditv1.Policy }

// A Rule says how a request is logged.
type Rule struct {
	Level             auditv1.Level
	OmitStages        []auditv1.Stage
	OmitManagedFields bool
}

// Omits reports whether no event is written at a stage.
func (r Rule) Omits(stage auditv1.Stage) bool {
	return r.Level == auditv1.LevelNone || slices.Contains(r.OmitStages, stage)
}

// Logs reports whether events are at least of a level.
func (r Rule) Logs(level auditv1.Level) bool {
	return slices.Index(levels, r.Level) >= slices.Index(levels, level)
}

var levels = []auditv1.Level{auditv1.LevelNone, auditv1.LevelMetadata, auditv1.LevelRequest, auditv1.LevelRequestResponse}

// For returns how a request is logged. The first rule that matches it counts; a request without a rule is not logged:
// kubernetes/apiserver:pkg/audit/policy/checker.go.
func (p *Policy) For(question authorizer.Attributes) Rule {
	for i := range p.Rules {
		r := &p.Rules[i]
		if !matches(r, question) {
			continue
		}
		omits := p.OmitManagedFields
		if r.OmitManagedFields != nil {
			omits = *r.OmitManagedFields
		}
		return Rule{r.Level, slices.Concat(p.OmitStages, r.OmitStages), omits}
	}
	return Rule{Level: auditv1.LevelNone}
}

func matches(r *auditv1.PolicyRule, question authorizer.Attributes) bool {
	var name string
	var groups []string
	if who := question.GetUser(); who != nil {
		name, groups = who.GetName(), who.GetGroups()
	}
	switch {
	case len(r.Users) > 0 && (question.GetUser() == nil || !slices.Contains(r.Users, name)):
		return false
	case len(r.UserGroups) > 0 && !slices.ContainsFunc(groups, func(group string) bool { return slices.Contains(r.UserGroups, group) }):
		return false
	case len(r.Verbs) > 0 && !slices.Contains(r.Verbs, question.GetVerb()):
		return false
	case len(r.Namespaces) > 0 || len(r.Resources) > 0:
		return question.IsResourceRequest() &&
			(len(r.Namespaces) == 0 || slices.Contains(r.Namespaces, question.GetNamespace())) &&
			(len(r.Resources) == 0 || slices.ContainsFunc(r.Resources, func(g auditv1.GroupResources) bool { return covers(g, question) }))
	case len(r.NonResourceURLs) > 0:
		return !question.IsResourceRequest() && slices.ContainsFunc(r.NonResourceURLs, func(spec string) bool { return isBelow(question.GetPath(), spec) })
	}
	return true
}

// covers reports whether resources of a group include the requested one.
func covers(g auditv1.GroupResources, question authorizer.Attributes) bool {
	switch {
	case g.Group != question.GetAPIGroup() && g.Group != "*":
		return false
	case len(g.Resources) == 0:
		return true
	case len(g.ResourceNames) > 0 && !slices.Contains(g.ResourceNames, question.GetName()):
		return false
	}
	resource, subresource := question.GetResource(), question.GetSubresource()
	whole := resource
	if subresource != "" {
		whole += "/" + subresource
	}
	return slices.ContainsFunc(g.Resources, func(one string) bool {
		return one == "*" || one == whole || subresource != "" && one == "*/"+subresource || one == resource+"/*"
	})
}

func isBelow(path, spec string) bool {
	return spec == "*" || spec == path || strings.HasSuffix(spec, "*") && strings.HasPrefix(path, strings.TrimRight(spec, "*"))
}
