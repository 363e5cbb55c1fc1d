package dispatch

import (
	"context"
	"encoding/json"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Func returns a webhook that calls decide with the request of a review. The UID is added to the response if it has
// none; a nil response results in a review without a response. decide does not see the version of the AdmissionReview.
// For everything else see [Handler].
func Func(decide func(context.Context, *admissionv1.AdmissionRequest) *admissionv1.AdmissionResponse) *InProcess {
	return Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil || review.Request == nil {
			http.Error(w, "not an AdmissionReview with a request", http.StatusBadRequest)
			return
		}
		answer := struct {
			metav1.TypeMeta `json:",inline"`
			Response        *admissionv1.AdmissionResponse `json:"response,omitempty"`
		}{TypeMeta: review.TypeMeta}
		if decided := decide(r.Context(), review.Request); decided != nil {
			response := *decided
			if response.UID == "" {
				response.UID = review.Request.UID
			}
			answer.Response = &response
		}
		w.Header().Set("Content-Type", contentType)
		_ = json.NewEncoder(w).Encode(answer) // no error handling: the connection is in this process
	}))
}
