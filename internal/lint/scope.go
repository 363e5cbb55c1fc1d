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
			Why:    "It adds its latency to all writes of the cluster, also to those that the cluster heals by, and sees resources of releases that it was never tested with.",
			Remedy: "list the groups and resources that the webhook has something to say about",
			check:  eachHook(matchesEverything),
		},
		{
			ID: "ADM002", Name: "kube-system", Theme: scopeTheme, Severity: Warning, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for what runs the cluster in kube-system.",
			Why:    "The network, DNS and the storage drivers live there. What a webhook does to them, or that it does not answer, breaks all of the cluster.",
			Remedy: "leave kube-system out: namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}",
			check:  eachHook(kubeSystem),
		},
		{
			ID: "ADM003", Name: "own-namespace", Theme: scopeTheme, Severity: Warning, Practice: "avoid-self-mutation",
			Title:  "A webhook must admit the pods of the namespace that it runs in.",
			Why:    "If the pods behind it are among them, they cannot be made again once all of them are lost. Where the manifests show these pods, ADM070 says for certain.",
			Remedy: "leave the namespace of the webhook out by its namespaceSelector",
			check:  eachHook(ownNamespace),
		},
		{
			ID: "ADM004", Name: "node-leases", Theme: scopeTheme, Severity: Error, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for the leases of nodes.",
			Why:    "Each kubelet renews its lease every ten seconds. A node whose lease is not renewed in time counts as lost, and its pods are evicted. With failurePolicy Ignore, and a validating webhook, it is only as slow as the webhook, which is a warning.",
			Remedy: "leave kube-node-lease out by the namespaceSelector, or the group coordination.k8s.io by the rules",
			check:  eachHook(nodeLeases),
		},
		{
			ID: "ADM005", Name: "access-reviews", Theme: scopeTheme, Severity: Error, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for TokenReviews, SubjectAccessReviews or other questions about access.",
			Why:    "Nothing is written by them: kubelets, aggregated API servers and the webhook's own server ask them to learn who somebody is and what they may do. Without an answer nobody can. With failurePolicy Ignore it is a warning. From Kubernetes 1.37 on, webhooks do not see them by default.",
			Remedy: "leave the groups authentication.k8s.io and authorization.k8s.io out of the rules",
			check:  eachHook(accessReviews),
		},
		{
			ID: "ADM006", Name: "nodes", Theme: scopeTheme, Severity: Warning, Practice: "ha-deployment",
			Title:  "A webhook is called for nodes or their status.",
			Why:    "When nodes fail, the cluster writes to them, and to the webhook's own node too. A webhook that is in the way, or down with its node, keeps the cluster from reacting. With failurePolicy Ignore it is an info.",
			Remedy: "leave nodes and nodes/status out of the rules",
			check:  eachHook(nodeObjects),
		},
		{
			ID: "ADM007", Name: "status", Theme: scopeTheme, Severity: Info, Practice: "ha-deployment",
			Title:  "A webhook is called for updates of the status of pods or workloads.",
			Why:    "Controllers and kubelets report with them what is; there are many of them, most of all when something fails, and there is little to refuse.",
			Remedy: "write pods instead of pods/*, and * instead of */*, which adds all subresources",
			check:  eachHook(statusRequests),
		},
		{
			ID: "ADM008", Name: "all-operations", Theme: scopeTheme, Severity: Info, Practice: "request-filtering",
			Title:  "A rule asks for all operations.",
			Why:    "That includes DELETE, which has no new object, and CONNECT, which writes nothing. What the webhook does not expect, it answers with an error, or lets pass unchecked.",
			Remedy: "list the operations that the webhook handles, such as CREATE and UPDATE",
			check:  eachHook(allOperations),
		},
		{
			ID: "ADM009", Name: "events", Theme: scopeTheme, Severity: Info, Practice: "prevent-webhook-self-trigger",
			Title:  "A webhook is called for events.",
			Why:    "Every component writes them all the time. A webhook that writes one itself for what it did is called for it again.",
			Remedy: "leave events out of the rules, of the core group and of events.k8s.io",
			check:  eachHook(eventObjects),
		},
		{
			ID: "ADM010", Name: "recovery", Theme: scopeTheme, Severity: Warning, Practice: "ha-deployment",
			Title:  "Lost pods do not come back while a webhook is down.",
			Why:    "A new pod of anybody needs to be bound to a node, needs a token and has to get into the endpoints of its Service. Here a webhook with failurePolicy Fail has a say in that.",
			Remedy: "leave pods/binding, serviceaccounts/token and endpointslices out of the rules, or set failurePolicy: Ignore",
			check:  eachHook(recoveryRequests),
		},
	}
}

// everywhere tells whether a rule asks for every resource of every group.
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
