package workload

import (
	"fmt"
	"iter"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// templates are the kinds of objects that pods are made of.
var templates = []schema.GroupKind{
	{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "ReplicaSet"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "Job"}, {Group: "batch", Kind: "CronJob"},
	{Kind: "ReplicationController"},
}

// makesPods reports whether pods are made of objects of a kind.
func makesPods(kind schema.GroupKind) bool { return slices.Contains(templates, kind) }

// Unexpanded are the requests of a run that does not look through workloads to the pods that are made of them.
type Unexpanded struct{ workloads, others bool }

// Asked notes a request about an object of a kind. It is plain if it is written as the object alone.
func (u *Unexpanded) Asked(kind schema.GroupVersionKind, plain bool) {
	switch {
	case !plain, kind == schema.GroupVersionKind{Version: "v1", Kind: "Pod"}:
		u.others = true
	case makesPods(kind.GroupKind()):
		u.workloads = true
	}
}

// Warning is what to say to who may not know that nothing that judges pods in a cluster was asked about any; empty if there is
// nothing to say.
func (u Unexpanded) Warning(state *cluster.State) (text, hint string) {
	if u.workloads && !u.others {
		if judge := judgesPods(state); judge != "" {
			return judge + " about pods, and no request is", "--expand also asks for the pods that controllers create for a workload"
		}
	}
	return "", ""
}

// judgesPods are the webhook configurations and policies of a cluster that name pods, such as
// "ValidatingAdmissionPolicy no-root is"; empty if there are none.
func judgesPods(state *cluster.State) string {
	first, more := "", 0
	for _, kind := range []string{
		"MutatingWebhookConfiguration", "MutatingAdmissionPolicy", "ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy",
	} {
		for o := range state.List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind}, "") {
			m, err := meta.Accessor(o.Object)
			switch {
			case err != nil || !isAboutPods(o.Object):
			case first == "":
				first = kind + " " + m.GetName()
			default:
				more++
			}
		}
	}
	switch {
	case first == "":
		return ""
	case more > 0:
		return fmt.Sprintf("%s and %d more are", first, more)
	}
	return first + " is"
}

// isAboutPods reports whether a rule of a configuration or policy names pods.
func isAboutPods(o runtime.Object) bool {
	for rule := range rulesOf(o) {
		if slices.Contains(rule.Resources, "pods") && (slices.Contains(rule.APIGroups, "") || slices.Contains(rule.APIGroups, "*")) {
			return true
		}
	}
	return false
}

// rulesOf are the rules of a configuration or policy, as the cluster stores it.
func rulesOf(o runtime.Object) iter.Seq[admissionregistrationv1.Rule] {
	return func(yield func(admissionregistrationv1.Rule) bool) {
		var named []admissionregistrationv1.NamedRuleWithOperations
		var rules []admissionregistrationv1.RuleWithOperations
		switch o := o.(type) {
		case *admissionregistrationv1.MutatingWebhookConfiguration:
			for _, h := range o.Webhooks {
				rules = append(rules, h.Rules...)
			}
		case *admissionregistrationv1.ValidatingWebhookConfiguration:
			for _, h := range o.Webhooks {
				rules = append(rules, h.Rules...)
			}
		case *admissionregistrationv1.ValidatingAdmissionPolicy:
			if o.Spec.MatchConstraints != nil {
				named = o.Spec.MatchConstraints.ResourceRules
			}
		case *admissionregistrationv1.MutatingAdmissionPolicy:
			if o.Spec.MatchConstraints != nil {
				named = o.Spec.MatchConstraints.ResourceRules
			}
		}
		for _, r := range named {
			rules = append(rules, r.RuleWithOperations)
		}
		for _, r := range rules {
			if !yield(r.Rule) {
				return
			}
		}
	}
}
