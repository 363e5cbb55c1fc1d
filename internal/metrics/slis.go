package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// slis are the metrics of the page /metrics/slis, which are about health checks:
// kubernetes/component-base:metrics/prometheus/slis.
type slis struct {
	page   http.Handler
	latest *prometheus.GaugeVec
	total  *prometheus.CounterVec
	start  *prometheus.GaugeVec
}

func newSLIs(m *Metrics) *slis {
	level := alpha
	switch {
	case m.release.Has(kubeversion.MetricSLIsStable):
		level = stable
	case m.release.Has(kubeversion.MetricSLIsInBeta):
		level = beta
	}
	s := &slis{
		latest: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Namespace: "kubernetes", Name: "healthcheck", Help: m.help(level, "This metric records the result of a single healthcheck."),
		}, []string{"name", "type"}),
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: "kubernetes", Name: "healthchecks_total", Help: m.help(level, "This metric records the results of all healthcheck."),
		}, []string{"name", "type", "status"}),
		start: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "process_start_time_seconds", Help: m.help(alpha, "Start time of the process since unix epoch in seconds."),
		}, nil),
	}
	if m.release.Has(kubeversion.MetricSLIsInBeta) {
		s.start.WithLabelValues().Set(float64(time.Now().UnixMilli()) / 1000)
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.latest, s.total, s.start)
	s.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return s
}

func (s *slis) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodDelete {
		s.page.ServeHTTP(w, r)
		return
	}
	s.latest.Reset()
	s.total.Reset()
	s.start.Reset()
	saysReset(w)
}

// count counts health checks.
func (s *slis) count(c *serve.Checked) {
	for _, name := range c.Names {
		s.latest.WithLabelValues(name, c.Endpoint).Set(1)
		s.total.WithLabelValues(name, c.Endpoint, "success").Inc()
	}
}
