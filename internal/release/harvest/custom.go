package harvest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/conformance"
)

// customGroup is the API group of the kinds with upstream's schemas.
const customGroup = "custom.example.com"

// CustomCases returns the requests that calls about schemas correspond to: a definition with each schema, and custom
// resources of it.
func CustomCases(calls []Call, profile string) []conformance.Recording {
	seen := map[string]bool{}
	var all []conformance.Recording
	add := func(r conformance.Recording, resource string) {
		r.ID = "upstream-" + resource + "-" + hash(r)
		if !seen[r.ID] {
			seen[r.ID] = true
			r.Profile = profile
			all = append(all, r)
		}
	}
	for _, call := range calls {
		if call.Schema == nil || call.Lost != "" {
			continue
		}
		c := newCustom(call)
		definition := c.definition()
		add(conformance.Recording{Title: call.Function, Requests: []conformance.Request{{
			ID: "1", Verb: "create", Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Object: definition,
		}}}, "customresourcedefinitions")
		if c.object == nil {
			continue
		}
		r := conformance.Request{ID: "1", Verb: "create", Group: customGroup, Version: "v1", Resource: c.plural, Namespace: "default"}
		recording := conformance.Recording{Title: call.Function, Cluster: []json.RawMessage{definition}}
		name, _ := place(c.object, c.old, true)
		if c.old != nil {
			if !inURL.MatchString(name) {
				continue
			}
			r.Verb, r.Name = "update", name
			recording.Cluster = append(recording.Cluster, encode(c.old))
		}
		r.Object = encode(c.object)
		recording.Requests = []conformance.Request{r}
		add(recording, "customresources")
	}
	// Cases with the same definition are adjacent, so that it is created only once.
	slices.SortFunc(all, func(a, b conformance.Recording) int {
		return strings.Compare(a.Requests[0].Resource+a.ID, b.Requests[0].Resource+b.ID)
	})
	return all
}

// OfSchema reports whether a case is one of [CustomCases].
func OfSchema(r *conformance.Recording) bool { return strings.HasPrefix(r.Title, "pkg/apiserver/") }

// A custom is a schema with a custom resource, as upstream's functions got them.
type custom struct {
	schema      map[string]any
	object, old map[string]any
	plural      string
}

func newCustom(call Call) custom {
	c := custom{schema: decode(call.Schema)}
	object, old := decodeAny(call.Object), decodeAny(call.Old)
	c.object, c.old = resourceOf(object), resourceOf(old)
	// The schema of a part of a resource becomes that of a field.
	if c.schema["type"] != "object" || object != nil && c.object == nil || old != nil && c.old == nil {
		c.schema = map[string]any{"type": "object", "properties": map[string]any{"value": c.schema}}
		c.object, c.old = valueOf(object), valueOf(old)
	}
	sum := sha256.Sum256(encode(c.schema))
	c.plural = fmt.Sprintf("r%x", sum[:5])
	for _, o := range []map[string]any{c.object, c.old} {
		if o == nil {
			continue
		}
		o["apiVersion"], o["kind"] = customGroup+"/v1", c.kind()
		if m := metadata(o); m["name"] == nil {
			m["name"] = "name"
		}
		delete(metadata(o), "namespace")
	}
	return c
}

func (c custom) kind() string { return "R" + c.plural[1:] }

func (c custom) definition() json.RawMessage {
	return encode(map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": c.plural + "." + customGroup},
		"spec": map[string]any{
			"group": customGroup, "scope": "Namespaced",
			"names": map[string]any{"plural": c.plural, "singular": strings.ToLower(c.kind()) + "one", "kind": c.kind(), "listKind": c.kind() + "List"},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": c.schema},
			}},
		},
	})
}

// resourceOf returns a value as a custom resource, or nil if it cannot be one.
func resourceOf(v any) map[string]any {
	object, ok := v.(map[string]any)
	if !ok {
		return nil
	}
	if m, ok := object["metadata"]; ok {
		if _, ok := m.(map[string]any); !ok {
			return nil
		}
	}
	return object
}

func valueOf(v any) map[string]any {
	if v == nil {
		return nil
	}
	return map[string]any{"value": v}
}

func decodeAny(text json.RawMessage) any {
	holder := decode(json.RawMessage(`{"v":` + string(text) + `}`))
	return holder["v"]
}
