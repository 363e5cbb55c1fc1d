package dispatch

import (
	"encoding/json"

	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ImageReviews is the version of the callback that decides about images. A mock answers it with the fields of a
// webhook's answer, as far as an ImageReview has them.
var ImageReviews = imagepolicyv1alpha1.SchemeGroupVersion.String()

// imageReview returns a prepared answer as an ImageReview.
func (p *prepared) imageReview() ([]byte, error) {
	var answer struct {
		Allowed          bool              `json:"allowed"`
		Status           metav1.Status     `json:"status"`
		AuditAnnotations map[string]string `json:"auditAnnotations"`
	}
	if members := p.response; len(members) > 0 {
		text := append(append([]byte{'{'}, members[1:]...), '}')
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, err
		}
	}
	reason := answer.Status.Message
	if reason == "" {
		reason = string(answer.Status.Reason)
	}
	return json.Marshal(imagepolicyv1alpha1.ImageReview{
		TypeMeta: metav1.TypeMeta{APIVersion: ImageReviews, Kind: "ImageReview"},
		Status: imagepolicyv1alpha1.ImageReviewStatus{
			Allowed:          answer.Allowed,
			Reason:           reason,
			AuditAnnotations: answer.AuditAnnotations,
		},
	})
}
