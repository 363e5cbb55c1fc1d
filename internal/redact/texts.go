package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/jsonpointer"
)

// publicParts declares what a Secret holds that Kubernetes does not regard as secret: the namespace of a service
// account, and the certificate that every pod gets. It stays hidden in the Secret itself.
func (p *Pass) publicParts(object map[string]any, group, kind string) {
	if group != "" || kind != "Secret" || object["type"] != string(corev1.SecretTypeServiceAccountToken) {
		return
	}
	data, _ := object["data"].(map[string]any)
	for _, key := range []string{corev1.ServiceAccountNamespaceKey, corev1.ServiceAccountRootCAKey} {
		text, _ := data[key].(string)
		if decoded, err := base64.StdEncoding.DecodeString(text); err == nil {
			p.Public(string(decoded))
		}
	}
}

// Texts applies [Pass.Text] to every string in value, except those that identify an object: apiVersion, kind, namespace
// and name, and including keys of maps that are not names of fields.
func (p *Pass) Texts(value any) any { return p.texts("", value) }

// texts is Texts for the value of a field.
func (p *Pass) texts(field string, value any) any {
	switch value := value.(type) {
	case string:
		return p.Text(value)
	case map[string]any:
		redacted := make(map[string]any, len(value))
		for key, part := range value {
			if _, isText := part.(string); !isText || !identifies(field, key) {
				part = p.texts(key, part)
			}
			redacted[p.Key(field, key)] = part
		}
		return redacted
	case []any:
		redacted := make([]any, len(value))
		for i, part := range value {
			redacted[i] = p.texts("", part)
		}
		return redacted
	case json.Number:
		if text := value.String(); p.Text(text) != text {
			return json.Number("0")
		}
	}
	return value
}

// textsAt is texts for the value at a path.
func (p *Pass) textsAt(path []string, value any) any {
	if len(path) == 0 {
		return p.texts("", value)
	}
	last, above := path[len(path)-1], ""
	if len(path) > 1 {
		above = path[len(path)-2]
	}
	if _, isText := value.(string); isText && identifies(above, last) {
		return value
	}
	return p.texts(last, value)
}

// identifies reports whether a key of the map in a field, of an object or in JSON, says which object is meant. Its value is
// never searched. In some fields the user chooses the keys: no key in them is the name of a field.
func identifies(field, key string) bool {
	switch field {
	case "annotations", "auditAnnotations", "labels", "matchLabels", "nodeSelector",
		"selector", "data", "stringData", "binaryData", "parameters":
		return false
	}
	switch key {
	case "apiVersion", "kind", "namespace", "name", "generateName":
		return true
	}
	return false
}

// Key returns a key of the map in a field. Names of fields stay as they are.
func (p *Pass) Key(field, key string) string {
	if isFieldName(key) && field != "annotations" && field != "auditAnnotations" && field != "labels" {
		return key
	}
	return p.Text(key)
}

// isFieldName reports whether a key looks like the names of the fields of Kubernetes' kinds.
func isFieldName(key string) bool {
	for i := range len(key) {
		if b := key[i]; !('a' <= b && b <= 'z' || i > 0 && 'A' <= b && b <= 'Z') {
			return false
		}
	}
	return key != ""
}

// pointer returns a JSON pointer without the secrets in its keys.
func (p *Pass) pointer(pointer string) string {
	var hidden strings.Builder
	above := ""
	for _, key := range jsonpointer.Keys(pointer) {
		hidden.WriteString("/" + jsonpointer.Escape(p.Key(above, key)))
		above = key
	}
	return hidden.String()
}

// URI returns the address of a request without secrets. Its path says what the request is about and stays, except
// behind a proxy.
func (p *Pass) URI(uri string) string {
	path, query, asks := strings.Cut(uri, "?")
	if before, behind, proxied := strings.Cut(path, "/proxy/"); proxied {
		path = before + "/proxy/" + p.Text(behind)
	}
	if !asks {
		return path
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return path + "?" + p.Text(query)
	}
	changed := false
	for _, all := range values {
		for i, value := range all {
			all[i] = p.Text(value)
			changed = changed || all[i] != value
		}
	}
	if changed {
		query = values.Encode()
	}
	return path + "?" + query
}
