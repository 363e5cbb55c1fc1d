// Package metrics counts what the requests to a served cluster do, in the metrics of a kube-apiserver: those about
// requests, admission and health checks. The data comes from the answers, so that admission itself knows no metrics.
//
// Start with [New]. [Metrics.Answered] counts an answer, [Metrics.ServeHTTP] is the page /metrics.
package metrics

import (
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// Metrics are the metrics of one server.
type Metrics struct {
	release  *kubeversion.Release
	registry *prometheus.Registry
	page     http.Handler
	slis     *slis
	all      []vector // in the order of their definitions

	requests   *prometheus.CounterVec
	durations  *prometheus.HistogramVec
	deprecated *prometheus.GaugeVec

	steps       *prometheus.HistogramVec
	summaries   *prometheus.SummaryVec
	controllers *prometheus.HistogramVec
	webhooks    *prometheus.HistogramVec
	rejections  *prometheus.CounterVec
	failOpens   *prometheus.CounterVec
	codes       *prometheus.CounterVec

	conditionErrors     *prometheus.CounterVec
	conditionExclusions *prometheus.CounterVec
	conditionSeconds    *prometheus.HistogramVec

	policyChecks    *prometheus.CounterVec
	policySeconds   *prometheus.HistogramVec
	mutationChecks  *prometheus.CounterVec
	mutationSeconds *prometheus.HistogramVec

	reloads   *prometheus.CounterVec
	reloaded  *prometheus.GaugeVec
	manifests *prometheus.GaugeVec

	mutex sync.Mutex
	known map[plugin]prometheus.Observer
}

// A vector is a metric with labels.
type vector interface {
	prometheus.Collector
	Reset()
}

// A plugin identifies a histogram of a plugin. Finding it like this is cheaper than by its labels.
type plugin struct {
	name      string
	phase     trace.Phase
	operation string
	rejected  bool
}

// New returns the metrics of a server of a release.
func New(r *kubeversion.Release) *Metrics {
	m := &Metrics{release: r, registry: prometheus.NewRegistry(), known: map[plugin]prometheus.Observer{}}
	m.page = promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	m.defineRequests()
	m.defineAdmission()
	m.definePolicies()
	m.defineManifests()
	m.slis = newSLIs(m)
	return m
}

// ServeHTTP writes all metrics, or those of the page /metrics/slis. A DELETE resets them.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/metrics/slis" {
		m.slis.ServeHTTP(w, r)
		return
	}
	if r.Method == http.MethodDelete {
		m.reset()
		saysReset(w)
		return
	}
	m.page.ServeHTTP(w, r)
}

// reset removes all metrics with labels, or only those about requests: kubernetes/apiserver:pkg/server/routes/metrics.go.
func (m *Metrics) reset() {
	if !m.release.Has(kubeversion.MetricsAllReset) {
		m.requests.Reset()
		m.durations.Reset()
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for _, v := range m.all {
		v.Reset()
	}
	clear(m.known)
}

func saysReset(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("metrics reset\n"))
}

func (m *Metrics) register(v vector) {
	m.registry.MustRegister(v)
	m.all = append(m.all, v)
}

// Levels of stability, as the descriptions of metrics name them.
const (
	stable = "STABLE"
	beta   = "BETA"
	alpha  = "ALPHA"
)

// help returns the description of a metric.
func (m *Metrics) help(stability, text string) string {
	if !m.release.Has(kubeversion.MetricStability) {
		return text
	}
	return "[" + stability + "] " + text
}

func (m *Metrics) counter(subsystem, name, help string, labels ...string) *prometheus.CounterVec {
	made := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "apiserver", Subsystem: subsystem, Name: name, Help: help}, labels)
	m.register(made)
	return made
}

func (m *Metrics) gauge(subsystem, name, help string, labels ...string) *prometheus.GaugeVec {
	made := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "apiserver", Subsystem: subsystem, Name: name, Help: help}, labels)
	m.register(made)
	return made
}

func (m *Metrics) histogram(subsystem, name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	made := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "apiserver", Subsystem: subsystem, Name: name, Help: help, Buckets: buckets}, labels)
	m.register(made)
	return made
}

// Answered counts an answer, and those to the requests that the server sent to itself meanwhile.
func (m *Metrics) Answered(a *serve.Answered) {
	m.request(a, time.Since(a.Began))
	if a.Checked != nil {
		m.slis.count(a.Checked)
	}
	m.admissions(a)
	for _, own := range a.ToItself() {
		var took time.Duration
		for i := range own.Result.Admissions {
			took += own.Result.Admissions[i].Elapsed
		}
		m.request(own, took)
		if !own.Shared { // otherwise they were counted above
			m.admissions(own)
		}
	}
}

func (m *Metrics) admissions(a *serve.Answered) {
	if a.Result == nil {
		return
	}
	for i := range a.Result.Admissions {
		m.admission(a, &a.Result.Admissions[i])
	}
}
