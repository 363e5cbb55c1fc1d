package admsimtest

import (
	"slices"
	"strings"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// DeniedByWebhook checks that a webhook denied the request, or that its failure did. name is its name alone, or
// configuration/name.
func (r *Result) DeniedByWebhook(name string) *Result {
	r.t.Helper()
	r.Denied()
	if by := *r.DeniedBy; !strings.HasSuffix(by.Plugin, "Webhook") || (name != by.Name && name != by.Configuration+"/"+by.Name) {
		r.fatalf("the request was denied by %s, not by the webhook %s", by, name)
	}
	return r
}

// DeniedByPolicy checks that a policy denied the request. name is its name alone, or name/binding.
func (r *Result) DeniedByPolicy(name string) *Result {
	r.t.Helper()
	r.Denied()
	if by := *r.DeniedBy; !strings.HasSuffix(by.Plugin, "Policy") || (name != by.Configuration && name != by.Configuration+"/"+by.Name) {
		r.fatalf("the request was denied by %s, not by the policy %s", by, name)
	}
	return r
}

// DeniedByPlugin checks that a plugin of the API server itself, such as PodSecurity or ResourceQuota, denied
// the request.
func (r *Result) DeniedByPlugin(name string) *Result {
	r.t.Helper()
	r.Denied()
	if by := *r.DeniedBy; by.Name != "" || name != by.Plugin {
		r.fatalf("the request was denied by %s, not by the plugin %s", by, name)
	}
	return r
}

// Called checks that a webhook was called, or a policy evaluated. name is its name alone, or configuration/webhook or
// policy/binding.
func (r *Result) Called(name string) *Result {
	r.t.Helper()
	hooks := r.Hooks(name)
	if !slices.ContainsFunc(hooks, applied) {
		r.fatalf("%s was not called: %s", name, whyNot(hooks))
	}
	return r
}

// NotCalled checks that a webhook was not called, or a policy not evaluated.
func (r *Result) NotCalled(name string) *Result {
	r.t.Helper()
	if slices.ContainsFunc(r.Hooks(name), applied) {
		r.fatalf("%s was called", name)
	}
	return r
}

// Skipped checks that a webhook or policy does not apply, for a reason that contains all words, such as
// namespaceSelector.
func (r *Result) Skipped(name string, words ...string) *Result {
	r.t.Helper()
	hooks := r.Hooks(name)
	switch {
	case len(hooks) == 0:
		r.fatalf("nobody looked at %s: %s", name, whyNot(hooks))
	case slices.ContainsFunc(hooks, applied):
		r.fatalf("%s was called", name)
	}
	for _, w := range words {
		if !slices.ContainsFunc(hooks, func(h report.Hook) bool { return strings.Contains(h.Because, w) }) {
			r.fatalf("%s was skipped for another reason than %q: %s", name, w, whyNot(hooks))
		}
	}
	return r
}

// Calls returns how often a webhook was called, including the second round.
func (r *Result) Calls(webhook string) (n int) {
	r.t.Helper()
	for _, h := range r.Hooks(webhook) {
		n += len(h.Calls)
	}
	return n
}

// Violates checks that a validation of a policy failed, with a message that contains all words. It does not matter
// whether a binding denies the request or only warns.
func (r *Result) Violates(policy string, words ...string) *Result {
	r.t.Helper()
	messages := r.violations(policy)
	if len(messages) == 0 {
		r.fatalf("the request does not violate the policy %s", policy)
	}
	for _, w := range words {
		if !slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(m, w) }) {
			r.fatalf("no violation of the policy %s says %q: %q", policy, w, messages)
		}
	}
	return r
}

// Satisfies checks that a policy was evaluated, and that all its validations passed.
func (r *Result) Satisfies(policy string) *Result {
	r.t.Helper()
	r.Called(policy)
	if messages := r.violations(policy); len(messages) > 0 {
		r.fatalf("the request violates the policy %s: %q", policy, messages)
	}
	return r
}

// violations returns the messages of the failed validations of a policy.
func (r *Result) violations(policy string) (messages []string) {
	r.t.Helper()
	for _, h := range r.Hooks(policy) {
		for _, e := range h.Expressions {
			if e.Message != "" {
				messages = append(messages, e.Message)
			}
		}
	}
	return messages
}

// Hooks returns what a webhook or policy did, with a name as for [Result.Called]: an entry for each round, each binding
// and each object, in order, even if it was skipped. It is empty if the request ended earlier.
func (r *Result) Hooks(name string) (all []report.Hook) {
	r.t.Helper()
	r.requireName(name)
	for _, a := range r.Admissions {
		for _, s := range a.Steps {
			for _, h := range s.Hooks {
				policy := strings.HasSuffix(s.Plugin, "Policy")
				if name == h.Configuration+"/"+h.Name || policy && name == h.Configuration || !policy && name == h.Name {
					all = append(all, h)
				}
			}
		}
	}
	return all
}

func applied(h report.Hook) bool { return trace.Outcome(h.Outcome) != trace.Skipped }

func whyNot(hooks []report.Hook) string {
	if len(hooks) == 0 {
		return "the request ended before"
	}
	return hooks[0].Because
}
