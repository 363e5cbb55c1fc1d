package rest

import (
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// reviewToken answers whose token it is: kubernetes/kubernetes:pkg/registry/authentication/tokenreview/storage.go.
func reviewToken(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	review, err := bodyOf[*authenticationv1.TokenReview](x, a)
	if err != nil {
		return nil, err
	}
	if review.Spec.Token == "" {
		return nil, badRequest("token is required for TokenReview in authentication")
	}
	if err := x.validateAs(ctx, a, review); err != nil {
		return nil, err
	}
	found := authenticationv1.TokenReviewStatus{Error: "invalid bearer token"}
	if x.server.Tokens != nil {
		var did trace.Effects
		found, did = x.server.Tokens.Review(x.state, review.Spec.Token, review.Spec.Audiences, x.server.Now())
		if err := x.used(ctx, did); err != nil {
			return nil, err
		}
	}
	status := &review.Status // what is not found out stays as in the request
	status.Authenticated = found.Authenticated
	if found.Error != "" {
		status.Error = found.Error
	}
	if found.Authenticated {
		status.User, status.Audiences = found.User, found.Audiences
	}
	return review, nil
}

// reviewSelf returns the user of the request:
// kubernetes/kubernetes:pkg/registry/authentication/selfsubjectreview/rest.go.
func reviewSelf(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	if err := x.validate(ctx, a); err != nil {
		return nil, err
	}
	return &authenticationv1.SelfSubjectReview{
		TypeMeta:   metav1.TypeMeta{APIVersion: x.kind.GroupVersion().String(), Kind: x.kind.Kind},
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(x.server.Now())},
		Status:     authenticationv1.SelfSubjectReviewStatus{UserInfo: *x.req.User.DeepCopy()},
	}, nil
}
