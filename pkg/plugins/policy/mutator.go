package policy

import (
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/expression"
)

var mutatingKind = kind[*mutator]{
	policies: admissionregistrationv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicy"),
	bindings: admissionregistrationv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicyBinding"),
	compile: func(object runtime.Object, c *expression.Compiler) (*policy, *mutator) {
		return compileMutating(object.(*admissionregistrationv1.MutatingAdmissionPolicy), c)
	},
	bind: func(object runtime.Object, _ *objects.Types) *binding {
		b := object.(*admissionregistrationv1.MutatingAdmissionPolicyBinding)
		return compileBinding(b.Name, b.Spec.PolicyName, b.Spec.MatchResources, b.Spec.ParamRef)
	},
}

const mutationsField = "mutations"

// A mutator is what a MutatingAdmissionPolicy does with the objects that it applies to.
type mutator struct {
	mutations   []mutation
	reinvocable bool
}

// A mutation is one of the mutations of a policy, or the reason why it is invalid.
type mutation struct {
	*expression.Mutation
	field string // the field of its expression in the policy
	err   error
}

func compileMutating(p *admissionregistrationv1.MutatingAdmissionPolicy, c *expression.Compiler) (*policy, *mutator) {
	spec := &p.Spec
	scope := c.Scope(spec.Variables, spec.ParamKind != nil)
	m := &mutator{
		reinvocable: spec.ReinvocationPolicy == admissionregistrationv1.IfNeededReinvocationPolicy,
	}
	for i, change := range spec.Mutations {
		member := "applyConfiguration"
		if change.PatchType == admissionregistrationv1.PatchTypeJSONPatch {
			member = "jsonPatch"
		}
		compiled := mutation{field: fmt.Sprintf("%s[%d].%s.expression", mutationsField, i, member)}
		compiled.Mutation, compiled.err = scope.Mutation(change)
		m.mutations = append(m.mutations, compiled)
	}
	return newPolicy(p.Name, spec.MatchConstraints, spec.MatchConditions, scope, spec.FailurePolicy, spec.ParamKind), m
}
