package dispatch

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionv1beta1 "k8s.io/api/admission/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// A response is the content of a decoded AdmissionReview of either version.
type response struct {
	kind    schema.GroupVersionKind
	present bool // whether the review has a response

	admissionv1.AdmissionResponse

	patchText  []byte // the patch, once it is known to have operations
	operations patch.Patch
}

func responseOf(review *admissionv1.AdmissionReview) *response {
	r := &response{kind: review.GroupVersionKind()}
	if resp := review.Response; resp != nil {
		r.present, r.AdmissionResponse = true, *resp
	}
	return r
}

// responseOfBeta leaves out the patch type, which is ignored in v1beta1 (W-176).
func responseOfBeta(review *admissionv1beta1.AdmissionReview) *response {
	r := &response{kind: review.GroupVersionKind()}
	if resp := review.Response; resp != nil {
		r.present, r.AdmissionResponse = true, admissionv1.AdmissionResponse{
			UID:              resp.UID,
			Allowed:          resp.Allowed,
			Result:           resp.Result,
			Patch:            resp.Patch,
			Warnings:         resp.Warnings,
			AuditAnnotations: resp.AuditAnnotations,
		}
	}
	return r
}

// verify checks the response before it is used, whether it allows or denies (W-170..W-176:
// kubernetes/apiserver:pkg/admission/plugin/webhook/request/admissionreview.go).
func (r *response) verify(version string, uid types.UID, phase trace.Phase) error {
	if !r.present {
		return errors.New("webhook response was absent")
	}
	if version == v1beta1 {
		switch {
		case phase == trace.Validating:
			r.Patch = nil
		case len(r.Patch) > 0:
			r.PatchType = new(admissionv1.PatchTypeJSONPatch)
		}
		return nil
	}
	if r.UID != uid {
		return fmt.Errorf("expected response.uid=%q, got %q", uid, r.UID)
	}
	if want := admissionv1.SchemeGroupVersion.WithKind("AdmissionReview"); r.kind != want {
		return fmt.Errorf("expected webhook response of %v, got %v", want, r.kind)
	}
	if phase == trace.Validating {
		return r.verifyNoPatch()
	}
	return r.verifyPatch()
}

func (r *response) verifyPatch() error {
	switch {
	case len(r.Patch) > 0 && r.PatchType == nil:
		return errors.New("webhook returned response.patch but not response.patchType")
	case len(r.Patch) == 0 && r.PatchType != nil:
		return errors.New("webhook returned response.patchType but not response.patch")
	case r.PatchType != nil && *r.PatchType == "":
		return fmt.Errorf("webhook returned invalid response.patchType of %q", *r.PatchType)
	}
	return nil
}

func (r *response) verifyNoPatch() error {
	switch {
	case len(r.Patch) > 0:
		return errors.New("validating webhook may not return response.patch")
	case r.PatchType != nil:
		return errors.New("validating webhook may not return response.patchType")
	}
	return nil
}

// annotations returns the audit annotations of the response as they are recorded, without those that the server drops
// (W-248).
func (r *response) annotations(hook string) []trace.Annotation {
	if len(r.AuditAnnotations) == 0 {
		return nil
	}
	var recorded []trace.Annotation
	for _, k := range slices.Sorted(maps.Keys(r.AuditAnnotations)) {
		if key := hook + "/" + k; admission.ValidAnnotationKey(key) {
			recorded = append(recorded, trace.Annotation{Key: key, Value: r.AuditAnnotations[k]})
		}
	}
	return recorded
}

// undecodablePatch returns the problem of a patch that is not a JSON patch (W-205). In earlier releases it bypassed the
// failure policy, like patches that cannot be applied (W-189).
func (c *call) undecodablePatch(err error) *problem {
	const reason = "received undecodable patch in webhook response: "
	if c.review.has(kubeversion.PatchTextPolicy) {
		return c.failure(reason, err)
	}
	return &problem{because: reason + err.Error(), status: admission.StatusOf(apierrors.NewInternalError(err))}
}

// judge evaluates a verified response.
func (c *call) judge(resp *response) *problem {
	if !resp.Allowed { // the patch does not matter (W-177)
		return c.rejection(resp.Result)
	}
	if len(resp.Patch) == 0 {
		return nil
	}
	operations, err := patch.DecodeJSON(resp.Patch)
	if err != nil {
		return c.undecodablePatch(err)
	}
	operations = operations.As(c.review.has(kubeversion.PatchedDocuments), c.review.has(kubeversion.PatchContext))
	switch {
	case operations.Len() == 0: // W-204
		return nil
	case c.review.ObjectJSON == nil: // W-206
		return nothingToChange(c.hook.Name)
	case *resp.PatchType != admissionv1.PatchTypeJSONPatch: // W-207
		return c.failure("", fmt.Errorf("unsupported patch type %q", *resp.PatchType))
	}
	resp.patchText, resp.operations = resp.Patch, operations
	return nil
}
