package webhook

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/admsim/admsim/pkg/kubeversion"
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
func patchAnnotation(h trace.Hook, applied patch.Patch, round int, r *kubeversion.Release) trace.Annotation {
	a := annotation("patch", h.Index, round, struct {
		Configuration string      `json:"configuration"`
		Webhook       string      `json:"webhook"`
		Patch         patch.Patch `json:"patch"`
		PatchType     string      `json:"patchType"`
	}{h.Configuration, h.Name, applied, "JSONPatch"})
	if !r.Has(kubeversion.JSONReadBySIGs) {
		asSent, err := applied.MarshalJSON()
		if err != nil {
			panic(err) // cannot fail: it was decoded
		}
		a.Value = strings.Replace(a.Value, encode(applied), string(asSent), 1)
	}
	return a
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot fail: strings, a bool and JSON
	}
	return string(text)
}

func annotation(what string, index, round int, value any) trace.Annotation {
	return trace.Annotation{
		Key:   what + ".webhook.admission.k8s.io/round_" + strconv.Itoa(round) + "_index_" + strconv.Itoa(index),
		Value: encode(value),
	}
}
