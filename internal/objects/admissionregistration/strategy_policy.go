// kubernetes/kubernetes:pkg/registry/admissionregistration/validatingadmissionpolicy/strategy.go
// kubernetes/kubernetes:pkg/registry/admissionregistration/mutatingadmissionpolicy/strategy.go
// kubernetes/kubernetes:pkg/apis/admissionregistration/v1/defaults.go

package admissionregistration

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	admissionregistrationv1alpha1 "k8s.io/api/admissionregistration/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

var validatingAdmissionPolicy = rules.Of[*admissionregistrationv1.ValidatingAdmissionPolicy]{
	Name:         rules.DNSSubdomain,
	AnyFinalizer: true,
	Behaviour:    rules.Behaviour{StatusCreates: true},
	Spec:         func(p *admissionregistrationv1.ValidatingAdmissionPolicy) any { return &p.Spec },
	Status:       func(p *admissionregistrationv1.ValidatingAdmissionPolicy) any { return &p.Status },
	Defaults: func(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
		rules.SetDefault(&p.Spec.FailurePolicy, admissionregistrationv1.Fail)
		defaultMatchResources(p.Spec.MatchConstraints)
	},
	Validate:       validateValidatingPolicy,
	ValidateUpdate: validateValidatingPolicyUpdate,
	StatusAlone:    true,
	OnUpdate:       rules.CheckNothing,
	Warnings:       staticNameWarnings[*admissionregistrationv1.ValidatingAdmissionPolicy],
}

var validatingAdmissionPolicyBinding = rules.Of[*admissionregistrationv1.ValidatingAdmissionPolicyBinding]{
	Name:         rules.DNSSubdomain,
	AnyFinalizer: true,
	Spec:         func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) any { return &b.Spec },
	Defaults: func(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
		defaultMatchResources(b.Spec.MatchResources)
	},
	Validate: validateValidatingBinding,
	OnUpdate: rules.CheckNew,
	Warnings: staticNameWarnings[*admissionregistrationv1.ValidatingAdmissionPolicyBinding],
}

var mutatingAdmissionPolicy = rules.Of[*admissionregistrationv1.MutatingAdmissionPolicy]{
	Name:         rules.DNSSubdomain,
	AnyFinalizer: true,
	Spec:         func(p *admissionregistrationv1.MutatingAdmissionPolicy) any { return &p.Spec },
	Defaults: func(p *admissionregistrationv1.MutatingAdmissionPolicy) {
		rules.SetDefault(&p.Spec.FailurePolicy, admissionregistrationv1.Fail)
		defaultMatchResources(p.Spec.MatchConstraints)
	},
	Validate:       validateMutatingPolicy,
	ValidateUpdate: validateMutatingPolicyUpdate,
	OnUpdate:       rules.CheckNothing,
	Warnings:       staticNameWarnings[*admissionregistrationv1.MutatingAdmissionPolicy],
}

var mutatingAdmissionPolicyBinding = rules.Of[*admissionregistrationv1.MutatingAdmissionPolicyBinding]{
	Name:         rules.DNSSubdomain,
	AnyFinalizer: true,
	Spec:         func(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) any { return &b.Spec },
	Defaults: func(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) {
		defaultMatchResources(b.Spec.MatchResources)
	},
	Validate: validateMutatingBinding,
	OnUpdate: rules.CheckNew,
	Warnings: staticNameWarnings[*admissionregistrationv1.MutatingAdmissionPolicyBinding],
}

// defaultParamRefV1alpha1 denies requests if no parameters are found. Later versions require an explicit choice:
// kubernetes/kubernetes:pkg/apis/admissionregistration/v1alpha1/defaults.go.
func defaultParamRefV1alpha1(p *admissionregistrationv1alpha1.ParamRef) {
	if p != nil {
		rules.SetDefault(&p.ParameterNotFoundAction, admissionregistrationv1alpha1.DenyAction)
	}
}

// defaultMatchResources sets the defaults for the resources that a policy or binding applies to (W-058).
func defaultMatchResources(m *admissionregistrationv1.MatchResources) {
	if m == nil {
		return
	}
	rules.SetDefault(&m.MatchPolicy, admissionregistrationv1.Equivalent)
	rules.SetDefault(&m.NamespaceSelector, metav1.LabelSelector{})
	rules.SetDefault(&m.ObjectSelector, metav1.LabelSelector{})
	for _, list := range [][]admissionregistrationv1.NamedRuleWithOperations{m.ResourceRules, m.ExcludeResourceRules} {
		for i := range list {
			rules.SetDefault(&list[i].Scope, admissionregistrationv1.AllScopes)
		}
	}
}
