package lint

import (
	"fmt"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
)

const scopeTheme = "What webhooks are called for"

func scopeRules() []Rule {
	return []Rule{
		{
			ID: "ADM001", Name: "matches-everything", Theme: scopeTheme, Severity: Warning, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for every resource.",
			Why:    "It adds its latency to every write in the cluster, including those that the cluster needs in order to heal, and it sees resources of releases that it was never tested with.",
			Remedy: "list the groups and resources that the webhook is for",
			check:  eachHook(matchesEverything),
		},
		{
			ID: "ADM002", Name: "kube-system", Theme: scopeTheme, Severity: Warning, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for system components in kube-system.",
			Why:    "The network, DNS and storage drivers run there. If a webhook breaks them, or does not answer, the whole cluster breaks.",
			Remedy: "exclude kube-system: namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}",
			check:  eachHook(kubeSystem),
		},
		{
			ID: "ADM003", Name: "own-namespace", Theme: scopeTheme, Severity: Warning, Practice: "avoid-self-mutation",
			Title:  "A webhook must admit the pods of the namespace that it runs in.",
			Why:    "If the webhook's own pods are among them, they cannot be replaced once all of them are lost. If the manifests contain these pods, ADM070 reports it for certain.",
			Remedy: "exclude the namespace of the webhook with its namespaceSelector",
			check:  eachHook(ownNamespace),
		},
		{
			ID: "ADM004", Name: "node-leases", Theme: scopeTheme, Severity: Error, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for the leases of nodes.",
			Why:    "Each kubelet renews its lease every ten seconds. A node whose lease is not renewed in time counts as lost, and its pods are evicted. For a validating webhook with failurePolicy Ignore this is a warning, since the webhook can only delay the renewal.",
			Remedy: "exclude kube-node-lease with the namespaceSelector, or the group coordination.k8s.io from the rules",
			check:  eachHook(nodeLeases),
		},
		{
			ID: "ADM005", Name: "access-reviews", Theme: scopeTheme, Severity: Error, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for TokenReviews, SubjectAccessReviews or other questions about access.",
			Why:    "These requests write nothing: kubelets, aggregated API servers and the webhook's own server send them to learn who a user is and what the user may do. Without an answer, none of them can find out. With failurePolicy Ignore this is a warning. From Kubernetes 1.37 on, webhooks do not see these requests by default.",
			Remedy: "remove the groups authentication.k8s.io and authorization.k8s.io from the rules",
			check:  eachHook(accessReviews),
		},
		{
			ID: "ADM006", Name: "nodes", Theme: scopeTheme, Severity: Warning, Practice: "ha-deployment",
			Title:  "A webhook is called for nodes or their status.",
			Why:    "When nodes fail, the cluster updates them, and the webhook's own node too. A webhook that refuses these updates, or is down with its node, keeps the cluster from reacting. With failurePolicy Ignore this is an info.",
			Remedy: "remove nodes and nodes/status from the rules",
			check:  eachHook(nodeObjects),
		},
		{
			ID: "ADM007", Name: "status", Theme: scopeTheme, Severity: Info, Practice: "ha-deployment",
			Title:  "A webhook is called for updates of the status of pods or workloads.",
			Why:    "Controllers and kubelets report the current state with them. There are many, especially when something fails, and there is little to refuse.",
			Remedy: "write pods instead of pods/*, and * instead of */*, which adds all subresources",
			check:  eachHook(statusRequests),
		},
		{
			ID: "ADM008", Name: "all-operations", Theme: scopeTheme, Severity: Info, Practice: "request-filtering",
			Title:  "A rule asks for all operations.",
			Why:    "That includes DELETE, which has no new object, and CONNECT, which writes nothing. A webhook answers requests that it does not expect with an error, or lets them pass unchecked.",
			Remedy: "list the operations that the webhook handles, such as CREATE and UPDATE",
			check:  eachHook(allOperations),
		},
		{
			ID: "ADM009", Name: "events", Theme: scopeTheme, Severity: Info, Practice: "prevent-webhook-self-trigger",
			Title:  "A webhook is called for events.",
			Why:    "Every component writes events all the time. A webhook that writes an event about its own work is called again for that event.",
			Remedy: "remove events from the rules, both those of the core group and those of events.k8s.io",
			check:  eachHook(eventObjects),
		},
		{
			ID: "ADM010", Name: "recovery", Theme: scopeTheme, Severity: Warning, Practice: "ha-deployment",
			Title:  "Lost pods do not come back while a webhook is down.",
			Why:    "Every new pod must be bound to a node, needs a token, and must be added to the endpoints of its Service. A webhook with failurePolicy Fail is called for one of these.",
			Remedy: "remove pods/binding, serviceaccounts/token and endpointslices from the rules, or set failurePolicy: Ignore",
			check:  eachHook(recoveryRequests),
		},
	}
}

// everywhere reports whether a rule asks for every resource of every group.
func everywhere(r admissionregistrationv1.RuleWithOperations) bool {
	return slices.Contains(r.APIGroups, "*") && (slices.Contains(r.Resources, "*") || slices.Contains(r.Resources, "*/*"))
}

// everything is the first such rule of a webhook that leaves nothing out by its objects
// either.
func (h *hook) everything() (int, bool) {
	i := slices.IndexFunc(h.Rules, everywhere)
	return i, i >= 0 && !asks(h.ObjectSelector) && len(h.MatchConditions) == 0
}

func matchesEverything(s *subject, h *hook, r *reporter) {
	i, ok := h.everything()
	if !ok {
		return
	}
	text := "called for every resource"
	var also []string
	for _, about := range []topic{nodes, status, events, connect} {
		also = append(also, s.seen(h, about)...)
	}
	if len(also) > 0 {
		text += "; that includes: " + inWords(also)
	}
	f := r.at(h.field(fmt.Sprintf("rules[%d].resources", i)), "%s", text)
	if !h.FailsClosed() {
		f.Severity = Info
	}
}

// kubeSystem leaves webhooks that select nothing to ADM020 and ADM032.
func kubeSystem(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, system)
	if len(seen) == 0 || !h.selective() {
		return
	}
	at := h.field("namespaceSelector")
	if !asks(h.NamespaceSelector) {
		at = h.field("")
	}
	f := r.at(at, "called in kube-system, to %s", inWords(seen))
	if !h.FailsClosed() {
		f.Severity = Info
	}
}

// ownNamespace leaves webhooks that select nothing to ADM032.
func ownNamespace(s *subject, h *hook, r *reporter) {
	b := s.graph.Backend(h.Webhook)
	if b == nil || len(b.Workloads) > 0 || !h.FailsClosed() || !h.selective() {
		return
	}
	var labels map[string]string
	if b.Service != nil {
		labels = b.Service.Spec.Selector
	}
	m := metadata(b.Namespace, b.Name+"-0", labels)
	pod := created(workloads, "pods", typed(&corev1.Pod{ObjectMeta: m, Spec: podSpec()}, "", "Pod"), admission.Controller("replicaset-controller"))
	if !h.Intercepts(s.ctx, pod.request) {
		return
	}
	f := r.at(h.field("clientConfig.service.namespace"), "has to admit new pods in %s, the namespace that it runs in", b.Namespace)
	f.Remedy = leaveOut(b.Namespace)
}

func leaveOut(namespace string) string {
	return fmt.Sprintf("leave it out: namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [%s]}]}", namespace)
}

func nodeLeases(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, leases)
	if len(seen) == 0 {
		return
	}
	f := r.at(h.field("rules"), "called for the leases of nodes in kube-node-lease: %s", inWords(seen))
	if !h.FailsClosed() && !h.Mutating {
		f.Severity = Warning
	}
}

func accessReviews(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, reviews)
	if len(seen) == 0 {
		return
	}
	f := r.at(h.field("rules"), "called for questions about access: %s", inWords(seen))
	if !h.FailsClosed() {
		f.Severity = Warning
	}
}

// nodeObjects, statusRequests and eventObjects leave webhooks that match everything to
// ADM001, which names what it includes.
func nodeObjects(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, nodes)
	if _, all := h.everything(); all || len(seen) == 0 {
		return
	}
	f := r.at(h.field("rules"), "called for nodes: %s", inWords(seen))
	if !h.FailsClosed() {
		f.Severity = Info
	}
}

func statusRequests(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, status)
	if _, all := h.everything(); all || len(seen) == 0 {
		return
	}
	r.at(h.field("rules"), "called for updates of the status: %s", inWords(seen))
}

func eventObjects(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, events)
	if _, all := h.everything(); all || len(seen) == 0 {
		return
	}
	r.at(h.field("rules"), "called for events")
}

func allOperations(_ *subject, h *hook, r *reporter) {
	for i, rule := range h.Rules {
		if slices.Contains(rule.Operations, admissionregistrationv1.OperationAll) {
			r.at(h.field(fmt.Sprintf("rules[%d].operations", i)), "asks for all operations, DELETE and CONNECT included")
		}
	}
}

func recoveryRequests(s *subject, h *hook, r *reporter) {
	seen := s.seen(h, recovery)
	if len(seen) == 0 || !h.FailsClosed() {
		return
	}
	r.at(h.field("rules"), "lost pods do not come back while it is down: it has to admit %s", inWords(seen))
}
