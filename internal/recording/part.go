package recording

import (
	"bytes"
	"encoding/json"

	"github.com/admsim/admsim/pkg/rest"
)

// partialEffect returns the effect of writing a subresource that shows only one part of the object: how many replicas
// it should have, or the node on which it runs. The rest is taken from the object as it was last seen.
func (e *event) partialEffect(key Key) Effect {
	effect := Effect{Key: key, Unknown: e.verb + " of " + e.ref.subresource}
	switch builtIn := key.Group == "" || key.Group == "apps"; {
	case e.ref.subresource == "scale" && builtIn && e.answer.kind == "Scale":
		effect.part, effect.version = e.response, e.answer.version
	case e.ref.subresource == "binding" && e.verb == rest.Create:
		effect.part = e.request
	}
	return effect
}

// applyTo adds the part to the object as it was last seen. If the object was not seen, the result is unknown.
func (e *Effect) applyTo(seen Seen) {
	object := map[string]any{}
	in := json.NewDecoder(bytes.NewReader(seen.Object))
	in.UseNumber()
	if e.part == nil || seen.Object == nil || in.Decode(&object) != nil {
		return
	}
	e.stale = seen.Stale
	switch headOf(e.part).kind {
	case "Scale":
		scale(object, e.part)
	case "Binding":
		bind(object, e.part)
		e.version, e.stale = seen.Version, e.Unknown // PodTopologyLabels adds labels of the node, which are not in the log
	default:
		return
	}
	if written, err := json.Marshal(object); err == nil {
		e.Object, e.Unknown, e.generation = written, "", headOf(written).generation
	}
}

// scale follows kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go, ScaleREST.
func scale(object map[string]any, to []byte) {
	replicas := json.Number("0") // omitted in the answer if 0
	if n := fieldOf(fieldOf(to, "spec"), "replicas"); n != nil {
		replicas = json.Number(n)
	}
	metadata, spec := within(object, "metadata"), within(object, "spec")
	if generation, ok := metadata["generation"].(json.Number); ok && spec["replicas"] != replicas {
		n, _ := generation.Int64()
		metadata["generation"] = n + 1
	}
	spec["replicas"] = replicas
	if version := fieldOf(fieldOf(to, "metadata"), "resourceVersion"); version != nil {
		metadata["resourceVersion"] = unquote(version)
	}
}

// bind follows kubernetes/kubernetes:pkg/registry/core/pod/storage/storage.go, setPodNodeAndMetadata.
func bind(pod map[string]any, to []byte) {
	within(pod, "spec")["nodeName"] = unquote(fieldOf(fieldOf(to, "target"), "name"))
	metadata, status := within(pod, "metadata"), within(pod, "status")
	eachField(fieldOf(fieldOf(to, "metadata"), "annotations"), func(key, value []byte) {
		within(metadata, "annotations")[string(key)] = unquote(value)
	})
	delete(status, "nominatedNodeName")
	scheduled := map[string]any{"type": "PodScheduled", "status": "True", "lastProbeTime": nil, "lastTransitionTime": metadata["creationTimestamp"]}
	conditions, _ := status["conditions"].([]any)
	for i, one := range conditions {
		if one, _ := one.(map[string]any); one["type"] == scheduled["type"] {
			conditions[i] = scheduled
			return
		}
	}
	status["conditions"] = append(conditions, scheduled)
}

// within returns the object in a field, which is created if necessary.
func within(object map[string]any, field string) map[string]any {
	inner, ok := object[field].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[field] = inner
	}
	return inner
}
