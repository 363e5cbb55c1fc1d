package pods

import (
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/admission"
)

// isIncomplete reports whether a pod may still be completed: it is new, or up to 1.13 not initialized yet (IN-08).
func isIncomplete(req admission.Request) bool {
	if req.Operation != admissionv1.Update {
		return req.Operation == admissionv1.Create
	}
	return rules.IsUninitialized(req.OldObject)
}
