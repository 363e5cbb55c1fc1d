package dispatch

import (
	"cmp"
	"encoding/json"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// isSubjectReview reports whether the call is of an authorizer: its body is a SubjectAccessReview.
func (c Call) isSubjectReview() bool {
	return strings.HasPrefix(c.Version, authorizationv1.GroupName+"/")
}

// subject is what a webhook of an authorizer is asked about.
func (c Call) subject() (*authorizationv1.SubjectAccessReview, error) {
	body, err := c.Body()
	if err != nil {
		return nil, err
	}
	var old struct {
		Spec struct {
			Group []string `json:"group"` // as v1beta1 calls the groups
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

// subjectReview is a prepared answer as the SubjectAccessReview that says it: one that does not allow has no opinion, unless it
// denies.
func (p *prepared) subjectReview(version string) ([]byte, error) {
	var said struct {
		authorizationv1.SubjectAccessReviewStatus `json:",inline"`

		Status *metav1.Status `json:"status"`
	}
	if members := p.response; len(members) > 0 {
		text := append(append([]byte{'{'}, members[1:]...), '}')
		if err := json.Unmarshal(text, &said); err != nil {
			return nil, err
		}
	}
	if s := said.Status; s != nil {
		said.Denied = said.Denied || !said.Allowed
		said.Reason = cmp.Or(said.Reason, s.Message, string(s.Reason))
	}
	return json.Marshal(struct {
		metav1.TypeMeta `json:",inline"`

		Status authorizationv1.SubjectAccessReviewStatus `json:"status"`
	}{metav1.TypeMeta{APIVersion: version, Kind: "SubjectAccessReview"}, said.SubjectAccessReviewStatus})
}
