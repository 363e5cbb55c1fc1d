package secrets

import (
	"maps"
	"slices"

	"github.com/admsim/admsim/internal/conceal"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// HideInEvent removes secrets from the decoded audit event of a request. answer is nil if the request did not reach the
// simulator.
func HideInEvent(event map[string]any, api rest.Request, sim *simulator.Simulator, answer *simulator.Result, redactor *redact.Redactor) {
	var behind conceal.Behind
	if answer != nil {
		behind = Behind(answer)
	}
	behind.Asked = []conceal.Request{Asked(api, sim)}
	if pass := conceal.In(redactor, behind); pass != nil {
		resource, _ := sim.Resources().Resource(api.Resource)
		pass.Event(event, nil, resource.Kind.Group, resource.Kind.Kind)
		for _, key := range slices.Sorted(maps.Keys(event)) {
			switch key {
			case "annotations", "responseStatus", "requestObject", "responseObject":
				maps.Copy(event, pass.Texts(map[string]any{key: event[key]}).(map[string]any))
			case "requestURI":
				uri, _ := event[key].(string)
				event[key] = pass.URI(uri)
			}
		}
	}
	withoutCredentials(event)
}

// withoutCredentials removes the passwords of URLs from messages and annotations. They are not among the known secrets.
func withoutCredentials(event map[string]any) {
	for _, key := range []string{"annotations", "responseStatus"} {
		credentialsHidden(event[key])
	}
	if answer, ok := event["responseObject"].(map[string]any); ok && answer["kind"] == "Status" {
		credentialsHidden(answer)
	}
}

// credentialsHidden hides in place what mappings and lists hold, and returns a text without what is to be hidden.
func credentialsHidden(v any) any {
	switch v := v.(type) {
	case string:
		return redact.Credentials(v)
	case []any:
		for i := range v {
			v[i] = credentialsHidden(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = credentialsHidden(v[key])
		}
	}
	return v
}
