package metrics

import (
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// definePolicies defines the metrics of kubernetes/apiserver:pkg/admission/plugin/policy/*/metrics/metrics.go.
func (m *Metrics) definePolicies() {
	buckets := []float64{0.0000005, 0.001, 0.01, 0.1, 1.0}
	const validating, mutating = "validating_admission_policy", "mutating_admission_policy"
	level, labels := alpha, []string{"policy", "policy_binding", "enforcement_action", "state"}
	by, including := "binding, enforcement action taken, and state", "binding, state and enforcement action taken"
	if m.release.Has(kubeversion.MetricErrorsOfPolicies) {
		level, labels = beta, []string{"policy", "policy_binding", "error_type", "enforcement_action"}
		by, including = "binding and enforcement action taken", "binding and enforcement action taken"
	}
	m.policyChecks = m.counter(validating, "check_total", m.help(level, "Validation admission policy check total, labeled by policy and further identified by "+by+"."), labels...)
	m.policySeconds = m.histogram(validating, "check_duration_seconds", m.help(level, "Validation admission latency for individual validation expressions in seconds, labeled by policy and further including "+including+"."), buckets, labels...)
	labels = []string{"policy", "policy_binding", "error_type"}
	m.mutationChecks = m.counter(mutating, "check_total", m.help(alpha, "Mutation admission policy check total, labeled by policy and further identified by binding."), labels...)
	m.mutationSeconds = m.histogram(mutating, "check_duration_seconds", m.help(alpha, "Mutation admission latency for individual mutation expressions in seconds, labeled by policy and binding."), buckets, labels...)
}

// Errors of expressions.
const (
	noError     = "no_error"
	compile     = "compile_error"
	outOfBudget = "out_of_budget"
	invalid     = "invalid_error"
)

// policy counts the validations of a policy that are not true, and the errors of its audit annotations:
// kubernetes/apiserver:pkg/admission/plugin/policy/validating/dispatcher.go.
func (m *Metrics) policy(a *serve.Answered, h *trace.Hook) {
	ignores, actions := m.enforcement(a, h)
	for _, e := range h.Expressions {
		isNote := strings.HasPrefix(e.Field, "auditAnnotations[")
		switch {
		case !isNote && !strings.HasPrefix(e.Field, "validations[") || !strings.HasSuffix(e.Field, "xpression"):
		case e.Error != "" && ignores && isNote:
		case e.Error != "" && ignores:
			m.checked(h, errorTypeOf(e.Error), "allow")
		case e.Error != "" && isNote:
			m.checked(h, errorTypeOf(e.Error), "deny")
		case e.Error != "" || e.Message != "":
			for _, action := range actions {
				m.checked(h, errorTypeOf(e.Error), strings.ToLower(string(action)))
			}
		}
	}
}

func (m *Metrics) checked(h *trace.Hook, errorType, action string) {
	labels := []string{h.Configuration, h.Name, action, "active"}
	if m.release.Has(kubeversion.MetricErrorsOfPolicies) {
		labels = []string{h.Configuration, h.Name, errorType, action}
	}
	m.policyChecks.WithLabelValues(labels...).Inc()
	m.policySeconds.WithLabelValues(labels...).Observe(h.Duration.Seconds())
}

// enforcement returns whether failures of a policy are ignored, and what its binding does about what is not valid. For
// static policies, which are not in the cluster, it is known from what happened.
func (m *Metrics) enforcement(a *serve.Answered, h *trace.Hook) (ignores bool, actions []admissionregistrationv1.ValidationAction) {
	kind := func(name string) schema.GroupKind {
		return schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: name}
	}
	if p, ok := cluster.Get[*admissionregistrationv1.ValidatingAdmissionPolicy](a.Found.State(), kind("ValidatingAdmissionPolicy"), "", h.Configuration); ok {
		ignores = p.Spec.FailurePolicy != nil && *p.Spec.FailurePolicy == admissionregistrationv1.Ignore
	}
	if b, ok := cluster.Get[*admissionregistrationv1.ValidatingAdmissionPolicyBinding](a.Found.State(), kind("ValidatingAdmissionPolicyBinding"), "", h.Name); ok {
		return ignores, objects.ActionsOf(b, m.release)
	}
	if h.Outcome.Ends() {
		actions = append(actions, admissionregistrationv1.Deny)
	}
	if len(h.Warnings) > 0 {
		actions = append(actions, admissionregistrationv1.Warn)
	}
	return ignores || h.Outcome == trace.FailedOpen, actions
}

// mutation counts an invocation of a mutating policy:
// kubernetes/apiserver:pkg/admission/plugin/policy/mutating/dispatcher.go.
func (m *Metrics) mutation(h *trace.Hook) {
	errorType := noError
	switch h.Outcome {
	case trace.Skipped:
		return
	case trace.Denied, trace.Failed, trace.FailedOpen:
		errorType = invalid
		for _, e := range h.Expressions {
			if e.Error != "" {
				errorType = errorTypeOf(e.Error)
			}
		}
	}
	m.mutationChecks.WithLabelValues(h.Configuration, h.Name, errorType).Inc()
	m.mutationSeconds.WithLabelValues(h.Configuration, h.Name, errorType).Observe(h.Duration.Seconds())
}

// errorTypeOf returns the kind of an error: kubernetes/apiserver:pkg/admission/plugin/policy/validating/errors.go.
func errorTypeOf(text string) string {
	switch {
	case strings.HasPrefix(text, "compilation"):
		return compile
	case strings.HasPrefix(text, "validation failed due to running out of cost budget"):
		return outOfBudget
	}
	return invalid
}
