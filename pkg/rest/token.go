package rest

import (
	"context"
	"fmt"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// defaultAudience is the server's own audience if tokens are not issued.
const defaultAudience = "api"

// unsigned stands for the token itself if tokens are not issued.
const unsigned = "token"

// Tokens issues and verifies the tokens of service accounts.
type Tokens interface {
	// Issue creates the token for a complete TokenRequest, with the given id.
	Issue(s *cluster.State, t *authenticationv1.TokenRequest, id types.UID, now time.Time) (string, error)

	// Audiences returns the audiences of the API server. They are the default audiences of tokens.
	Audiences() []string

	// Review reports whose token it is, for the given audiences, or for the API server if there are none.
	Review(s *cluster.State, token string, audiences []string, now time.Time) authenticationv1.TokenReviewStatus
}

// audiences returns the audiences of the server.
func (s *Server) audiences() []string {
	if s.Tokens == nil {
		return []string{defaultAudience}
	}
	return s.Tokens.Audiences()
}

// Authenticate returns the user that a token belongs to.
func (s *Server) Authenticate(state *cluster.State, token string) (who authenticationv1.UserInfo, ok bool) {
	if s.Tokens == nil {
		return who, false
	}
	review := s.Tokens.Review(state, token, nil, s.Now())
	return review.User, review.Authenticated
}

var tokenRequestKind = schema.GroupKind{Group: authenticationv1.GroupName, Kind: "TokenRequest"}

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
			return x.refuseInvalid(tokenRequestKind, "", errs)
		}
		return nil
	}
	complete := func() error { return x.completeToken(token) }
	steps := []func() error{complete, check, admit}
	if !x.server.release().Has(kubeversion.TokensCompletedFirst) {
		steps = []func() error{admit, check, complete}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if ref := token.Spec.BoundObjectRef; ref != nil {
		if err := x.bindToken(ctx, token); err != nil {
			return nil, err
		}
	}
	expires := x.server.Now().Add(time.Duration(*token.Spec.ExpirationSeconds) * time.Second)
	token.Status = authenticationv1.TokenRequestStatus{Token: unsigned, ExpirationTimestamp: metav1.NewTime(expires)}
	id := x.server.NewUID()
	if x.server.Tokens != nil {
		if token.Status.Token, err = x.server.Tokens.Issue(x.state, token, id, x.server.Now()); err != nil {
			return nil, err
		}
	}
	if x.server.release().Has(kubeversion.TokensIdentified) {
		x.annotations.Add("authentication.kubernetes.io/issued-credential-id", fmt.Sprintf("JTI=%s", id))
	}
	return token, nil
}

// completeToken fills in what the request left out, and refuses what contradicts its URL.
func (x *exchange) completeToken(t *authenticationv1.TokenRequest) error {
	completedFirst := x.server.release().Has(kubeversion.TokensCompletedFirst)
	if completedFirst {
		if err := x.checkTokenName(t); err != nil {
			return err
		}
	}
	account, ok := cluster.Get[*corev1.ServiceAccount](x.state, schema.GroupKind{Kind: "ServiceAccount"}, x.req.Namespace, x.req.Name)
	if !ok {
		return refuse(apierrors.NewNotFound(x.req.Resource.GroupResource(), x.req.Name))
	}
	if x.server.release().Has(kubeversion.TokensNameUIDs) {
		if t.UID != "" && t.UID != account.UID {
			return refuse(apierrors.NewConflict(schema.GroupResource{Group: tokenRequestKind.Group, Resource: tokenRequestKind.Kind}, x.req.Name,
				fmt.Errorf("the UID in the token request (%s) does not match the UID of the service account (%s)", t.UID, account.UID)))
		}
		t.UID = account.UID
	}
	if completedFirst {
		t.Name, t.Namespace = account.Name, account.Namespace
		t.CreationTimestamp = metav1.NewTime(x.server.Now())
	}
	t.Status = authenticationv1.TokenRequestStatus{}
	if len(t.Spec.Audiences) == 0 {
		t.Spec.Audiences = x.server.audiences()
	}
	return nil
}

// checkTokenName refuses a request that names another service account than its URL.
func (x *exchange) checkTokenName(t *authenticationv1.TokenRequest) error {
	mismatch := func(name, value string) error {
		return x.refuseInvalid(tokenRequestKind, x.req.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", name), value, "must match the service account "+name+" if specified")})
	}
	if t.Name != "" && t.Name != x.req.Name {
		return mismatch("name", t.Name)
	}
	if t.Namespace != "" && t.Namespace != x.req.Namespace {
		return mismatch("namespace", t.Namespace)
	}
	return nil
}

// bindToken finds the object that the token is bound to.
func (x *exchange) bindToken(ctx context.Context, t *authenticationv1.TokenRequest) error {
	ref := t.Spec.BoundObjectRef
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	var uid types.UID
	switch {
	case gvk.Group == "" && gvk.Kind == "Pod":
		pod, err := bound[*corev1.Pod](x, "Pod", "pods", x.req.Namespace, ref.Name)
		if err != nil {
			return err
		}
		if pod.Spec.ServiceAccountName != x.req.Name {
			return badRequest("cannot bind token for serviceaccount %q to pod running with different serviceaccount name.", x.req.Name)
		}
		uid = pod.UID
	case gvk.Group == "" && gvk.Kind == "Node":
		node, err := bound[*corev1.Node](x, "Node", "nodes", "", ref.Name)
		if err != nil {
			return err
		}
		uid = node.UID
	case gvk.Group == "" && gvk.Kind == "Secret":
		secret, err := bound[*corev1.Secret](x, "Secret", "secrets", x.req.Namespace, ref.Name)
		if err != nil {
			return err
		}
		uid = secret.UID
	case objects.BindsWebhooks(ref, x.server.release()):
		var err error
		if uid, err = x.bindWebhooks(ctx, t, gvk); err != nil {
			return err
		}
	default:
		return badRequest("cannot bind token to object of type %s", gvk)
	}
	if ref.UID != "" && ref.UID != uid {
		return refuse(apierrors.NewConflict(schema.GroupResource{Group: gvk.Group, Resource: gvk.Kind}, ref.Name,
			fmt.Errorf("the UID in the bound object reference (%s) does not match the UID in record. The object might have been deleted and then recreated", ref.UID)))
	}
	return nil
}

func bound[T runtime.Object](x *exchange, kind, resource, namespace, name string) (T, error) {
	object, ok := cluster.Get[T](x.state, schema.GroupKind{Kind: kind}, namespace, name)
	if err := objects.CheckKey(name); err != nil {
		return object, refuse(err)
	}
	if !ok {
		return object, refuse(apierrors.NewNotFound(corev1.Resource(resource), name))
	}
	return object, nil
}
