package webhook

import (
	"encoding/json"
	"strconv"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// mutationAnnotation returns the annotation that says that a mutating webhook was called, and whether it changed the
// object (W-244).
func mutationAnnotation(h trace.Hook, round int, changed bool) trace.Annotation {
	return annotation("mutation", h.Index, round, encode(struct {
		Configuration string `json:"configuration"`
		Webhook       string `json:"webhook"`
		Mutated       bool   `json:"mutated"`
	}{h.Configuration, h.Name, changed}))
}

// patchAnnotation returns the annotation with the patch of a mutating webhook (W-245).
func patchAnnotation(h trace.Hook, applied patch.Patch, round int, r *kubeversion.Release) trace.Annotation {
	if !r.Has(kubeversion.JSONReadBySIGs) {
		return annotation("patch", h.Index, round, withPatchAsSent(h, applied))
	}
	return annotation("patch", h.Index, round, encode(struct {
		Configuration string      `json:"configuration"`
		Webhook       string      `json:"webhook"`
		Patch         patch.Patch `json:"patch"`
		PatchType     string      `json:"patchType"`
	}{h.Configuration, h.Name, applied, "JSONPatch"}))
}

// withPatchAsSent keeps the white space of the patch, which encoding/json would take out.
func withPatchAsSent(h trace.Hook, applied patch.Patch) string {
	sent, err := applied.MarshalJSON()
	if err != nil {
		panic(err) // cannot fail: it was decoded
	}
	return `{"configuration":` + encode(h.Configuration) + `,"webhook":` + encode(h.Name) + `,"patch":` + string(sent) + `,"patchType":"JSONPatch"}`
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot fail: strings, a bool and a decoded patch
	}
	return string(text)
}

func annotation(what string, index, round int, value string) trace.Annotation {
	return trace.Annotation{
		Key:   what + ".webhook.admission.k8s.io/round_" + strconv.Itoa(round) + "_index_" + strconv.Itoa(index),
		Value: value,
	}
}
