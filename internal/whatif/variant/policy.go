package variant

import (
	"fmt"
	"iter"
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// The kinds of policies, and of their bindings.
var (
	validatingPolicy  = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}
	validatingBinding = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicyBinding"}

	validatingKinds = []schema.GroupKind{validatingPolicy, validatingBinding}
	mutatingKinds   = []schema.GroupKind{
		{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicy"},
		{Group: admissionregistrationv1.GroupName, Kind: "MutatingAdmissionPolicyBinding"},
	}
)

// WithoutPolicies returns the simulator of a cluster without its policies.
func WithoutPolicies(sim *simulator.Simulator) (*simulator.Simulator, error) {
	state := sim.State()
	for _, kind := range slices.Concat(validatingKinds, mutatingKinds) {
		for o := range state.List(kind, "") {
			state = state.Without(cluster.KeyOf(o.Object))
		}
	}
	return in(sim, state, slices.DeleteFunc(sim.Static(), func(o cluster.Object) bool { return !objects.IsWebhookConfiguration(o.Object) }))
}

// UnselectedPolicy returns the simulator of without, a cluster without policies, with one of the policies of sim. The
// policy has no selectors, conditions and actions other than Deny. It has the binding under which it was asked, or all
// of its bindings; if it has none, one that matches everything.
func UnselectedPolicy(sim *simulator.Simulator, asked document.Actor, without *simulator.Simulator) (*simulator.Simulator, error) {
	found, static, exists := find(sim, asked.Configuration)
	policy, ok := found.Object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
	if !exists || !ok {
		return nil, fmt.Errorf("the cluster has no policy %s", asked.Configuration)
	}
	bound := sim.State().List(validatingBinding, "")
	if static {
		bound = slices.Values(sim.Static())
	}
	bindings := bindingsOf(bound, policy, asked.Name)
	policy = policy.DeepCopy()
	policy.Spec.MatchConditions = nil
	unselect(policy.Spec.MatchConstraints)
	only := []cluster.Object{{Object: policy, Source: found.Source}}
	for _, b := range bindings {
		b.Spec.ValidationActions = []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}
		unselect(b.Spec.MatchResources)
		only = append(only, cluster.Object{Object: b})
	}
	if static {
		return without.WithStatic(append(without.Static(), only...))
	}
	return without.With(without.State().With(only...))
}

// find returns a validating policy, and whether it is in a static manifest.
func find(sim *simulator.Simulator, name string) (found cluster.Object, static, exists bool) {
	key := cluster.Key{GroupKind: validatingPolicy, Name: name}
	for _, o := range sim.Static() {
		if cluster.KeyOf(o.Object) == key {
			return o, true, true
		}
	}
	found, exists = sim.State().Find(key)
	return found, false, exists
}

// bindingsOf returns copies of the bindings of a policy, or of the one with that name. A policy without bindings and
// params gets one.
func bindingsOf(list iter.Seq[cluster.Object], policy *admissionregistrationv1.ValidatingAdmissionPolicy, name string) (all []*admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	for o := range list {
		b, ok := o.Object.(*admissionregistrationv1.ValidatingAdmissionPolicyBinding)
		if ok && b.Spec.PolicyName == policy.Name && (name == "" || name == b.Name) {
			all = append(all, b.DeepCopy())
		}
	}
	if len(all) == 0 && policy.Spec.ParamKind == nil {
		b := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}
		b.APIVersion, b.Kind, b.Name = policy.APIVersion, validatingBinding.Kind, policy.Name
		b.Spec.PolicyName = policy.Name
		all = append(all, b)
	}
	return all
}

// unselect makes resources match whatever their labels and those of their namespace are.
func unselect(m *admissionregistrationv1.MatchResources) {
	if m != nil {
		m.NamespaceSelector, m.ObjectSelector = &metav1.LabelSelector{}, &metav1.LabelSelector{}
	}
}
