// kubernetes/kubernetes@v1.17.0:pkg/apis/authorization/v1beta1/zz_generated.conversion.go

package reviews

import (
	"slices"

	authorizationv1 "k8s.io/api/authorization/v1"
	authorizationv1beta1 "k8s.io/api/authorization/v1beta1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// accessReviewVersions returns v1beta1 of authorization, served up to 1.21, where the groups of the user in question
// were called group.
func accessReviewVersions() []*rules.Version {
	beta, v1 := authorizationv1beta1.SchemeGroupVersion, authorizationv1.SchemeGroupVersion
	return []*rules.Version{
		rules.Extended(rules.Reshape[*authorizationv1beta1.SubjectAccessReview](beta, v1, "SubjectAccessReview", nil),
			func(in *authorizationv1beta1.SubjectAccessReview, out *authorizationv1.SubjectAccessReview) {
				out.Spec.Groups = slices.Clone(in.Spec.Groups)
			},
			func(in *authorizationv1.SubjectAccessReview, out *authorizationv1beta1.SubjectAccessReview) {
				out.Spec.Groups = slices.Clone(in.Spec.Groups)
			}),
		rules.Extended(rules.Reshape[*authorizationv1beta1.LocalSubjectAccessReview](beta, v1, "LocalSubjectAccessReview", nil),
			func(in *authorizationv1beta1.LocalSubjectAccessReview, out *authorizationv1.LocalSubjectAccessReview) {
				out.Spec.Groups = slices.Clone(in.Spec.Groups)
			},
			func(in *authorizationv1.LocalSubjectAccessReview, out *authorizationv1beta1.LocalSubjectAccessReview) {
				out.Spec.Groups = slices.Clone(in.Spec.Groups)
			}),
	}
}
