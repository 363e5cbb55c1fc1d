package convert

import (
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
)

// WebhookFor is a webhook configuration by which a request would have reached a webhook: all
// that a review tells of the real one.
func WebhookFor(name string, r *admissionv1.AdmissionRequest) map[string]any {
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
		"kind":       "ValidatingWebhookConfiguration",
		"metadata":   map[string]any{"name": "recorded"},
		"webhooks": []any{map[string]any{
			"name":                    name,
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

// Denier is the webhook that an API server's message names, and what it said.
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
