package rbac

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	rbacv1 "k8s.io/api/rbac/v1"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/admsim/admsim/pkg/admission"
)

// A part is what one binding adds to the rules of a user, or the error why that is not known.
type part struct {
	rules []rbacv1.PolicyRule
	err   error
}

// inAnyOrder returns the parts in the order in which the server goes through them.
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

// failures collects why the rules of some bindings are not known, for those of the whole cluster and for those of a
// namespace. Each text is kept once.
type failures struct{ cluster, local []error }

func (f *failures) add(of grant, err error) {
	known := func(other error) bool { return other.Error() == err.Error() }
	switch {
	case slices.ContainsFunc(f.cluster, known) || slices.ContainsFunc(f.local, known):
	case of.namespace == "":
		f.cluster = append(f.cluster, err)
	default:
		f.local = append(f.local, err)
	}
}

// asFound returns the errors in the order in which the server finds them on the course of a request, or nil if there
// are none.
func (f *failures) asFound(ctx context.Context) error {
	var all []error
	for _, group := range [][]error{f.cluster, f.local} {
		if len(group) < 2 {
			all = append(all, group...)
			continue
		}
		for _, i := range admission.CourseOf(ctx).Order(len(group), "several bindings name roles that do not exist, and the server goes through them in any order") {
			all = append(all, group[i])
		}
	}
	return utilerrors.NewAggregate(all)
}

// say reports what a part adds to the status of a SelfSubjectRulesReview: each rule as JSON with sorted keys.
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
