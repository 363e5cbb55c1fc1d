package metrics

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// defineAdmission defines the metrics of kubernetes/apiserver:pkg/admission/metrics/metrics.go.
func (m *Metrics) defineAdmission() {
	level, buckets := alpha, []float64{0.005, 0.025, 0.1, 0.5, 2.5}
	if m.release.Has(kubeversion.MetricOneSecond) {
		level, buckets = stable, []float64{0.005, 0.025, 0.1, 0.5, 1.0, 2.5}
	}
	long := buckets
	if m.release.Has(kubeversion.MetricLongWebhooks) {
		long = []float64{0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10, 25}
	}
	const admission = "admission"
	ofStep, ofNamed := []string{"type", "operation", "rejected"}, []string{"name", "type", "operation", "rejected"}
	m.steps = m.histogram(admission, "step_admission_duration_seconds", m.help(level, "Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit)."), buckets, ofStep...)
	m.summaries = prometheus.NewSummaryVec(prometheus.SummaryOpts{
		Namespace: "apiserver", Subsystem: admission, Name: "step_admission_duration_seconds_summary", MaxAge: 5 * time.Hour,
		Objectives: map[float64]float64{0.5: 0.05, 0.9: 0.01, 0.99: 0.001},
		Help:       m.help(alpha, "Admission sub-step latency summary in seconds, broken out for each operation and API resource and step type (validate or admit)."),
	}, ofStep)
	m.register(m.summaries)
	m.controllers = m.histogram(admission, "controller_admission_duration_seconds", m.help(level, "Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit)."), buckets, ofNamed...)
	m.webhooks = m.histogram(admission, "webhook_admission_duration_seconds", m.help(level, "Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit)."), long, ofNamed...)
	m.rejections = m.counter(admission, "webhook_rejection_count", m.help(alpha, "Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded."),
		"name", "type", "operation", "error_type", "rejection_code")
	types := "(validating or admit)"
	if !m.release.Has(kubeversion.MetricAdmitType) {
		types = "(validating or mutating)"
	}
	m.failOpens = m.counter(admission, "webhook_fail_open_count", m.help(alpha, "Admission webhook fail open count, identified by name and broken out for each admission type "+types+"."), "name", "type")
	m.codes = m.counter(admission, "webhook_request_total", m.help(alpha, "Admission webhook request total, identified by name and broken out for each admission type "+types+" and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded."),
		"name", "type", "operation", "code", "rejected")
	ofConditions := []string{"name", "kind", "type", "operation"}
	m.conditionErrors = m.counter(admission, "match_condition_evaluation_errors_total", m.help(alpha, "Admission match condition evaluation errors count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit)."), ofConditions...)
	m.conditionExclusions = m.counter(admission, "match_condition_exclusions_total", m.help(alpha, "Admission match condition evaluation exclusions count, identified by name of resource containing the match condition and broken out for each kind containing matchConditions (webhook or policy), operation and admission type (validate or admit)."), ofConditions...)
	m.conditionSeconds = m.histogram(admission, "match_condition_evaluation_seconds", m.help(alpha, "Admission match condition evaluation time in seconds, identified by name and broken out for each kind containing matchConditions (webhook or policy), operation and type (validate or admit)."),
		[]float64{0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25}, ofConditions...)
}

// phaseTypes are the words of the metrics for phases.
var phaseTypes = map[trace.Phase]string{trace.Mutating: "admit", trace.Validating: "validate"}

// admission counts one run of the chain.
func (m *Metrics) admission(a *serve.Answered, of *trace.Admission) {
	operation := string(of.Request.Operation)
	type phase struct {
		ran, rejected bool
		took          time.Duration
	}
	phases := map[trace.Phase]*phase{trace.Mutating: {}, trace.Validating: {}}
	for i := range of.Steps {
		step := &of.Steps[i]
		now, ok := phases[step.Phase]
		if !ok {
			continue
		}
		now.ran, now.rejected, now.took = true, now.rejected || step.Outcome.Ends(), now.took+step.Duration
		m.observer(plugin{step.Plugin, step.Phase, operation, step.Outcome.Ends()}).Observe(step.Duration.Seconds())
		for j := range step.Hooks {
			m.hook(a, step, &step.Hooks[j], operation)
		}
	}
	for name, now := range phases {
		if now.ran {
			m.steps.WithLabelValues(phaseTypes[name], operation, strconv.FormatBool(now.rejected)).Observe(now.took.Seconds())
			m.summaries.WithLabelValues(phaseTypes[name], operation, strconv.FormatBool(now.rejected)).Observe(now.took.Seconds())
		}
	}
}

func (m *Metrics) observer(p plugin) prometheus.Observer {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	found, ok := m.known[p]
	if !ok {
		found = m.controllers.WithLabelValues(p.name, phaseTypes[p.phase], p.operation, strconv.FormatBool(p.rejected))
		m.known[p] = found
	}
	return found
}

func (m *Metrics) hook(a *serve.Answered, step *trace.Step, h *trace.Hook, operation string) {
	switch step.Plugin {
	case "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook":
		phase := phaseTypes[step.Phase]
		if step.Phase == trace.Validating {
			phase = "validating" // its dispatcher has another word than the chain
		}
		m.conditions(h.Name, "webhook", phase, operation, h)
		m.webhook(h, phase, operation)
	case "ValidatingAdmissionPolicy":
		m.conditions(h.Configuration, "policy", phaseTypes[step.Phase], operation, h)
		m.policy(a, h)
	case "MutatingAdmissionPolicy":
		m.conditions(h.Configuration, "policy", phaseTypes[step.Phase], operation, h)
		m.mutation(h)
	}
}

// conditions counts the match conditions of a webhook or policy:
// kubernetes/apiserver:pkg/admission/plugin/webhook/matchconditions/matcher.go.
func (m *Metrics) conditions(name, kind, phase, operation string, h *trace.Hook) {
	if !m.release.Has(kubeversion.MetricMatchConditions) {
		return
	}
	labels := []string{name, kind, phase, operation}
	decides := h.Decided.Part == trace.MatchConditions && h.Outcome == trace.Skipped
	for _, e := range h.Expressions {
		if strings.HasPrefix(e.Field, "matchConditions[") && e.Error != "" {
			decides = true
			m.conditionErrors.WithLabelValues(labels...).Inc()
		}
	}
	if decides { // the time is not measured if all of them are true
		m.conditionSeconds.WithLabelValues(labels...).Observe(0)
	}
	if decides && h.Outcome == trace.Skipped && !h.Decided.Failed && kind == "webhook" {
		m.conditionExclusions.WithLabelValues(labels...).Inc()
	}
}

// webhook counts the call of a webhook: kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/dispatcher.go.
func (m *Metrics) webhook(h *trace.Hook, phase, operation string) {
	var rejected bool
	code, errorType := http.StatusOK, ""
	switch {
	case h.Outcome == trace.Denied:
		rejected, errorType, code = true, "no_error", codeOf(h)
	case h.Outcome == trace.Failed && h.PatchFault != "":
		rejected, errorType, code = true, "apiserver_internal_error", 0
	case h.Outcome == trace.Failed:
		rejected, errorType, code = true, "calling_webhook_error", failureOf(h)
	case h.Outcome == trace.FailedOpen:
		code = failureOf(h)
	case !h.Called:
		return
	}
	code = min(code, 600)
	if rejected && m.release.Has(kubeversion.MetricRejections) {
		m.rejections.WithLabelValues(h.Name, phase, operation, errorType, strconv.Itoa(code)).Inc()
	}
	if m.release.Has(kubeversion.MetricCodesOfWebhooks) {
		m.codes.WithLabelValues(h.Name, phase, operation, strconv.Itoa(code), strconv.FormatBool(rejected)).Inc()
	}
	m.webhooks.WithLabelValues(h.Name, phase, operation, strconv.FormatBool(rejected)).Observe(h.Duration.Seconds())
	if h.Outcome == trace.FailedOpen && m.release.Has(kubeversion.MetricFailOpens) {
		m.failOpens.WithLabelValues(h.Name, phase).Inc()
	}
}

// codeOf returns the code with which a webhook refused a request.
func codeOf(h *trace.Hook) int {
	if h.Denial == nil {
		return 0
	}
	return int(h.Denial.Code)
}

// failureOf returns the code of a failed call: that of its HTTP answer, or that of a webhook that is not available.
func failureOf(h *trace.Hook) int {
	if n := len(h.Calls); n > 0 && h.Calls[n-1].Status >= http.StatusMultipleChoices {
		return h.Calls[n-1].Status
	}
	return http.StatusServiceUnavailable
}
