package access

import (
	"context"
	"fmt"
	"strings"

	certificatesv1 "k8s.io/api/certificates/v1"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// signers checks what users may do in the name of a signer of certificates.
type signers struct {
	authorizer authorizer.UnconditionalAuthorizer
}

// may reports whether the user may do verb with that signer, or with all signers of its domain. An error counts as no
// (CQ: kubernetes/kubernetes:plugin/pkg/admission/certificates/util.go).
func (s signers) may(ctx context.Context, req admission.Request, verb, signer string) bool {
	domain, _, _ := strings.Cut(signer, "/")
	for _, name := range []string{signer, domain + "/*"} {
		q := plugin.Question(req, verb)
		q.APIGroup, q.APIVersion = certificatesv1.GroupName, "*"
		q.Resource, q.Name = "signers", name
		decision, _, err := s.authorizer.Authorize(ctx, q)
		if err == nil && decision == authorizer.DecisionAllow {
			return true
		}
	}
	return false
}

// judge decides on a request that needs verb on a signer. refusal is how the server's message for a denial begins.
func (s signers) judge(ctx context.Context, step trace.Step, req admission.Request, verb, signer, refusal string) trace.Step {
	if s.may(ctx, req, verb, signer) {
		return plugin.Allow(step, fmt.Sprintf("the user may %s for signer %s", verb, signer))
	}
	denied := plugin.Forbid(step, req, fmt.Sprintf("%s %q", refusal, signer))
	denied.Hint = fmt.Sprintf("bind %s to a ClusterRole with verb %s on the resource signers of %s, resourceNames: [%s]",
		req.User.Username, verb, certificatesv1.GroupName, signer)
	return denied
}
