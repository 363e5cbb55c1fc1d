package harvest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/record"
)

// Cases returns the requests that calls correspond to, as recordings without answers: a create of a validated object,
// or an update of an existing one. Cases are named after their content, without duplicates.
func Cases(calls []Call, served []record.Resource, profile string) []conformance.Recording {
	seen := map[string]bool{}
	var all []conformance.Recording
	for _, call := range calls {
		if ofPodSecurity(call) {
			continue // these pods are incomplete, since a check only reads some fields
		}
		for _, object := range call.Objects {
			i := slices.IndexFunc(served, func(r record.Resource) bool {
				return r.Group == object.Group && r.Version == object.Version && r.Kind == object.Kind
			})
			if i < 0 {
				continue
			}
			recording, ok := newCase(call, object, served[i])
			if !ok || seen[recording.ID] {
				continue
			}
			seen[recording.ID] = true
			recording.Profile = profile
			all = append(all, recording)
		}
	}
	slices.SortFunc(all, func(a, b conformance.Recording) int { return strings.Compare(a.ID, b.ID) })
	return all
}

func newCase(call Call, object Object, of record.Resource) (conformance.Recording, bool) {
	now, old := decode(object.Object), decode(object.Old)
	if now == nil {
		return conformance.Recording{}, false
	}
	r := conformance.Request{ID: "1", Verb: "create", Group: of.Group, Version: of.Version, Resource: of.Name}
	if old != nil {
		r.Verb, r.Subresource = "update", subresourceOf(call, of)
	} else if call.Subresource != "" {
		return conformance.Recording{}, false // no resource has this name
	}
	name, namespace := place(now, old, of.Namespaced)
	r.Namespace = namespace
	recording := conformance.Recording{Title: call.Function}
	if old != nil {
		if !inURL.MatchString(name) {
			return conformance.Recording{}, false
		}
		r.Name = name
		recording.Cluster = []json.RawMessage{encode(old)}
	}
	if namespace != "" && !inURL.MatchString(namespace) {
		return conformance.Recording{}, false
	}
	r.Object = encode(now)
	recording.Requests = []conformance.Request{r}
	recording.ID = "upstream-" + of.Name + "-" + hash(recording)
	return recording, true
}

// inURL matches names that can be part of a URL without escaping.
var inURL = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._~:-]*$`)

// subresourceOf returns the subresource that a function validates, according to the test or to the function's name.
func subresourceOf(call Call, of record.Resource) string {
	if slices.Contains(of.Subresources, call.Subresource) {
		return call.Subresource
	}
	_, function, _ := strings.Cut(call.Function, ":")
	function = strings.ReplaceAll(strings.ToLower(function), strings.ToLower(of.Kind), "")
	for word, subresource := range map[string]string{"status": "status", "resize": "resize", "ephemeralcontainers": "ephemeralcontainers", "approval": "approval"} {
		if strings.Contains(function, word) && slices.Contains(of.Subresources, subresource) {
			return subresource
		}
	}
	return ""
}

// place completes the objects with what the test of a function leaves out but a request has: the same name and
// namespace for both, and the version of the stored object. It removes what only the server sets.
func place(now, old map[string]any, namespaced bool) (name, namespace string) {
	m := metadata(now)
	name, _ = m["name"].(string)
	namespace, _ = m["namespace"].(string)
	if namespaced && namespace == "" {
		namespace = "default"
	}
	if !namespaced {
		namespace = ""
	}
	delete(m, "resourceVersion")
	if m["creationTimestamp"] == nil {
		delete(m, "creationTimestamp")
	}
	if old == nil {
		delete(m, "uid")
		return name, namespace
	}
	o := metadata(old)
	if name == "" {
		if name, _ = o["name"].(string); name == "" {
			name = "name"
		}
		m["name"] = name
	}
	o["name"] = name
	if namespaced {
		m["namespace"], o["namespace"] = namespace, namespace
	} else {
		delete(o, "namespace")
	}
	m["resourceVersion"] = "$resourceVersion"
	delete(o, "resourceVersion")
	for _, field := range []string{"uid", "creationTimestamp"} {
		if o[field] == nil || o[field] == m[field] {
			delete(m, field)
		}
	}
	delete(o, "uid") // it is set when the case is played
	if o["creationTimestamp"] == nil {
		o["creationTimestamp"] = "2026-01-01T00:00:00Z"
	}
	return name, namespace
}

func metadata(object map[string]any) map[string]any {
	m, ok := object["metadata"].(map[string]any)
	if !ok {
		m = map[string]any{}
		object["metadata"] = m
	}
	return m
}

func decode(text json.RawMessage) map[string]any {
	if len(text) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var object map[string]any
	_ = decoder.Decode(&object) // it comes from an encoder
	return object
}

func encode(v any) json.RawMessage {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // it was decoded
	return bytes.TrimSpace(b.Bytes())
}

// hash returns a hash of the content, without what differs between runs of upstream's tests.
func hash(r conformance.Recording) string {
	var content any
	_ = json.Unmarshal(encode([]any{r.Cluster, r.Requests}), &content)
	sum := sha256.Sum256(encode(conformance.Normalize(content)))
	return fmt.Sprintf("%x", sum[:5])
}
