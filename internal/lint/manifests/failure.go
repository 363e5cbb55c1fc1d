package manifests

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/lint"
)

const failureTheme = "What happens when a webhook does not answer"

func failureRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM030", Name: "long-timeout", Theme: failureTheme, Severity: lint.Warning, Practice: "small-timeout",
			Title:  "A webhook may take longer than ten seconds.",
			Why:    "If the webhook hangs, every request that it is called for waits that long, and waiting requests pile up in the API server. A healthy webhook answers in milliseconds.",
			Remedy: "set timeoutSeconds to 5 or less",
			Check:  lint.EachHook(longTimeout),
		},
		{
			ID: "ADM031", Name: "timeouts-add-up", Theme: failureTheme, Severity: lint.Warning, Practice: "design-admission-webhooks-low-latency",
			Title:  "The timeouts of all webhooks add up to more than a request may take.",
			Why:    "Mutating webhooks are called one after the other. The API server gives a request 34 seconds. After that the request fails, even if every webhook has failurePolicy Ignore.",
			Remedy: "shorten the timeouts, or merge some of the webhooks",
			Check:  timeoutsAddUp,
		},
		{
			ID: "ADM032", Name: "fails-closed-everywhere", Theme: failureTheme, Severity: lint.Warning, Practice: "avoid-dependency-loops",
			Title:  "While a webhook is down, workloads are refused in every namespace, including kube-system.",
			Why:    "That includes the network, DNS and storage that the webhook itself depends on, so it may never come up again.",
			Remedy: "exclude kube-system and the namespace of the webhook with the namespaceSelector, or set failurePolicy: Ignore",
			Check:  lint.EachHook(failsClosedEverywhere),
		},
		{
			ID: "ADM033", Name: "validator-fails-open", Theme: failureTheme, Severity: lint.Warning, Practice: "fail-open-validate-final-state",
			Title:  "A validating webhook lets everything pass while it is down.",
			Why:    "What it should refuse is admitted whenever it does not answer in time, and nobody notices. Mutating webhooks should fail open; the validator after them should not.",
			Remedy: "set failurePolicy: Fail and exclude what the cluster needs to come up, or enforce the rule with a ValidatingAdmissionPolicy, which cannot be down",
			Needs:  []string{lint.ValidatingPolicies}, Otherwise: "set failurePolicy: Fail and exclude what the cluster needs to come up",
			Check: lint.EachHook(validatorFailsOpen),
		},
		{
			ID: "ADM034", Name: "mutator-fails-closed", Theme: failureTheme, Severity: lint.Info, Practice: "fail-open-validate-final-state",
			Title:  "A mutating webhook refuses workloads while it is down.",
			Why:    "Requests that do not need it fail, too. Let it fail open, and if its changes are essential, let a validator check for them.",
			Remedy: "set failurePolicy: Ignore, and validate the result where it is essential",
			Check:  lint.EachHook(mutatorFailsClosed),
		},
		{
			ID: "ADM035", Name: "change-not-validated", Theme: failureTheme, Severity: lint.Info, Practice: "fail-open-validate-final-state",
			Title:  "A mutating webhook for workloads fails open, and nothing refuses those without its change.",
			Why:    "While it is down, workloads are stored as their authors wrote them, and nobody notices. If the change is essential, a validator has to check for it. Any validating webhook with failurePolicy Fail, or policy that denies, for some of the same requests counts as one.",
			Remedy: "if the change is essential, check for it with a ValidatingAdmissionPolicy, which cannot be down",
			Needs:  []string{lint.ValidatingPolicies}, Otherwise: "if the change is essential, check for it with a validating webhook with failurePolicy Fail",
			Check: lint.EachHook(changeNotValidated),
		},
	}
}

const (
	longestTimeout = 10
	// requestLimit is how many seconds the API server allows for a write: kubernetes/apiserver:
	// pkg/endpoints/handlers/rest.go, requestTimeoutUpperBound.
	requestLimit = 34
)

func longTimeout(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if h.TimeoutSeconds != nil && h.Timeout() > longestTimeout { // nil: the release has no such field
		r.At(h.Field("timeoutSeconds"), "may take %d s", h.Timeout())
	}
}

// timeoutsAddUp looks at new pods, which most webhooks are about, namespace by namespace, and reports the worst case.
func timeoutsAddUp(s *lint.Subject, r *lint.Reporter) {
	var worst []*lint.Hook
	var where string
	for _, ns := range namespaces(s) {
		if called := s.Called(lint.NewPod(ns, "web-0", map[string]string{"app": "web"})); total(called) > total(worst) {
			worst, where = called, ns
		}
	}
	if total(worst) <= requestLimit || len(worst) < 2 {
		return
	}
	var names []string
	open := true
	for _, h := range worst {
		names = append(names, fmt.Sprintf("%s %d s", h, h.Timeout()))
		open = open && !h.FailsClosed()
	}
	where = "namespace " + where
	if strings.HasSuffix(where, lint.OrdinaryNamespace) {
		where = "any namespace"
	}
	text := fmt.Sprintf("a new pod in %s waits up to %d s for webhooks (%s), and a request has %d s", where, total(worst), strings.Join(names, ", "), requestLimit)
	if open {
		text += ": it fails although all of them have failurePolicy Ignore"
	}
	last := worst[len(worst)-1]
	f := r.At(last.Field("timeoutSeconds"), "%s", text)
	for _, h := range worst[:len(worst)-1] {
		at := h.Field("timeoutSeconds")
		f.Related = append(f.Related, lint.Related{Source: at.Manifest.Position(at.Path), Message: fmt.Sprintf("%s may take %d s", h, h.Timeout())})
	}
}

// total returns how long these webhooks may take together: the mutating webhooks one after the other, then the
// validating webhooks concurrently.
func total(called []*lint.Hook) int32 {
	var sum, longest int32
	for _, h := range called {
		if h.Mutating {
			sum += h.Timeout()
		} else {
			longest = max(longest, h.Timeout())
		}
	}
	return sum + longest
}

// namespaces returns those that people use, and one that nothing is known about.
func namespaces(s *lint.Subject) []string {
	names := []string{lint.OrdinaryNamespace}
	for o := range s.State.List(lint.NamespaceKind, "") {
		name := o.Object.(metav1.Object).GetName()
		if !strings.HasPrefix(name, "kube-") && name != lint.OrdinaryNamespace {
			names = append(names, name)
		}
	}
	return names
}

func failsClosedEverywhere(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if h.Selective() || !h.FailsClosed() {
		return
	}
	if seen := s.Sees(h, lint.Workloads); len(seen) > 0 {
		r.At(h.Field("failurePolicy"), "while it is down, nobody can %s, in any namespace", inWords(seen))
	}
}

func validatorFailsOpen(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if !h.Mutating && !h.FailsClosed() {
		r.At(h.Field("failurePolicy"), "nothing is checked while it is down")
	}
}

// mutatorFailsClosed leaves webhooks that select nothing to ADM032. It ignores webhooks for custom resources only,
// which only their own operator waits for.
func mutatorFailsClosed(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if !h.Mutating || !h.FailsClosed() || !h.Selective() {
		return
	}
	if resource := ordinary(s, h); resource != "" {
		r.At(h.Field("failurePolicy"), "while it is down, %s that it is called for are refused", resource)
	}
}

// ordinary returns a workload resource that a webhook is called for; empty: none.
func ordinary(s *lint.Subject, h *lint.Hook) string {
	for _, rule := range h.Rules {
		for _, resource := range served(s, rule) {
			if resource.CRD == nil && (resource.Group == "" || resource.Group == "apps" || resource.Group == "batch") {
				return resource.Resource
			}
		}
	}
	return ""
}

// validators are the kinds of objects that refuse requests.
var validators = []string{"ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"}

// changeNotValidated ignores webhooks for custom resources only, whose own operator sees what they lack.
func changeNotValidated(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	resource := ordinary(s, h)
	if !h.Mutating || h.FailsClosed() || resource == "" || s.MayLack(validators...) {
		return
	}
	mutates := h.Selection()
	for _, other := range s.Hooks {
		if !other.Mutating && other.FailsClosed() && meet(mutates, other.Selection()) {
			return
		}
	}
	for _, p := range s.Policies {
		if !failsOpen(p) && slices.ContainsFunc(p.Bindings, (*lint.Binding).Denies) && meet(mutates, p.Selection()) {
			return
		}
	}
	r.At(h.Field("failurePolicy"), "while it is down, %s are stored without its change, and nothing refuses them", resource)
}
