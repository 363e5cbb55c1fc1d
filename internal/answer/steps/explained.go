package steps

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/plugins/policy"
	"github.com/admsim/admsim/pkg/plugins/webhook"
)

// Webhooks converts what is known about webhooks without calling them to the form that is shown.
func Webhooks(list []webhook.Explanation) []document.WebhookExplanation {
	all := make([]document.WebhookExplanation, len(list))
	for i, w := range list {
		all[i] = document.WebhookExplanation{
			Configuration:  w.Configuration,
			Name:           w.Name,
			Source:         w.Source,
			Index:          w.Index,
			Called:         string(w.Called),
			Because:        w.Because,
			TimeoutSeconds: int32(w.Timeout.Seconds()),
			FailurePolicy:  string(w.FailurePolicy),
			SideEffects:    string(w.SideEffects),
			Reinvocable:    w.Reinvocable,
		}
		if w.Called == webhook.Yes {
			all[i].Resource, all[i].Kind = new(metav1.GroupVersionResource(w.Resource)), new(metav1.GroupVersionKind(w.Kind))
		}
	}
	return all
}

// Policies converts what is known about policies without evaluating them to the form that is shown.
func Policies(list []policy.Explanation) []document.PolicyExplanation {
	all := make([]document.PolicyExplanation, len(list))
	for i, p := range list {
		all[i] = document.PolicyExplanation{
			Policy:        p.Policy,
			Binding:       p.Binding,
			Param:         p.Param,
			Source:        p.Source,
			BindingSource: p.BindingSource,
			Index:         p.Index,
			Asked:         string(p.Asked),
			Because:       p.Because,
			FailurePolicy: string(p.FailurePolicy),
			Reinvocable:   p.Reinvocable,
		}
		for _, a := range p.Actions {
			all[i].ValidationActions = append(all[i].ValidationActions, string(a))
		}
		if p.Asked == policy.Yes {
			all[i].Resource, all[i].Kind = new(metav1.GroupVersionResource(p.Resource)), new(metav1.GroupVersionKind(p.Kind))
		}
	}
	return all
}
