package kubeversion

// What changed in the metrics of admission. The files named are those of kubernetes/apiserver.
var (
	// MetricAdmitType: the descriptions of webhooks whose failures were ignored, and of the codes of webhooks, call the type
	// of mutating webhooks admit, as the labels do (pkg/admission/metrics/metrics.go).
	MetricAdmitType = Feature{since: 32}
	// MetricCodesOfWebhooks: calls of webhooks are also counted by the codes of their answers
	// (pkg/admission/metrics/metrics.go).
	MetricCodesOfWebhooks = Feature{since: 23}
	// MetricDocuments: requests for all groups and resources at once, and for /openapi/v3, are counted
	// (pkg/endpoints/discovery/aggregated/handler.go; kubernetes/kube-aggregator:pkg/controllers/openapiv3/aggregator).
	MetricDocuments = Feature{since: 27}
	// MetricErrorsOfPolicies: the checks of policies are counted by the kinds of their errors, no longer by a state that
	// always was active (pkg/admission/plugin/policy/validating/metrics/metrics.go).
	MetricErrorsOfPolicies = Feature{since: 31}
	// MetricFailOpens: webhooks whose failures were ignored are counted (pkg/admission/metrics/metrics.go).
	MetricFailOpens = Feature{since: 24}
	// MetricFastRequests: the histogram of requests has buckets of less than 50 ms (pkg/endpoints/metrics/metrics.go).
	MetricFastRequests = Feature{since: 25}
	// MetricFewerDurations: the histogram of requests has fewer buckets (pkg/endpoints/metrics/metrics.go).
	MetricFewerDurations = Feature{since: 23}
	// MetricHealth: requests for /healthz, /livez and /readyz are counted (pkg/server/healthz/healthz.go).
	MetricHealth = Feature{since: 18}
	// MetricLongWebhooks: the histogram of webhooks has buckets up to 25 s (pkg/admission/metrics/metrics.go).
	MetricLongWebhooks = Feature{since: 27}
	// MetricMatchConditions: match conditions are counted and measured (pkg/admission/metrics/metrics.go).
	MetricMatchConditions = Feature{since: 28}
	// MetricOneSecond: the histograms of admission have a bucket of one second, and are stable
	// (pkg/admission/metrics/metrics.go).
	MetricOneSecond = Feature{since: 23}
	// MetricRejections: rejections by webhooks are counted (pkg/admission/metrics/metrics.go).
	MetricRejections = Feature{since: 16}
	// MetricsAllReset: a DELETE of /metrics resets all metrics with labels, not only those about requests
	// (pkg/server/routes/metrics.go).
	MetricsAllReset = Feature{since: 19}
	// MetricSLIs: there is a page with metrics about health checks, /metrics/slis (pkg/server/config.go).
	MetricSLIs = Feature{since: 26, gate: "ComponentSLIs"}
	// MetricSLIsInBeta: these metrics are beta, and the page says when the server started
	// (kubernetes/component-base:metrics/prometheus/slis/metrics.go).
	MetricSLIsInBeta = Feature{since: 28}
	// MetricSLIsStable: these metrics are stable (kubernetes/component-base:metrics/prometheus/slis/metrics.go).
	MetricSLIsStable = Feature{since: 29}
	// MetricStability: the description of a metric says how stable it is (kubernetes/component-base:metrics/opts.go).
	MetricStability = Feature{since: 16}
	// MetricStableDeprecations: the gauge of deprecated APIs that were requested is stable
	// (pkg/endpoints/metrics/metrics.go).
	MetricStableDeprecations = Feature{since: 22}
	// MetricStableRequests: the counter of requests is stable (pkg/endpoints/metrics/metrics.go).
	MetricStableRequests = Feature{since: 21}
)
