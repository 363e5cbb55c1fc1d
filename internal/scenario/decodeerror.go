package scenario

import (
	"errors"
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/rest"
)

// decodeErrors adds the errors in a body that cannot be decoded, with the places that the server's message refers to.
func (x *objectRead) decodeErrors(err error) {
	if mistakes := x.of.Mistakes(err.Error(), manifest.InCluster, x.types); len(mistakes) > 0 {
		x.errs = append(x.errs, mistakes...)
		return
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, c := range status.Status().Details.Causes {
			x.errs.Add(x.of.Position(c.Field), "", "%s: %s: %s", x.of, c.Field, c.Message)
		}
		if len(x.errs) > 0 {
			return
		}
	}
	x.errs = append(x.errs, &manifest.Error{Source: x.of.Source, Message: fmt.Sprintf("%s: %v", x.of, err), Err: err})
}

// Slips returns the places in r's file that the server's answer is about: its refusal, which is nil if it admitted the
// request, and all else that it says, such as warnings. There are none for a patch.
func (r Request) Slips(refusal *metav1.Status, rest []string, types *objects.Types) (all manifest.Errors) {
	m, ignored := r.object, "fieldValidation: Warn"
	if r.Plain {
		m, ignored = &r.manifest, "--field-validation Warn"
	}
	if m == nil || len(r.Body) == 0 {
		return nil
	}
	if refusal == nil || !strings.Contains(refusal.Message, "strict decoding error: ") {
		ignored = "" // unknown fields are ignored already
	}
	if refusal != nil {
		all = m.Mistakes(refusal.Message, ignored, types)
		if refusal.Details != nil {
			for _, c := range refusal.Details.Causes {
				if mistake := m.CELMistake(c.Field, c.Message); mistake != nil {
					all = append(all, mistake)
				}
			}
		}
	}
	for _, text := range rest {
		all = append(all, m.StrictErrors(text, ignored, types)...)
	}
	return all.Sorted()
}

// PatchSlips returns the operations of a JSON patch in r's file that no server could apply.
func (r Request) PatchSlips() manifest.Errors {
	if _, isList := r.patch.Is.([]any); !isList || r.PatchType != rest.JSONPatch {
		return nil
	}
	var errs manifest.Errors
	operations := r.patch
	operations.Errs = &errs
	for _, operation := range operations.List() {
		checkOperation(operation)
	}
	return errs
}
