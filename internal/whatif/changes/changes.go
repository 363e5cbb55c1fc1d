// Package changes finds the webhooks and policies that differ between two clusters.
//
// Start with [Between]. Packages diff and survey show how the difference affects requests.
package changes

import (
	"cmp"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// Between returns the webhooks, and the policies with their bindings, that differ or that only one of the clusters has.
func Between(base, head *simulator.Simulator) (changed []document.Actor) {
	before, after := subjectsOf(base), subjectsOf(head)
	for actor, spec := range after {
		if old, ok := before[actor]; !ok || !semantic.DeepEqual(old, spec) {
			changed = append(changed, actor)
		}
	}
	for actor := range before {
		if _, ok := after[actor]; !ok {
			changed = append(changed, actor)
		}
	}
	slices.SortFunc(changed, func(a, b document.Actor) int {
		return cmp.Or(cmp.Compare(a.Plugin, b.Plugin), cmp.Compare(a.Configuration, b.Configuration), cmp.Compare(a.Name, b.Name))
	})
	return changed
}

// subjectsOf returns all webhooks and policies of a cluster and of static manifests, with their specifications. The
// actor of a policy has no Name.
func subjectsOf(sim *simulator.Simulator) map[document.Actor][]any {
	all := map[document.Actor][]any{}
	add := func(plugin, configuration, name string, spec any) {
		actor := document.Actor{Plugin: plugin, Configuration: configuration, Name: name}
		all[actor] = append(all[actor], spec)
	}
	for _, kind := range []string{
		"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy",
		"MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding", // after the policies, so bindings come last in each list
	} {
		of := slices.DeleteFunc(sim.Static(), func(o cluster.Object) bool { return cluster.KeyOf(o.Object).Kind != kind })
		for _, o := range slices.AppendSeq(of, sim.State().List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind}, "")) {
			switch o := o.Object.(type) {
			case *admissionregistrationv1.MutatingWebhookConfiguration:
				for _, h := range o.Webhooks {
					add("MutatingAdmissionWebhook", o.Name, h.Name, h)
				}
			case *admissionregistrationv1.ValidatingWebhookConfiguration:
				for _, h := range o.Webhooks {
					add("ValidatingAdmissionWebhook", o.Name, h.Name, h)
				}
			case *admissionregistrationv1.MutatingAdmissionPolicy:
				add("MutatingAdmissionPolicy", o.Name, "", o.Spec)
			case *admissionregistrationv1.ValidatingAdmissionPolicy:
				add("ValidatingAdmissionPolicy", o.Name, "", o.Spec)
			case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
				add("MutatingAdmissionPolicy", o.Spec.PolicyName, "", []any{o.Name, o.Spec})
			case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
				add("ValidatingAdmissionPolicy", o.Spec.PolicyName, "", []any{o.Name, o.Spec})
			}
		}
	}
	return all
}
