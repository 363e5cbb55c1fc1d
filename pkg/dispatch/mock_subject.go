package dispatch

import (
	"cmp"
	"encoding/json"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isSubjectReview reports whether the call is for an authorizer, with a SubjectAccessReview as its body.
func (c Call) isSubjectReview() bool {
	return strings.HasPrefix(c.Version, authorizationv1.GroupName+"/")
}

// subject returns the SubjectAccessReview that is sent to the webhook of an authorizer.
func (c Call) subject() (*authorizationv1.SubjectAccessReview, error) {
	body, err := c.Body()
	if err != nil {
		return nil, err
	}
	var old struct {
		Spec struct {
			Group []string `json:"group"` // the name of the groups in v1beta1
		} `json:"spec"`
	}
	review := &authorizationv1.SubjectAccessReview{}
	if err := json.Unmarshal(body, review); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &old); err != nil {
		return nil, err
	}
	if old.Spec.Group != nil {
		review.Spec.Groups = old.Spec.Group
	}
	return review, nil
}

// subjectReview returns a prepared answer as a SubjectAccessReview. An answer that does not allow the request has no
// opinion, unless it denies.
func (p *prepared) subjectReview(version string) ([]byte, error) {
	var answer struct {
		authorizationv1.SubjectAccessReviewStatus `json:",inline"`

		Status *metav1.Status `json:"status"`
	}
	if members := p.response; len(members) > 0 {
		text := append(append([]byte{'{'}, members[1:]...), '}')
		if err := json.Unmarshal(text, &answer); err != nil {
			return nil, err
		}
	}
	if s := answer.Status; s != nil {
		answer.Denied = answer.Denied || !answer.Allowed
		answer.Reason = cmp.Or(answer.Reason, s.Message, string(s.Reason))
	}
	return json.Marshal(struct {
		metav1.TypeMeta `json:",inline"`

		Status authorizationv1.SubjectAccessReviewStatus `json:"status"`
	}{metav1.TypeMeta{APIVersion: version, Kind: "SubjectAccessReview"}, answer.SubjectAccessReviewStatus})
}
