//go:build go1.21

package recorder

import "k8s.io/apiserver/pkg/authorization/authorizer"

type authorizes interface {
	Authorize(authorizer.Attributes) (authorizer.Decision, string, error)
}

// Authorize implements authorizer.Authorizer.
func (a asking) Authorize(of authorizer.Attributes) (authorizer.Decision, string, error) {
	q := a.asked(of)
	return q.answered(a.authorizes.Authorize(of))
}
