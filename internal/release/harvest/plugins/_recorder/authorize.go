//go:build go1.21

package recorder

import (
	"context"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

type authorizes interface {
	Authorize(context.Context, authorizer.Attributes) (authorizer.Decision, string, error)
}

// Authorize implements authorizer.Authorizer.
func (a asking) Authorize(ctx context.Context, of authorizer.Attributes) (authorizer.Decision, string, error) {
	q := a.asked(of)
	return q.answered(a.authorizes.Authorize(ctx, of))
}
