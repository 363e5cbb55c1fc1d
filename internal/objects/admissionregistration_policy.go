package objects

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var validatingAdmissionPolicy = rules[*admissionregistrationv1.ValidatingAdmissionPolicy]{
	name:         dnsSubdomain,
	anyFinalizer: true,
	spec:         func(p *admissionregistrationv1.ValidatingAdmissionPolicy) any { return &p.Spec },
	status:       func(p *admissionregistrationv1.ValidatingAdmissionPolicy) any { return &p.Status },
	defaults: func(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
		setDefault(&p.Spec.FailurePolicy, admissionregistrationv1.Fail)
		defaultMatchResources(p.Spec.MatchConstraints)
	},
	validate:       validateValidatingPolicy,
	validateUpdate: validateValidatingPolicyUpdate,
	statusAlone:    true,
	onUpdate:       checkNothing,
	warnings:       staticNameWarnings[*admissionregistrationv1.ValidatingAdmissionPolicy],
}

var validatingAdmissionPolicyBinding = rules[*admissionregistrationv1.ValidatingAdmissionPolicyBinding]{
	name:         dnsSubdomain,
	anyFinalizer: true,
	spec:         func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) any { return &b.Spec },
	defaults: func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
		defaultMatchResources(b.Spec.MatchResources)
	},
	validate: validateValidatingBinding,
	onUpdate: checkNew,
	warnings: staticNameWarnings[*admissionregistrationv1.ValidatingAdmissionPolicyBinding],
}

var mutatingAdmissionPolicy = rules[*admissionregistrationv1.MutatingAdmissionPolicy]{
	name:         dnsSubdomain,
	anyFinalizer: true,
	spec:         func(p *admissionregistrationv1.MutatingAdmissionPolicy) any { return &p.Spec },
	defaults: func(p *admissionregistrationv1.MutatingAdmissionPolicy) {
		setDefault(&p.Spec.FailurePolicy, admissionregistrationv1.Fail)
		defaultMatchResources(p.Spec.MatchConstraints)
	},
	validate:       validateMutatingPolicy,
	validateUpdate: validateMutatingPolicyUpdate,
	onUpdate:       checkNothing,
	warnings:       staticNameWarnings[*admissionregistrationv1.MutatingAdmissionPolicy],
}

var mutatingAdmissionPolicyBinding = rules[*admissionregistrationv1.MutatingAdmissionPolicyBinding]{
	name:         dnsSubdomain,
	anyFinalizer: true,
	spec:         func(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) any { return &b.Spec },
	defaults: func(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) {
		defaultMatchResources(b.Spec.MatchResources)
	},
	validate: validateMutatingBinding,
	onUpdate: checkNew,
	warnings: staticNameWarnings[*admissionregistrationv1.MutatingAdmissionPolicyBinding],
}

// defaultMatchResources sets the defaults of what a policy or binding applies to (W-058).
func defaultMatchResources(m *admissionregistrationv1.MatchResources) {
	if m == nil {
		return
	}
	setDefault(&m.MatchPolicy, admissionregistrationv1.Equivalent)
	setDefault(&m.NamespaceSelector, metav1.LabelSelector{})
	setDefault(&m.ObjectSelector, metav1.LabelSelector{})
	for _, list := range [][]admissionregistrationv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range list {
			setDefault(&list[i].Scope, admissionregistrationv1.AllScopes)
		}
	}
}
