package webhook

import (
	"encoding/json"
	"strconv"

	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// mutationAnnotation returns the annotation that says that a mutating webhook was called, and whether it changed the
// object (W-244).
func mutationAnnotation(h trace.Hook, round int, changed bool) trace.Annotation {
	return annotation("mutation", h.Index, round, struct {
		Configuration string `json:"configuration"`
		Webhook       string `json:"webhook"`
		Mutated       bool   `json:"mutated"`
	}{h.Configuration, h.Name, changed})
}

// patchAnnotation returns the annotation with the patch of a mutating webhook (W-245).
func patchAnnotation(h trace.Hook, applied patch.Patch, round int) trace.Annotation {
	return annotation("patch", h.Index, round, struct {
		Configuration string      `json:"configuration"`
		Webhook       string      `json:"webhook"`
		Patch         patch.Patch `json:"patch"`
		PatchType     string      `json:"patchType"`
	}{h.Configuration, h.Name, applied, "JSONPatch"})
}

func annotation(what string, index, round int, value any) trace.Annotation {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot fail: strings, a bool and JSON
	}
	return trace.Annotation{
		Key:   what + ".webhook.admission.k8s.io/round_" + strconv.Itoa(round) + "_index_" + strconv.Itoa(index),
		Value: string(text),
	}
}
