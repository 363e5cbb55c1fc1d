package lint

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
)

const failureTheme = "What happens when a webhook does not answer"

func failureRules() []Rule {
	return []Rule{
		{
			ID: "ADM030", Name: "long-timeout", Theme: failureTheme, Severity: Warning, Practice: "small-timeout",
			Title:  "A webhook may take longer than ten seconds.",
			Why:    "If the webhook hangs, every request that it is called for waits that long, and waiting requests pile up in the API server. A healthy webhook answers in milliseconds.",
			Remedy: "set timeoutSeconds to 5 or less",
			check:  eachHook(longTimeout),
		},
		{
			ID: "ADM031", Name: "timeouts-add-up", Theme: failureTheme, Severity: Warning, Practice: "design-admission-webhooks-low-latency",
			Title:  "The timeouts of all webhooks add up to more than a request may take.",
			Why:    "Mutating webhooks are called one after the other. The API server gives a request 34 seconds. After that the request fails, even if every webhook has failurePolicy Ignore.",
			Remedy: "shorten the timeouts, or merge some of the webhooks",
			check:  timeoutsAddUp,
		},
		{
			ID: "ADM032", Name: "fails-closed-everywhere", Theme: failureTheme, Severity: Warning, Practice: "avoid-dependency-loops",
			Title:  "While a webhook is down, workloads are refused in every namespace, including kube-system.",
			Why:    "That includes the network, DNS and storage that the webhook itself depends on, so it may never come up again.",
			Remedy: "exclude kube-system and the namespace of the webhook with the namespaceSelector, or set failurePolicy: Ignore",
			check:  eachHook(failsClosedEverywhere),
		},
		{
			ID: "ADM033", Name: "validator-fails-open", Theme: failureTheme, Severity: Warning, Practice: "fail-open-validate-final-state",
			Title:  "A validating webhook lets everything pass while it is down.",
			Why:    "What it should refuse is admitted whenever it does not answer in time, and nobody notices. Mutating webhooks should fail open; the validator after them should not.",
			Remedy: "set failurePolicy: Fail and exclude what the cluster needs to come up, or enforce the rule with a ValidatingAdmissionPolicy, which cannot be down",
			check:  eachHook(validatorFailsOpen),
		},
		{
			ID: "ADM034", Name: "mutator-fails-closed", Theme: failureTheme, Severity: Info, Practice: "fail-open-validate-final-state",
			Title:  "A mutating webhook refuses workloads while it is down.",
			Why:    "Requests that do not need it fail, too. Let it fail open, and if its changes are essential, let a validator check for them.",
			Remedy: "set failurePolicy: Ignore, and validate the result where it is essential",
			check:  eachHook(mutatorFailsClosed),
		},
	}
}

const (
	longestTimeout = 10
	// requestLimit is how many seconds the API server gives a write: kubernetes/apiserver:
	// pkg/endpoints/handlers/rest.go, requestTimeoutUpperBound.
	requestLimit = 34
)

func longTimeout(_ *subject, h *hook, r *reporter) {
	if h.Timeout() > longestTimeout {
		r.at(h.field("timeoutSeconds"), "may take %d s", h.Timeout())
	}
}

// timeoutsAddUp looks at new pods, which most webhooks are about, namespace by namespace,
// and reports the place that is worst.
func timeoutsAddUp(s *subject, r *reporter) {
	var worst []*hook
	var where string
	for _, ns := range s.namespaces() {
		m := metadata(ns, "web-0", map[string]string{"app": "web"})
		pod := created(workloads, "pods", typed(&corev1.Pod{ObjectMeta: m, Spec: podSpec()}, "", "Pod"), admission.Controller("replicaset-controller"))
		if called := s.called(pod.request); total(called) > total(worst) {
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
	if strings.HasSuffix(where, ordinary) {
		where = "any namespace"
	}
	text := fmt.Sprintf("a new pod in %s waits up to %d s for webhooks (%s), and a request has %d s", where, total(worst), strings.Join(names, ", "), requestLimit)
	if open {
		text += ": it fails although all of them have failurePolicy Ignore"
	}
	last := worst[len(worst)-1]
	f := r.at(last.field("timeoutSeconds"), "%s", text)
	for _, h := range worst[:len(worst)-1] {
		at := h.field("timeoutSeconds")
		f.Related = append(f.Related, Related{at.manifest.Position(at.field), fmt.Sprintf("%s may take %d s", h, h.Timeout())})
	}
}

// total is how long these webhooks may take together: the mutating ones one after the
// other, then the validating ones side by side.
func total(called []*hook) int32 {
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

func (s *subject) called(req admission.Request) []*hook {
	var called []*hook
	for _, h := range s.hooks {
		if h.Intercepts(s.ctx, req) {
			called = append(called, h)
		}
	}
	return called
}

// namespaces are those that people use, and one that nothing is known of.
func (s *subject) namespaces() []string {
	names := []string{ordinary}
	for o := range s.state.List(namespaceKind, "") {
		name := o.Object.(metav1.Object).GetName()
		if !strings.HasPrefix(name, "kube-") && name != ordinary {
			names = append(names, name)
		}
	}
	return names
}

func failsClosedEverywhere(s *subject, h *hook, r *reporter) {
	if h.selective() || !h.FailsClosed() {
		return
	}
	if seen := s.seen(h, workloads); len(seen) > 0 {
		r.at(h.field("failurePolicy"), "while it is down, nobody can %s, in any namespace", inWords(seen))
	}
}

func validatorFailsOpen(_ *subject, h *hook, r *reporter) {
	if !h.Mutating && !h.FailsClosed() {
		r.at(h.field("failurePolicy"), "nothing is checked while it is down")
	}
}

// mutatorFailsClosed leaves webhooks that select nothing to ADM032, and those for custom
// resources alone, which only their own operator waits for.
func mutatorFailsClosed(s *subject, h *hook, r *reporter) {
	if !h.Mutating || !h.FailsClosed() || !h.selective() {
		return
	}
	for _, rule := range h.Rules {
		for _, resource := range s.served(rule) {
			if resource.CRD == nil && (resource.Group == "" || resource.Group == "apps" || resource.Group == "batch") {
				r.at(h.field("failurePolicy"), "while it is down, %s that it is called for are refused", resource.Resource)
				return
			}
		}
	}
}
