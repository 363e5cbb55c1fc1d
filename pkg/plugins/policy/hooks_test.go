package policy

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const twoPolicies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: a}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  validations: [{expression: "true"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: b}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}]}
  validations: [{expression: "false"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: b}
spec: {policyName: b, validationActions: [Deny]}
`

// Compiled policies are reused from one state of the cluster to the next, object by object.
func TestCompiledOnce(t *testing.T) {
	w := newWorld(t, kubeversion.Default(), []byte(twoPolicies), false)
	next := func(s *cluster.State, before Validating) *validating {
		t.Helper()
		p, err := NewValidating(s, w.options, before)
		if err != nil {
			t.Fatal(err)
		}
		return p.(*validating)
	}
	first := next(w.State, nil)

	same := next(w.State.With(cluster.Object{Object: w.Decode(t, []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"))}), first)
	if same.hooks != first.hooks {
		t.Error("another kind of object changed, and the policies were compiled again")
	}

	b, _ := w.State.Find(validatingKey("b"))
	changed := b.Object.DeepCopyObject().(*admissionregistrationv1.ValidatingAdmissionPolicy)
	changed.Spec.Validations[0].Expression = "1 == 2"
	other := next(w.State.With(cluster.Object{Object: changed}), first)
	if other.hooks.list[0].impl != first.hooks.list[0].impl {
		t.Error("policy b changed, and a was compiled again")
	}
	if other.hooks.list[1].impl == first.hooks.list[1].impl {
		t.Error("policy b changed, but was not compiled again")
	}
	if other.hooks.list[1].bindings[0] != first.hooks.list[1].bindings[0] {
		t.Error("policy b changed, and its binding was compiled again")
	}

	gone := next(w.State.Without(cluster.Key{GroupKind: validatingKind.bindings.GroupKind(), Name: "b"}), first)
	if got := gone.hooks.list[1]; got.impl != first.hooks.list[1].impl || len(got.bindings) != 0 {
		t.Errorf("without its binding, policy b is compiled %v again and has %d bindings", got.impl != first.hooks.list[1].impl, len(got.bindings))
	}
	if len(first.hooks.list[1].bindings) != 1 {
		t.Error("the policies of the previous state lost a binding")
	}
}

func validatingKey(name string) cluster.Key {
	return cluster.Key{GroupKind: validatingKind.policies.GroupKind(), Name: name}
}
