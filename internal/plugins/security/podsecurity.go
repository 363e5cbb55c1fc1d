package security

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	podsecurityconfig "k8s.io/pod-security-admission/admission/api"
	"k8s.io/pod-security-admission/admission/api/validation"
	podsecurityapi "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// PodSecurity checks pods against the security level of their namespace.
//
// The server's own module decides what a level means, how labels are read and what a configuration may contain. The
// flow of a request is implemented here (podsecurity_pods.go, podsecurity_namespaces.go), since the module's own needs
// a clock, a log and a client for every API, and cannot say which object decided.
type PodSecurity struct {
	defaults podsecurityapi.Policy
	exempt   podsecurityconfig.PodSecurityExemptions
	newest   podsecurityapi.Version
	release  *kubeversion.Release
}

func NewPodSecurity(r *kubeversion.Release, configuration []byte) (PodSecurity, error) {
	config, err := readPodSecurity(configuration)
	if err != nil {
		return PodSecurity{}, err
	}
	if errs := validation.ValidatePodSecurityConfiguration(config); len(errs) > 0 {
		return PodSecurity{}, fmt.Errorf("invalid: %w", errs.ToAggregate())
	}
	defaults, err := podsecurityconfig.ToPolicy(config.Defaults)
	if err != nil {
		return PodSecurity{}, err
	}
	return PodSecurity{
		defaults: defaults,
		exempt:   config.Exemptions,
		newest:   podsecurityapi.MajorMinorVersion(1, r.Minor),
		release:  r,
	}, nil
}

// Validate follows kubernetes/pod-security-admission:admission/admission.go (PS-01, PS-02).
func (p PodSecurity) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	switch resource := req.Resource.GroupResource(); {
	case resource.Group == "" && resource.Resource == "namespaces":
		return p.namespace(s, req)
	case resource.Group == "" && resource.Resource == "pods":
		return p.pod(s, req)
	case madeOfPods[resource]:
		return p.controller(s, req), nil
	}
	return plugin.Skip(plugin.Begin(req), "neither a pod, nor what makes pods, nor a namespace"), nil
}

// checks evaluates pods at all levels and versions.
var checks = sync.OnceValue(func() policy.Evaluator {
	e, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		panic(err) // the module's own list
	}
	return e
})

// check returns what a level does not allow in a pod. A release knows the versions up to its own (PS-50).
func (p PodSecurity) check(l podsecurityapi.LevelVersion, m *metav1.ObjectMeta, spec *corev1.PodSpec) policy.AggregateCheckResult {
	if p.newest.Older(l.Version) {
		l.Version = p.newest
	}
	results := checks().EvaluatePod(l, m, spec)
	inWordsOf(p.release, results, m)
	return policy.AggregateCheckResults(results)
}

// exempted returns the step of a request that is exempt because of its namespace or its user (PS-21, PS-42).
func (p PodSecurity) exempted(req admission.Request, step trace.Step) (trace.Step, bool) {
	switch {
	case slices.Contains(p.exempt.Namespaces, req.Namespace):
		return audited(plugin.Skip(step, "the namespace is exempt"), podsecurityapi.ExemptionReasonAnnotationKey, "namespace"), true
	case slices.Contains(p.exempt.Usernames, req.User.Username):
		return audited(plugin.Skip(step, "the user is exempt"), podsecurityapi.ExemptionReasonAnnotationKey, "user"), true
	}
	return step, false
}

func (p PodSecurity) exemptClass(spec *corev1.PodSpec) bool {
	return spec.RuntimeClassName != nil && slices.Contains(p.exempt.RuntimeClasses, *spec.RuntimeClassName)
}

// audited adds an audit annotation (PS-03).
func audited(step trace.Step, key, value string) trace.Step {
	step.Annotate(trace.Annotation{Key: podsecurityapi.AuditAnnotationPrefix + key, Value: value})
	return step
}
