package dispatch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// An answer is a decoded AdmissionReview of either version.
type answer struct {
	kind    schema.GroupVersionKind
	present bool // whether it has a response
	uid     types.UID

	allowed          bool
	status           *metav1.Status
	patch            []byte
	patchType        *admissionv1.PatchType
	warnings         []string
	auditAnnotations map[string]string

	operations patch.Patch // of the patch, once judged
}

func answerOf(r *admissionv1.AdmissionReview) *answer {
	a := &answer{kind: r.GroupVersionKind()}
	if r.Response == nil {
		return a
	}
	a.present = true
	a.uid = r.Response.UID
	a.allowed = r.Response.Allowed
	a.status = r.Response.Result
	a.patch = r.Response.Patch
	a.patchType = r.Response.PatchType
	a.warnings = r.Response.Warnings
	a.auditAnnotations = r.Response.AuditAnnotations
	return a
}

func answerOfBeta(r *admissionv1beta1.AdmissionReview) *answer {
	a := &answer{kind: r.GroupVersionKind()}
	if r.Response == nil {
		return a
	}
	a.present = true
	a.uid = r.Response.UID
	a.allowed = r.Response.Allowed
	a.status = r.Response.Result
	a.patch = r.Response.Patch
	a.warnings = r.Response.Warnings
	a.auditAnnotations = r.Response.AuditAnnotations
	return a
}

// verify checks the answer before it is believed, whether it allows or denies (W-170..W-176:
// kubernetes/apiserver:pkg/admission/plugin/webhook/request/admissionreview.go).
func (a *answer) verify(version string, uid types.UID, phase trace.Phase) error {
	if !a.present {
		return errors.New("webhook response was absent")
	}
	if version == v1beta1 {
		a.patchType = nil
		switch {
		case phase == trace.Validating:
			a.patch = nil
		case len(a.patch) > 0:
			a.patchType = new(admissionv1.PatchTypeJSONPatch)
		}
		return nil
	}
	if a.uid != uid {
		return fmt.Errorf("expected response.uid=%q, got %q", uid, a.uid)
	}
	if want := admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"); a.kind != want {
		return fmt.Errorf("expected webhook response of %v, got %v", want, a.kind)
	}
	if phase == trace.Validating {
		return a.verifyNoPatch()
	}
	return a.verifyPatch()
}

func (a *answer) verifyPatch() error {
	switch {
	case len(a.patch) > 0 && a.patchType == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case len(a.patch) == 0 && a.patchType != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case a.patchType != nil && *a.patchType == "":
		return fmt.Errorf("webhook returned invalid response.patchType of %q", *a.patchType)
	}
	return nil
}

func (a *answer) verifyNoPatch() error {
	switch {
	case len(a.patch) > 0:
		return errors.New("validating webhook may not return response.patch")
	case a.patchType != nil:
		return errors.New("validating webhook may not return response.patchType")
	}
	return nil
}

// annotations are the audit annotations of the answer as they are recorded, those that the
// server drops left out (W-248).
func (a *answer) annotations(hook string) []trace.Annotation {
	if len(a.auditAnnotations) == 0 {
		return nil
	}
	var recorded []trace.Annotation
	for _, k := range slices.Sorted(maps.Keys(a.auditAnnotations)) {
		if key := hook + "/" + k; admission.ValidAnnotationKey(key) {
			recorded = append(recorded, trace.Annotation{Key: key, Value: a.auditAnnotations[k]})
		}
	}
	return recorded
}

// judge looks at what a verified answer says, and decodes its patch where it allows.
func (c *call) judge(a *answer) *problem {
	if !a.allowed { // and never mind the patch: W-177
		return rejection(c.hook.Name, a.status)
	}
	if len(a.patch) == 0 {
		return nil
	}
	operations, err := patch.DecodeJSON(a.patch)
	if err != nil {
		return c.failure("received undecodable patch in webhook response: ", err) // W-205
	}
	switch {
	case operations.Len() == 0: // W-204
		return nil
	case c.review.ObjectJSON == nil: // W-206
		return nothingToChange(c.hook.Name)
	case *a.patchType != admissionv1.PatchTypeJSONPatch: // W-207
		return c.failure("", fmt.Errorf("unsupported patch type %q", *a.patchType))
	}
	a.operations = operations
	return nil
}
