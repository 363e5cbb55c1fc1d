// kubernetes/apiserver:pkg/apis/flowcontrol/bootstrap/default.go

package flowcontrol

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apiserver/pkg/authentication/user"
)

// Flow control has two schemas and two levels that nobody may change:
// kubernetes/apiserver:pkg/apis/flowcontrol/bootstrap/default.go. That package also builds the server's changeable
// ones, at every start.

// fixedFlowSchema returns the required spec of such a schema; ok is false for others.
func fixedFlowSchema(name string) (spec flowcontrolv1.FlowSchemaSpec, ok bool) {
	switch name {
	case flowcontrolv1.FlowSchemaNameExempt:
		spec.MatchingPrecedence = 1
		spec.Rules = everythingOf(user.SystemPrivilegedGroup)
	case flowcontrolv1.FlowSchemaNameCatchAll:
		spec.MatchingPrecedence = 10000
		spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType}
		spec.Rules = everythingOf(user.AllUnauthenticated, user.AllAuthenticated)
	default:
		return spec, false
	}
	spec.PriorityLevelConfiguration.Name = name
	return spec, true
}

// everythingOf returns rules for everything that groups do.
func everythingOf(groups ...string) []flowcontrolv1.PolicyRulesWithSubjects {
	rules := flowcontrolv1.PolicyRulesWithSubjects{
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs:        []string{flowcontrolv1.VerbAll},
			APIGroups:    []string{flowcontrolv1.APIGroupAll},
			Resources:    []string{flowcontrolv1.ResourceAll},
			Namespaces:   []string{flowcontrolv1.NamespaceEvery},
			ClusterScope: true,
		}},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{
			Verbs:           []string{flowcontrolv1.VerbAll},
			NonResourceURLs: []string{flowcontrolv1.NonResourceAll},
		}},
	}
	for _, g := range groups {
		rules.Subjects = append(rules.Subjects, flowcontrolv1.Subject{Kind: rbacv1.GroupKind, Group: &flowcontrolv1.GroupSubject{Name: g}})
	}
	return []flowcontrolv1.PolicyRulesWithSubjects{rules}
}

// fixedPriorityLevel returns the required spec of such a level; ok is false for others.
func fixedPriorityLevel(name string) (spec flowcontrolv1.PriorityLevelConfigurationSpec, ok bool) {
	switch name {
	case flowcontrolv1.PriorityLevelConfigurationNameExempt:
		return flowcontrolv1.PriorityLevelConfigurationSpec{
			Type:   flowcontrolv1.PriorityLevelEnablementExempt,
			Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: new(int32(0)), LendablePercent: new(int32(0))},
		}, true
	case flowcontrolv1.PriorityLevelConfigurationNameCatchAll:
		return flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(5)),
				LendablePercent:          new(int32(0)),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		}, true
	}
	return spec, false
}
