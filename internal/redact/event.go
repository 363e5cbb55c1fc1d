package redact

import (
	"maps"
	"net/url"
	"slices"
	"strings"
)

// patchAnnotation begins the keys of the patches of webhooks in audit events:
// kubernetes/apiserver:pkg/admission/plugin/webhook/mutating/dispatcher.go.
const patchAnnotation = "patch.webhook.admission.k8s.io/"

// Event redacts an audit event and its review, if there is one, in place. The kind is that of the body, because patches
// do not name a kind.
func (p *Pass) Event(event, review map[string]any, group, kind string) {
	request, _ := review["request"].(map[string]any)
	p.reviewed(request, group, kind)
	switch body := event["requestObject"].(type) {
	case map[string]any:
		if own := kindOf(body); own.Kind != "" {
			event["requestObject"] = p.object(body, own.Group, own.Kind)
		} else {
			event["requestObject"] = p.object(body, group, kind)
		}
	case []any:
		event["requestObject"] = p.Patch(group, kind, body)
	}
	answer, _ := event["responseObject"].(map[string]any)
	if answer != nil {
		answer = p.Object(answer)
		event["responseObject"] = answer
	}
	annotations, _ := event["annotations"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(annotations)) { // sorted, so that the words are the same each time
		if text, ok := annotations[key].(string); ok && strings.HasPrefix(key, patchAnnotation) {
			annotations[key] = p.annotated(text, group, kind)
		}
	}
	p.hideQuery(event)
	if response, ok := review["response"].(map[string]any); ok {
		p.response(response, group, kind)
	}
	if p.Count() == 0 {
		return
	}
	for _, field := range []string{"responseStatus", "annotations"} {
		if v, ok := event[field]; ok {
			event[field] = p.Texts(v)
		}
	}
	if answer["kind"] == "Status" {
		event["responseObject"] = p.Texts(answer)
	}
}

// annotated redacts a patch in the form in which the server annotates it. Any other text is hidden completely, if there
// may be secrets in it.
func (p *Pass) annotated(text, group, kind string) string {
	if len(p.redactor.rulesFor(group, kind)) == 0 {
		return text
	}
	var note map[string]any
	if err := decode([]byte(text), &note); err != nil {
		return p.word(text)
	}
	if operations, ok := note["patch"].([]any); ok {
		note["patch"] = p.Patch(group, kind, operations)
	}
	redacted, err := encode(note)
	if err != nil {
		return p.word(text)
	}
	return string(redacted)
}

// hideQuery hides the query of a proxied request, which is meant for the server behind the proxy and may contain
// tokens.
func (p *Pass) hideQuery(event map[string]any) {
	uri, _ := event["requestURI"].(string)
	ref, _ := event["objectRef"].(map[string]any)
	path, query, found := strings.Cut(uri, "?")
	if !found || ref["subresource"] != "proxy" {
		return
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		event["requestURI"] = path
		p.others++
		return
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		for i, value := range values[key] {
			values[key][i] = p.word(value)
		}
	}
	event["requestURI"] = path + "?" + values.Encode()
}
