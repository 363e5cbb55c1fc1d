package recording

import (
	"bytes"
	"encoding/json"

	"github.com/admsim/admsim/pkg/rest"
)

// partly is the effect of a write of a subresource that shows, of the object, one part only: how many
// replicas it is to have, or the node on which it runs. The rest is as it was seen before.
func (e *event) partly(key Key) Effect {
	effect := Effect{Key: key, Unknown: e.verb + " of " + e.ref.subresource}
	switch builtIn := key.Group == "" || key.Group == "apps"; {
	case e.ref.subresource == "scale" && builtIn && e.answer.kind == "Scale":
		effect.part, effect.version = e.response, e.answer.version
	case e.ref.subresource == "binding" && e.verb == rest.Create:
		effect.part = e.request
	}
	return effect
}

// onto puts the part into the object as it was seen. What becomes of one that was not is not known.
func (e *Effect) onto(seen Seen) {
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
		e.version, e.stale = seen.Version, e.Unknown // labels of the node that PodTopologyLabels adds are not in the log
	default:
		return
	}
	if written, err := json.Marshal(object); err == nil {
		e.Object, e.Unknown, e.generation = written, "", headOf(written).generation
	}
}

// scale follows kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go, ScaleREST.
func scale(object map[string]any, to []byte) {
	replicas := json.Number("0") // which the answer leaves out
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

// within is the object in a field, which is made if there is none.
func within(object map[string]any, field string) map[string]any {
	inner, ok := object[field].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object[field] = inner
	}
	return inner
}
