package manifests

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/lint"
)

const scopeTheme = "What webhooks are called for"

func scopeRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: "ADM001", Name: "matches-everything", Theme: scopeTheme, Severity: lint.Warning, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for every resource.",
			Why:    "It adds its latency to every write in the cluster, including those that the cluster needs in order to heal, and it sees resources of releases that it was never tested with.",
			Remedy: "list the groups and resources that the webhook is for",
			Check:  lint.EachHook(matchesEverything),
		},
		{
			ID: "ADM002", Name: "kube-system", Theme: scopeTheme, Severity: lint.Warning, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for system components in kube-system.",
			Why:    "The network, DNS and storage drivers run there. If a webhook breaks them, or does not answer, the whole cluster breaks.",
			Remedy: "exclude kube-system: namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system]}]}",
			Check:  lint.EachHook(kubeSystem),
		},
		{
			ID: "ADM003", Name: "own-namespace", Theme: scopeTheme, Severity: lint.Warning, Practice: "avoid-self-mutation",
			Title:  "A webhook must admit the pods of the namespace that it runs in.",
			Why:    "If the webhook's own pods are among them, they cannot be replaced once all of them are lost. If the manifests contain these pods, ADM070 reports it for certain.",
			Remedy: "exclude the namespace of the webhook with its namespaceSelector",
			Check:  lint.EachHook(ownNamespace),
		},
		{
			ID: "ADM004", Name: "node-leases", Theme: scopeTheme, Severity: lint.Error, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for the leases of nodes.",
			Why:    "Each kubelet renews its lease every ten seconds. A node whose lease is not renewed in time counts as lost, and its pods are evicted. For a validating webhook with failurePolicy Ignore this is a warning, since the webhook can only delay the renewal.",
			Remedy: "exclude kube-node-lease with the namespaceSelector, or the group coordination.k8s.io from the rules",
			Check:  lint.EachHook(nodeLeases),
		},
		{
			ID: "ADM005", Name: "access-reviews", Theme: scopeTheme, Severity: lint.Error, Practice: "webhook-limit-scope",
			Title:  "A webhook is called for TokenReviews, SubjectAccessReviews or other questions about access.",
			Why:    "These requests write nothing: kubelets, aggregated API servers and the webhook's own server send them to learn who a user is and what the user may do. Without an answer, none of them can find out. With failurePolicy Ignore this is a warning. From Kubernetes 1.37 on, webhooks do not see these requests by default.",
			Remedy: "remove the groups authentication.k8s.io and authorization.k8s.io from the rules",
			Check:  lint.EachHook(accessReviews),
		},
		{
			ID: "ADM006", Name: "nodes", Theme: scopeTheme, Severity: lint.Warning, Practice: "ha-deployment",
			Title:  "A webhook is called for nodes or their status.",
			Why:    "When nodes fail, the cluster updates them, and the webhook's own node too. A webhook that refuses these updates, or is down with its node, keeps the cluster from reacting. With failurePolicy Ignore this is an info.",
			Remedy: "remove nodes and nodes/status from the rules",
			Check:  lint.EachHook(nodeObjects),
		},
		{
			ID: "ADM007", Name: "status", Theme: scopeTheme, Severity: lint.Info, Practice: "ha-deployment",
			Title:  "A webhook is called for updates of the status of pods or workloads.",
			Why:    "Controllers and kubelets report the current state with them. There are many, especially when something fails, and there is little to refuse.",
			Remedy: "write pods instead of pods/*, and * instead of */*, which adds all subresources",
			Check:  lint.EachHook(statusRequests),
		},
		{
			ID: "ADM008", Name: "all-operations", Theme: scopeTheme, Severity: lint.Info, Practice: "request-filtering",
			Title:  "A rule asks for all operations.",
			Why:    "That includes DELETE, which has no new object, and CONNECT, which writes nothing. A webhook answers requests that it does not expect with an error, or lets them pass unchecked.",
			Remedy: "list the operations that the webhook handles, such as CREATE and UPDATE",
			Check:  lint.EachHook(allOperations),
		},
		{
			ID: "ADM009", Name: "events", Theme: scopeTheme, Severity: lint.Info, Practice: "prevent-webhook-self-trigger",
			Title:  "A webhook is called for events.",
			Why:    "Every component writes events all the time. A webhook that writes an event about its own work is called again for that event.",
			Remedy: "remove events from the rules, both those of the core group and those of events.k8s.io",
			Check:  lint.EachHook(eventObjects),
		},
		{
			ID: "ADM010", Name: "recovery", Theme: scopeTheme, Severity: lint.Warning, Practice: "ha-deployment",
			Title:  "Lost pods do not come back while a webhook is down.",
			Why:    "Every new pod must be bound to a node, needs a token, and must be added to the endpoints of its Service. A webhook with failurePolicy Fail is called for one of these.",
			Remedy: "remove pods/binding, serviceaccounts/token and endpointslices from the rules, or set failurePolicy: Ignore",
			Check:  lint.EachHook(recoveryRequests),
		},
		{
			ID: "ADM011", Name: "add-ons", Theme: scopeTheme, Severity: lint.Warning, Practice: "avoid-dependency-loops",
			Title:  "Lost pods of an add-on of the nodes do not come back while a webhook is down.",
			Why:    "Many networks, storage drivers and device plugins run outside kube-system, as DaemonSets with the priority class system-node-critical. The webhook may need them itself: if both are down, neither comes up again. A DaemonSet without that class that uses the network of its nodes is an info, since it may be no such add-on.",
			Remedy: "exclude the namespace of the add-on with the namespaceSelector, or its pods with the objectSelector",
			Check:  lint.EachHook(addOns),
		},
	}
}

// everywhere reports whether a rule names every resource of every group.
func everywhere(r admissionregistrationv1.RuleWithOperations) bool {
	return slices.Contains(r.APIGroups, "*") && (slices.Contains(r.Resources, "*") || slices.Contains(r.Resources, "*/*"))
}

// everything returns the first such rule of a webhook that does not select objects either.
func everything(h *lint.Hook) (int, bool) {
	i := slices.IndexFunc(h.Rules, everywhere)
	return i, i >= 0 && !lint.Asks(h.ObjectSelector) && len(h.MatchConditions) == 0
}

func matchesEverything(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	i, ok := everything(h)
	if !ok {
		return
	}
	text := "called for every resource"
	var also []string
	for _, about := range []lint.Topic{lint.Nodes, lint.Status, lint.Events, lint.Connect} {
		also = append(also, s.Sees(h, about)...)
	}
	if len(also) > 0 {
		text += "; that includes: " + inWords(also)
	}
	f := r.At(h.Field(fmt.Sprintf("rules[%d].resources", i)), "%s", text)
	if !h.FailsClosed() {
		f.Severity = lint.Info
	}
}

// kubeSystem leaves webhooks that select nothing to ADM020 and ADM032.
func kubeSystem(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.KubeSystem)
	if len(seen) == 0 || !h.Selective() {
		return
	}
	at := h.Field("namespaceSelector")
	if !lint.Asks(h.NamespaceSelector) {
		at = h.Field("")
	}
	f := r.At(at, "called in kube-system, to %s", inWords(seen))
	if !h.FailsClosed() {
		f.Severity = lint.Info
	}
}

// ownNamespace leaves webhooks that select nothing to ADM032.
func ownNamespace(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	b := s.Graph.Backend(h.Webhook)
	if b == nil || len(b.Workloads) > 0 || !h.FailsClosed() || !h.Selective() {
		return
	}
	var labels map[string]string
	if b.Service != nil {
		labels = b.Service.Spec.Selector
	}
	if !s.Calls(h, lint.NewPod(b.Namespace, b.Name+"-0", labels)) {
		return
	}
	f := r.At(h.Field("clientConfig.service.namespace"), "has to admit new pods in %s, the namespace that it runs in", b.Namespace)
	f.Remedy = leaveOut(b.Namespace)
}

// inWords returns probes grouped by verb: create pods and services, update leases.
func inWords(seen []string) string {
	var verbs []string
	objects := map[string][]string{}
	for _, what := range seen {
		i := strings.LastIndex(what, " ")
		verb := what[:i]
		if !slices.Contains(verbs, verb) {
			verbs = append(verbs, verb)
		}
		objects[verb] = append(objects[verb], what[i+1:])
	}
	parts := make([]string, len(verbs))
	for i, verb := range verbs {
		all := objects[verb]
		parts[i] = verb + " " + all[len(all)-1]
		if n := len(all); n > 1 {
			parts[i] = verb + " " + strings.Join(all[:n-1], ", ") + " and " + all[n-1]
		}
	}
	return strings.Join(parts, ", ")
}

func leaveOut(namespace string) string {
	return fmt.Sprintf("leave it out: namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [%s]}]}", namespace)
}

func nodeLeases(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.NodeLeases)
	if len(seen) == 0 {
		return
	}
	f := r.At(h.Field("rules"), "called for the leases of nodes in kube-node-lease: %s", inWords(seen))
	if !h.FailsClosed() && !h.Mutating {
		f.Severity = lint.Warning
	}
}

func accessReviews(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.AccessReviews)
	if len(seen) == 0 {
		return
	}
	f := r.At(h.Field("rules"), "called for questions about access: %s", inWords(seen))
	if !h.FailsClosed() {
		f.Severity = lint.Warning
	}
}

// nodeObjects, statusRequests and eventObjects leave webhooks that match everything to ADM001, which lists what that
// includes.
func nodeObjects(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.Nodes)
	if _, all := everything(h); all || len(seen) == 0 {
		return
	}
	f := r.At(h.Field("rules"), "called for nodes: %s", inWords(seen))
	if !h.FailsClosed() {
		f.Severity = lint.Info
	}
}

func statusRequests(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.Status)
	if _, all := everything(h); all || len(seen) == 0 {
		return
	}
	r.At(h.Field("rules"), "called for updates of the status: %s", inWords(seen))
}

func eventObjects(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.Events)
	if _, all := everything(h); all || len(seen) == 0 {
		return
	}
	r.At(h.Field("rules"), "called for events")
}

func allOperations(_ *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	for i, rule := range h.Rules {
		if slices.Contains(rule.Operations, admissionregistrationv1.OperationAll) {
			r.At(h.Field(fmt.Sprintf("rules[%d].operations", i)), "asks for all operations, DELETE and CONNECT included")
		}
	}
}

func recoveryRequests(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	seen := s.Sees(h, lint.Recovery)
	if len(seen) == 0 || !h.FailsClosed() {
		return
	}
	r.At(h.Field("rules"), "lost pods do not come back while it is down: it has to admit %s", inWords(seen))
}

// addOns leaves webhooks that select nothing to ADM032, and those of an add-on itself to ADM070.
func addOns(s *lint.Subject, h *lint.Hook, r *lint.Reporter) {
	if !h.FailsClosed() || !h.Selective() {
		return
	}
	b := s.Graph.Backend(h.Webhook)
	var critical, others []*dependency.Workload
	for _, w := range s.Graph.Workloads() {
		if w.Kind != "DaemonSet" || w.Namespace == metav1.NamespaceSystem || b != nil && slices.Contains(b.Workloads, w) || !s.Calls(h, w.NewPod()) {
			continue
		}
		switch {
		case w.Pod.Spec.PriorityClassName == "system-node-critical":
			critical = append(critical, w)
		case w.Pod.Spec.HostNetwork:
			others = append(others, w)
		}
	}
	stopped(s, h, critical, "nodes need them", r)
	if f := stopped(s, h, others, "nodes may need them", r); f != nil {
		f.Severity = lint.Info
	}
}

// stopped reports the workloads whose pods a webhook has to admit; nil if there are none.
func stopped(s *lint.Subject, h *lint.Hook, workloads []*dependency.Workload, why string, r *lint.Reporter) *lint.Finding {
	if len(workloads) == 0 {
		return nil
	}
	var names []string
	var places []lint.Related
	for _, w := range workloads {
		names, places = append(names, w.String()), append(places, workload(s, w)...)
	}
	f := r.At(h.Field("namespaceSelector"), "while it is down, lost pods of %s do not come back, and %s", strings.Join(names, ", "), why)
	f.Related = places
	return f
}
