package convert

import (
	"strings"

	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/recording"
)

// WebhookFor returns a webhook configuration for which the request would reach the webhook that was called: everything
// that a recording says about the real one.
func WebhookFor(call recording.Call, r *admissionv1.AdmissionRequest) map[string]any {
	kind, configuration := "ValidatingWebhookConfiguration", call.Configuration
	if call.Phase == "mutating" {
		kind = "MutatingWebhookConfiguration"
	}
	if configuration == "" {
		configuration = "recorded"
	}
	resource := r.Resource
	if r.RequestResource != nil {
		resource = *r.RequestResource
	}
	path := resource.Resource
	if r.SubResource != "" {
		path += "/" + r.SubResource
	}
	return map[string]any{
		"apiVersion": registration + "/v1",
		"kind":       kind,
		"metadata":   map[string]any{"name": configuration},
		"webhooks": []any{map[string]any{
			"name":                    call.Webhook,
			"clientConfig":            map[string]any{"url": "https://recorded.example/"},
			"admissionReviewVersions": []any{"v1"},
			"sideEffects":             "None",
			"rules": []any{map[string]any{
				"operations": []any{string(r.Operation)}, "apiGroups": []any{resource.Group},
				"apiVersions": []any{resource.Version}, "resources": []any{path},
			}},
		}},
	}
}

// Denier returns the webhook that an API server's message names, and the webhook's own message.
func Denier(message string) (webhook, said string) {
	rest, ok := strings.CutPrefix(message, `admission webhook "`)
	if !ok {
		return "", message
	}
	name, rest, ok := strings.Cut(rest, `" denied the request`)
	if !ok {
		return "", message
	}
	return name, strings.TrimPrefix(strings.TrimPrefix(rest, ": "), " without explanation")
}
