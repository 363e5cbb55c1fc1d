package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// prepared records the step in which the server prepared an object for its write, and which of the client's fields it
// dropped. A client is never told.
func (x *exchange) prepared(step trace.Step) {
	step.Outcome = trace.Changed
	dropped := x.droppedWhere(func(objects.DroppedField) bool { return true })
	if text := x.droppedPart(step.Before, step.After); text != "" {
		dropped = append(dropped, text)
	}
	for _, path := range x.reset {
		dropped = append(dropped, fmt.Sprintf("field %s dropped: only the server sets it", path))
	}
	if len(dropped) > 0 {
		step.Effects = &trace.Effects{Dropped: dropped}
	}
	x.serverStep(step)
}

// hintForDropped names gated fields that are missing beside an error, and all ignored ones.
func (x *exchange) hintForDropped(errs field.ErrorList) string {
	return strings.Join(x.droppedWhere(func(d objects.DroppedField) bool {
		return slices.ContainsFunc(errs, func(e *field.Error) bool { return d.Beside(e.Field) })
	}), "; ")
}

// droppedWhere says which fields of the written object were dropped, of those that count, and which the server did not
// know.
func (x *exchange) droppedWhere(counts func(objects.DroppedField) bool) (all []string) {
	for _, f := range x.dropped {
		if !counts(f) {
			continue
		}
		if text := fmt.Sprintf("field %s dropped: %s", f.Path, x.whyDropped(f)); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return append(all, x.ignoredFields()...)
}

// ignoredFields names the faults of the body that have no consequence, together if they have the same reason.
func (x *exchange) ignoredFields() (all []string) {
	var reasons []string
	faults := map[string][]string{}
	for _, fault := range x.ignored {
		why := x.whyIgnored(fault)
		if faults[why] == nil {
			reasons = append(reasons, why)
		}
		faults[why] = append(faults[why], fault)
	}
	for _, why := range reasons {
		all = append(all, strings.Join(faults[why], ", ")+": "+why)
	}
	return all
}

func (x *exchange) whyDropped(f objects.DroppedField) string {
	switch {
	case f.Gate == "":
		return f.Because
	case x.server.release().OffByDefault(f.Gate):
		return fmt.Sprintf("the gate %s is off (default in %s)", f.Gate, x.server.release().Version)
	}
	return fmt.Sprintf("the gate %s is off (--feature-gates)", f.Gate)
}

// whyIgnored says why a fault of the body has no consequence. kubectl of releases whose server ignores unknown fields
// refuses them itself, unless the client asks for them to be ignored.
func (x *exchange) whyIgnored(fault string) string {
	if x.server.release().Has(kubeversion.FieldValidation) {
		return "ignored because of fieldValidation=Ignore"
	}
	text := "ignored by a server of " + x.server.release().Version
	if strings.HasPrefix(fault, "unknown field") && x.req.Query.Get("fieldValidation") != metav1.FieldValidationIgnore {
		text += ", refused by its kubectl"
	}
	return text
}

// droppedPart says that the server dropped the status that a client sent for the object itself, or the spec that it sent
// for the status, if reasons are requested.
func (x *exchange) droppedPart(before, after runtime.Object) string {
	part, why := "status", "only the subresource status sets it"
	switch {
	case !x.server.Explain || x.req.Subresource != "" && x.req.Subresource != part:
		return ""
	case x.req.Subresource == part:
		part, why = "spec", "the subresource status does not set it"
	}
	if !bytes.Contains(x.req.Body, []byte(`"`+part+`"`)) {
		return "" // as in most requests
	}
	var sent map[string]any
	if json.Unmarshal(x.req.Body, &sent) != nil {
		return "" // a JSON patch
	}
	if fields, ok := sent[part].(map[string]any); !ok || len(fields) == 0 || reflect.DeepEqual(x.part(before, part), x.part(after, part)) {
		return ""
	}
	return fmt.Sprintf("field %s dropped: %s", part, why)
}

// part returns a field of an object as JSON; nil if it has none.
func (x *exchange) part(object runtime.Object, name string) any {
	var fields map[string]any
	if text, err := x.server.Types.Encode(object); err != nil || json.Unmarshal(text, &fields) != nil {
		return nil
	}
	return fields[name]
}
