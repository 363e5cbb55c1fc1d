package rest

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/subresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// defaultAudience is the server's own audience if tokens are not issued.
const defaultAudience = "api"

// unsigned stands for the token itself if tokens are not issued.
const unsigned = "token"

// Tokens issues and verifies the tokens of service accounts.
type Tokens interface {
	// Issue creates the token of an account for a complete TokenRequest, with the given id.
	Issue(s *cluster.State, of *corev1.ServiceAccount, t *authenticationv1.TokenRequest, id types.UID, now time.Time) (string, error)

	// Audiences returns the audiences of the API server. They are the default audiences of tokens.
	Audiences() []string

	// Review reports whose token it is, for the given audiences, or for the API server if there are none, and what the
	// server does when the token is used: it warns, annotates, and sends requests to itself. Requests without a code have
	// no answer yet: they are still to be sent.
	Review(s *cluster.State, token string, audiences []string, now time.Time) (authenticationv1.TokenReviewStatus, trace.Effects)
}

// audiences returns the audiences of the server.
func (s *Server) audiences() []string {
	if s.Tokens == nil {
		return []string{defaultAudience}
	}
	return s.Tokens.Audiences()
}

// Authenticate returns the user that a token belongs to, and what using the token adds to the answer of a request: warnings,
// audit annotations, and requests of the server to itself. Those without a code are still to be sent.
func (s *Server) Authenticate(state *cluster.State, token string) (who authenticationv1.UserInfo, ok bool, adds Response) {
	if s.Tokens == nil {
		return who, false, adds
	}
	review, did := s.Tokens.Review(state, token, nil, s.Now())
	var annotations admission.Annotations
	for _, a := range did.Annotations {
		annotations.Add(a.Key, a.Value)
	}
	return review.User, review.Authenticated, Response{Warnings: did.Warnings, AuditAnnotations: annotations.Map(), Sent: did.Sent}
}

// issueToken answers a request for a token of a service account (PL-22):
// kubernetes/kubernetes:pkg/registry/core/serviceaccount/storage/token.go.
func issueToken(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	token, err := bodyOf[*authenticationv1.TokenRequest](x, a)
	if err != nil {
		return nil, err
	}
	admit := func() error { return x.validateAs(ctx, a, token) }
	check := func() error {
		if errs := objects.ValidateTokenRequest(token, x.server.release()); len(errs) > 0 {
			return x.refuseInvalid(subresources.TokenRequestKind, "", errs)
		}
		return nil
	}
	var account *corev1.ServiceAccount
	complete := func() error {
		var err error
		account, err = x.subresource().CompleteToken(token, x.server.audiences(), x.server.Now())
		return refuseServers(err)
	}
	steps := []func() error{complete, check, admit}
	if !x.server.release().Has(kubeversion.TokensCompletedFirst) {
		steps = []func() error{admit, check, complete}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	attest := func(question authorizer.AttributesRecord) error { return x.access().MayAsk(ctx, question) }
	if err := x.subresource().BindToken(token, x.server.audiences(), attest); err != nil {
		return nil, refuseServers(err)
	}
	expires := x.server.Now().Add(time.Duration(*token.Spec.ExpirationSeconds) * time.Second)
	token.Status = authenticationv1.TokenRequestStatus{Token: unsigned, ExpirationTimestamp: metav1.NewTime(expires)}
	id := x.server.NewUID()
	if x.server.Tokens != nil {
		if token.Status.Token, err = x.server.Tokens.Issue(x.state, account, token, id, x.server.Now()); err != nil {
			return nil, err
		}
	}
	if x.server.release().Has(kubeversion.TokensIdentified) {
		x.annotations.Add("authentication.kubernetes.io/issued-credential-id", fmt.Sprintf("JTI=%s", id))
	}
	return token, nil
}
