package metrics

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// defineRequests defines the metrics of kubernetes/apiserver:pkg/endpoints/metrics/metrics.go.
func (m *Metrics) defineRequests() {
	level := alpha
	if m.release.Has(kubeversion.MetricStableRequests) {
		level = stable
	}
	labels := []string{"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"}
	m.requests = m.counter("", "request_total", m.help(level, "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code."),
		append(slices.Clip(labels), "code")...)
	m.durations = m.histogram("", "request_duration_seconds", m.help(level, "Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component."),
		m.durationBuckets(), labels...)
	level = alpha
	if m.release.Has(kubeversion.MetricStableDeprecations) {
		level = stable
	}
	m.deprecated = m.gauge("", "requested_deprecated_apis", m.help(level, "Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release."),
		"group", "version", "resource", "subresource", "removed_release")
}

// durationBuckets returns the buckets of the durations of requests.
func (m *Metrics) durationBuckets() []float64 {
	coarse := []float64{0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60}
	switch {
	case m.release.Has(kubeversion.MetricFastRequests):
		return slices.Concat([]float64{0.005, 0.025}, coarse)
	case m.release.Has(kubeversion.MetricFewerDurations):
		return coarse
	}
	return []float64{0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0,
		1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60}
}

// request counts a request. The server does not count those that its authenticators or authorizers refuse, nor those for
// resources that do not exist, nor those for most documents.
func (m *Metrics) request(a *serve.Answered, took time.Duration) {
	if a.AuditAnnotations["authorization.k8s.io/decision"] != "allow" {
		return
	}
	of, scope := a.Document, ""
	if of == nil {
		if of = resourceOf(a); of == nil {
			return
		}
		scope = scopeOf(a)
	}
	labels := []string{methodLabel(a), dryRunOf(a), of.Group, of.Version, of.Resource, of.Subresource, scope, of.Component}
	m.durations.WithLabelValues(labels...).Observe(took.Seconds())
	m.requests.WithLabelValues(append(labels, strconv.Itoa(a.Code))...).Inc()
	if a.AuditAnnotations["k8s.io/deprecated"] == "true" {
		m.deprecated.WithLabelValues(of.Group, of.Version, of.Resource, of.Subresource, a.AuditAnnotations["k8s.io/removed-release"]).Set(1)
	}
}

// resourceOf returns what metrics call the resource of a request, or nil if it does not exist.
func resourceOf(a *serve.Answered) *serve.Counted {
	r := a.Request
	if _, exists := a.Found.Resources().Resource(r.Resource); !exists {
		return nil
	}
	subresource, _, _ := strings.Cut(r.Subresource, "/")
	return &serve.Counted{Group: r.Resource.Group, Version: r.Resource.Version, Resource: r.Resource.Resource, Subresource: subresource, Component: serve.ComponentName}
}

// methodLabel returns what metrics call the verb of a request: unlike [serve.Answered.Verb], the HTTP method, unless one
// method stands for several verbs.
func methodLabel(a *serve.Answered) string {
	switch {
	case serve.Connects(a.Request.Subresource):
		return "CONNECT"
	case a.Verb == "watch", a.Verb == "list":
		return strings.ToUpper(a.Verb)
	case a.HTTP.Method == http.MethodHead:
		return http.MethodGet
	case a.HTTP.Method == http.MethodPatch && a.HTTP.Header.Get("Content-Type") == string(types.ApplyYAMLPatchType):
		return "APPLY"
	case slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, a.HTTP.Method):
		return a.HTTP.Method
	}
	return "other"
}

func dryRunOf(a *serve.Answered) string {
	given := slices.Clone(a.HTTP.URL.Query()["dryRun"])
	for _, one := range given {
		if one != "All" {
			return "invalid"
		}
	}
	return strings.Join(slices.Compact(given), ",")
}

func scopeOf(a *serve.Answered) string {
	switch {
	case a.Request.Name != "" || a.HTTP.Method == http.MethodPost:
		return "resource"
	case a.Request.Namespace != "":
		return "namespace"
	}
	return "cluster"
}
