package rbac

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Noting is an authorizer that remembers why others could not tell: of that of [New], which roles its
// bindings name and the cluster does not have. It is for one request at a time.
type Noting struct {
	authorizer.UnconditionalAuthorizer
	failures []string
}

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (n *Noting) Authorize(ctx context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	decision, reason, err := n.UnconditionalAuthorizer.Authorize(ctx, a)
	if at := strings.Index(reason, unread); decision == authorizer.DecisionNoOpinion && at >= 0 && !slices.Contains(n.failures, reason[at:]) {
		n.failures = append(n.failures, reason[at:]) // other authorizers may have had reasons before
	}
	return decision, reason, err
}

// Hint says what to do about what was noted, and forgets it. It is empty if there was nothing.
func (n *Noting) Hint() string {
	if len(n.failures) == 0 {
		return ""
	}
	text := strings.Join(n.failures, "; ") + ": bindings to it grant nothing until it is among the manifests"
	n.failures = nil
	return text
}
