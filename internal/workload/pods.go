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

// templates are the kinds from which pods are created.
var templates = []schema.GroupKind{
	{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "ReplicaSet"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
	{Group: "batch", Kind: "Job"}, {Group: "batch", Kind: "CronJob"},
	{Kind: "ReplicationController"},
}

// makesPods reports whether pods are created from objects of a kind.
func makesPods(kind schema.GroupKind) bool { return slices.Contains(templates, kind) }

// Unexpanded records the requests of a run that does not expand workloads to their pods.
type Unexpanded struct{ workloads, others bool }

// Asked records a request about an object of a kind. It is plain if it was written as the object alone.
func (u *Unexpanded) Asked(kind schema.GroupVersionKind, plain bool) {
	switch {
	case !plain, kind == schema.GroupVersionKind{Version: "v1", Kind: "Pod"}:
		u.others = true
	case makesPods(kind.GroupKind()):
		u.workloads = true
	}
}

// Warning returns a warning for users who may not know that the webhooks and policies for pods were not called for any
// pod; empty if there is none.
func (u Unexpanded) Warning(state *cluster.State) (text, hint string) {
	if u.workloads && !u.others {
		if judge := judgesPods(state); judge != "" {
			return judge + " about pods, and no request is", "--expand also creates the pods that controllers create for a workload"
		}
	}
	return "", ""
}

// judgesPods names the webhook configurations and policies of a cluster whose rules name pods, such as
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

// rulesOf returns the rules of a configuration or policy, as the cluster stores it.
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
