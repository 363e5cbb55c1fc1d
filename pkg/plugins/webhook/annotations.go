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
	return annotation("mutation", round, h, `,"mutated":`+strconv.FormatBool(changed))
}

// patchAnnotation returns the annotation with the patch of a mutating webhook (W-245).
func patchAnnotation(h trace.Hook, applied patch.Patch, round int, r *kubeversion.Release) trace.Annotation {
	text := encode(applied)
	if !r.Has(kubeversion.JSONReadBySIGs) {
		asSent, err := applied.MarshalJSON()
		if err != nil {
			panic(err) // cannot fail: it was decoded
		}
		text = string(asSent)
	}
	return annotation("patch", round, h, `,"patch":`+text+`,"patchType":"JSONPatch"`)
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // cannot fail: a string or a decoded patch
	}
	return string(text)
}

// annotation returns an annotation about a webhook. members are those of its value that follow the names of the webhook.
func annotation(what string, round int, h trace.Hook, members string) trace.Annotation {
	return trace.Annotation{
		Key:   what + ".webhook.admission.k8s.io/round_" + strconv.Itoa(round) + "_index_" + strconv.Itoa(h.Index),
		Value: `{"configuration":` + encode(h.Configuration) + `,"webhook":` + encode(h.Name) + members + "}",
	}
}
