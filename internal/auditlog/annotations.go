package auditlog

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/pkg/trace"
)

// isPatch reports whether an annotation holds the patch of a webhook.
func isPatch(key string) bool { return strings.HasPrefix(key, "patch.webhook.admission.k8s.io/") }

// slow is how long a request takes whose latencies are logged: kubernetes/apiserver:pkg/endpoints/filters/audit.go.
const slow = 500 * time.Millisecond

const latencyPrefix = "apiserver.latency.k8s.io/"

// addLatencies adds what a slow request was waiting for: webhooks. The server also measures its own parts, which do not
// take long here.
func addLatencies(annotations map[string]string, a *serve.Answered, total time.Duration) {
	if total <= slow || a.Result == nil {
		return
	}
	found := map[string]time.Duration{}
	for i := range a.Result.Admissions {
		for _, step := range a.Result.Admissions[i].Steps {
			for j := range step.Hooks {
				took := called(&step.Hooks[j])
				switch step.Phase {
				case trace.Mutating:
					found["mutating-webhook"] += took
				case trace.Validating:
					found["validating-webhook"] = max(found["validating-webhook"], took)
				}
			}
		}
	}
	found["total"] = total
	for _, key := range slices.Sorted(maps.Keys(found)) {
		if found[key] > 0 {
			annotations[latencyPrefix+key] = found[key].String()
		}
	}
}

// called returns how long the calls of a webhook took.
func called(h *trace.Hook) (took time.Duration) {
	for _, c := range h.Calls {
		took += c.Duration
	}
	return took
}
