package scenario

import (
	"slices"

	"github.com/admsim/admsim/internal/manifest"

	admissionv1 "k8s.io/api/admission/v1"
)

// readReview reads an AdmissionReview, whose request counts and whose response does not, or an AdmissionRequest on its
// own. Both versions have the same fields.
func readReview(m *manifest.Manifest, errs *manifest.Errors) (Request, bool) {
	found := len(*errs)
	v := manifest.Form(m, errs)
	if m.Kind == "AdmissionReview" {
		v.Mapping("apiVersion", "kind", "metadata", "request", "response")
		if v = v.At("request"); !v.Given() {
			v.Errorf("an AdmissionReview needs the server's request under request", "no request")
			return Request{}, false
		}
	}
	review := manifest.DecodeField[admissionv1.AdmissionRequest](v)
	if review == nil {
		return Request{}, false
	}
	checkReview(v, review)
	r := Request{Source: m.Source, Review: review, manifest: *m}
	r.User = &review.UserInfo
	return r, len(*errs) == found
}

// checkReview checks the fields that every request of a server has.
func checkReview(v manifest.Value, r *admissionv1.AdmissionRequest) {
	operation := v.At("operation")
	known := operation.OneOf("CREATE", "UPDATE", "DELETE", "CONNECT") != ""
	if !known && !operation.Given() {
		v.Errorf("CREATE, UPDATE, DELETE or CONNECT", "no operation")
	}
	if r.Resource.Resource == "" {
		v.Errorf(`such as resource: {group: "", version: v1, resource: pods}`, "no resource")
	}
	if r.Kind.Kind == "" {
		v.Errorf(`such as kind: {group: "", version: v1, kind: Pod}`, "no kind")
	}
	needs := func(key string, raw []byte, wanted ...admissionv1.Operation) {
		present := len(raw) > 0 && string(raw) != "null"
		switch wants := slices.Contains(wanted, r.Operation); {
		case !known: // that is the mistake
		case wants && !present && r.Operation != admissionv1.Delete:
			v.Errorf("", "no %s, which a review of %s has", key, r.Operation)
		case !wants && present:
			v.At(key).Errorf("", "a review of %s has none", r.Operation)
		}
	}
	needs("object", r.Object.Raw, admissionv1.Create, admissionv1.Update, admissionv1.Connect)
	needs("oldObject", r.OldObject.Raw, admissionv1.Update, admissionv1.Delete)
}
