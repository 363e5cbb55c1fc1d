package rbac

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/authorization/authorizer"
)

// Noting is an authorizer that records why others had no opinion: for the authorizer of [New], the missing roles that
// its bindings refer to. It is for one request at a time.
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

// Hint returns a hint about what was recorded, and clears it. It is empty if nothing was.
func (n *Noting) Hint() string {
	if len(n.failures) == 0 {
		return ""
	}
	text := strings.Join(n.failures, "; ") + ": bindings to it grant nothing until it is among the manifests"
	n.failures = nil
	return text
}
