package dispatch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	admissionv1 "k8s.io/api/admission/v1"
)

// inReview returns a review with these members, or with this response.
func inReview(members string) string {
	return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",` + members + `}`
}

// asRead compares responses whose patch has not been looked at yet.
var asRead = cmp.Options{cmp.AllowUnexported(response{}), cmpopts.IgnoreFields(response{}, "operations")}

// The reviews that most webhooks send are decoded without the codec; [FuzzResult] compares the result with the codec's.
func TestBareResponse(t *testing.T) {
	says := func(said admissionv1.AdmissionResponse) *response {
		return &response{kind: v1Review, present: true, AdmissionResponse: said}
	}
	allowed := says(admissionv1.AdmissionResponse{UID: "u1", Allowed: true})
	patched := says(admissionv1.AdmissionResponse{UID: "u1", Allowed: true, Patch: []byte("[]"), PatchType: new(admissionv1.PatchTypeJSONPatch)})
	for text, want := range map[string]*response{
		inReview(`"response":{"uid":"u1","allowed":true}`): allowed,
		" {\n\t\"response\" : {\"allowed\" :true ,\r\n\"uid\": \"u1\" } , \"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\"\n}\n": allowed,
		inReview(`"response":{"uid":"u1","allowed":true,"patchType":"JSONPatch","patch":"W10="}`):                                                   patched,
		inReview(`"response":{}`): says(admissionv1.AdmissionResponse{}),
		`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1"}`: {kind: v1Review},
	} {
		got, ok := bareResponse([]byte(text), v1Review)
		if diff := cmp.Diff(want, got, asRead); !ok || diff != "" {
			t.Errorf("%s: read %v (-want +got):\n%s", text, ok, diff)
		}
	}
}

// notBare has texts that are left to the codec.
var notBare = map[string]string{
	"nothing":            ``,
	"no object":          `[]`,
	"another version":    `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1","response":{}}`,
	"another kind":       `{"kind":"AdmissionReviews","apiVersion":"admission.k8s.io/v1","response":{}}`,
	"no kind":            `{"apiVersion":"admission.k8s.io/v1","response":{}}`,
	"a group only":       `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io","response":{}}`,
	"no response":        inReview(`"response":null`),
	"another member":     inReview(`"response":{"uid":"u1","allowed":true,"warnings":[]}`),
	"another case":       inReview(`"Response":{"allowed":true}`),
	"a name twice":       inReview(`"response":{"allowed":true,"allowed":false}`),
	"two responses":      inReview(`"response":{"allowed":true},"response":{"uid":"u1"}`),
	"an escape":          inReview(`"response":{"uid":"\u0075"}`),
	"an escaped name":    inReview(`"response":{"\u0075id":"u"}`),
	"no ASCII":           inReview(`"response":{"uid":"ü"}`),
	"a control":          inReview("\"response\":{\"uid\":\"\x01\"}"),
	"no string":          inReview(`"response":{"uid":1}`),
	"no end of a string": `{"kind":"AdmissionReview`,
	"no boolean":         inReview(`"response":{"allowed":"true"}`),
	"half a boolean":     inReview(`"response":{"allowed":tru}`),
	"no base64":          inReview(`"response":{"patch":"!"}`),
	"no colon":           inReview(`"response" {}`),
	"no comma":           inReview(`"response":{"uid":"u" "allowed":true}`),
	"a comma at the end": inReview(`"response":{"uid":"u1",}`),
	"more behind it":     inReview(`"response":{}`) + "{}",
	"no end":             inReview(`"response":{`),
}

func TestNoBareResponse(t *testing.T) {
	for name, text := range notBare {
		if got, ok := bareResponse([]byte(text), v1Review); ok {
			t.Errorf("%s: %s was read as %+v", name, text, got)
		}
	}
}
