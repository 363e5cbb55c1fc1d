package rbac

import (
	"context"
	"encoding/json"
	"strconv"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/admsim/admsim/pkg/admission"
)

// A part is what one binding adds to the rules of a user, or why that is not known.
type part struct {
	rules []rbacv1.PolicyRule
	err   error
}

// inAnyOrder are the parts in the order in which the server goes through them.
func inAnyOrder(ctx context.Context, all []part) []part {
	if len(all) < 2 {
		return all
	}
	paths := make([][]string, len(all))
	for i := range all {
		paths[i] = []string{strconv.Itoa(i)}
	}
	ordered := make([]part, 0, len(all))
	for _, i := range admission.CourseOf(ctx).Arrange(paths, func(i int, say func(in, text string, once bool)) { all[i].say(say) },
		"several bindings grant it, and the server goes through them in any order") {
		ordered = append(ordered, all[i])
	}
	return ordered
}

// say says what a part adds to the status of a SelfSubjectRulesReview, a rule as JSON with sorted keys.
func (p part) say(say func(in, text string, once bool)) {
	if p.err != nil {
		say("status.evaluationError", p.err.Error(), false)
	}
	for _, rule := range p.rules {
		if len(rule.Resources) > 0 {
			say("status.resourceRules", ruleText(map[string][]string{
				"verbs": rule.Verbs, "apiGroups": rule.APIGroups, "resources": rule.Resources, "resourceNames": rule.ResourceNames}), false)
		}
		if len(rule.NonResourceURLs) > 0 {
			say("status.nonResourceRules", ruleText(map[string][]string{
				"verbs": rule.Verbs, "nonResourceURLs": rule.NonResourceURLs}), false)
		}
	}
}

func ruleText(fields map[string][]string) string {
	for name, values := range fields {
		if len(values) == 0 && name != "verbs" {
			delete(fields, name)
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err) // strings
	}
	return string(text)
}
