package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
)

// identify determines the user. It returns false if that ended the request.
func (x *exchange) identify() bool {
	who, ok := x.authenticate()
	if !ok {
		x.rejected = true
		x.status(admission.StatusOf(apierrors.NewUnauthorized("Unauthorized")))
		return false
	}
	x.real, x.user = who, who
	x.stage(auditv1.StageRequestReceived)
	return x.impersonate()
}

// authenticate returns the sender of the request: by client certificate, else by token, else the anonymous user. ok is
// false for an unknown token.
func (x *exchange) authenticate() (who authenticationv1.UserInfo, ok bool) {
	if x.Handler.user != nil {
		return *x.Handler.user, true
	}
	if t := x.r.TLS; t != nil && len(t.VerifiedChains) > 0 && t.VerifiedChains[0][0].Subject.CommonName != "" {
		shown := t.VerifiedChains[0][0]
		who = authenticationv1.UserInfo{Username: shown.Subject.CommonName, Groups: append(slices.Clone(shown.Subject.Organization), user.AllAuthenticated)}
		if x.sim.Release().Has(kubeversion.CertificatesAreCredentials) {
			who.Extra = map[string]authenticationv1.ExtraValue{user.CredentialIDKey: {fmt.Sprintf("X509SHA256=%x", sha256.Sum256(shown.Raw))}}
		}
		return who, true
	}
	token, given := bearer(x.r)
	if !given {
		if x.options.NoAnonymous {
			return authenticationv1.UserInfo{}, false
		}
		return authenticationv1.UserInfo{Username: user.Anonymous, Groups: []string{user.AllUnauthenticated}}, true
	}
	for known, who := range x.options.Tokens {
		if subtle.ConstantTimeCompare([]byte(known), []byte(token)) == 1 {
			return who, true
		}
	}
	return x.review(token)
}

// sharedReview is how long the review of a token may last: sharedLookupTimeout in
// kubernetes/apiserver:pkg/authentication/token/cache/cached_token_authenticator.go.
const sharedReview = 30 * time.Second

// review returns whose token it is. What the server does when a token is used is done before the request, even if the client
// does not wait for it. The outcome does not matter to the client.
func (x *exchange) review(token string) (who authenticationv1.UserInfo, ok bool) {
	who, ok, adds := x.sim.Authenticate(token)
	ctx, cancel := context.WithTimeout(context.WithoutCancel(x.r.Context()), sharedReview)
	defer cancel()
	for i := range adds.Sent {
		req, began, found := rest.Request{}.AsSent(&adds.Sent[i]), time.Now(), x.sim
		result, err := x.store.Do(ctx, req)
		if err != nil {
			x.failed(err)
			continue
		}
		x.identifying = append(x.identifying, ToController(req, began, found, result, x.options.Fork))
		if !adds.Sent[i].Reads() {
			x.sim, x.found = result.Next, result.Next
		}
	}
	x.warn(adds.Warnings)
	x.annotate(adds.AuditAnnotations)
	return who, ok
}

func bearer(r *http.Request) (token string, given bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "bearer") && token != ""
}

// may asks the authorizers of the cluster about the user. It returns usual if there are none.
func (x *exchange) may(question authorizer.AttributesRecord, usual bool) (rest.Authorization, error) {
	if !x.sim.Authorizes() {
		return rest.Authorization{Allowed: usual}, nil
	}
	question.User = admission.Request{User: x.user}.Asker()
	a, err := x.sim.Allows(x.r.Context(), question, x.r.RequestURI)
	if a.Failure != "" {
		return a, &failedAuthorizers{a.Failure}
	}
	return a, err
}

// mayAsk reports whether the user may request a path that is not a resource.
func (x *exchange) mayAsk(path string) (bool, error) {
	verb := strings.ToLower(x.r.Method)
	a, err := x.may(authorizer.AttributesRecord{Verb: verb, Path: path}, !isAnonymous(x.user) || mayRead(path))
	x.annotate(a.AuditAnnotations())
	return a.Allowed, err
}

// notEvaluated answers that the authorizers of the cluster failed, or that admsim does not know their answer.
func (x *exchange) notEvaluated(err error) {
	if failed := (*failedAuthorizers)(nil); errors.As(err, &failed) {
		x.text(http.StatusInternalServerError, failed.text)
		return
	}
	x.unknown(err)
}

// failedAuthorizers is the server's answer if its authorizers fail.
type failedAuthorizers struct{ text string }

func (e *failedAuthorizers) Error() string { return e.text }

func isAnonymous(who authenticationv1.UserInfo) bool { return who.Username == user.Anonymous }

// mayRead reports whether anonymous users may request a path.
func mayRead(path string) bool {
	for _, open := range []string{"/healthz", "/livez", "/readyz", "/version"} {
		if path == open || path == open+"/" {
			return true
		}
	}
	return false
}

// forbid answers that the user may not access a resource.
func (x *exchange) forbid(resource, group, name, verb, namespace string) {
	x.status(x.forbidden(resource, group, name, verb, namespace))
}

func (x *exchange) forbidden(resource, group, name, verb, namespace string) *metav1.Status {
	where := "at the cluster scope"
	if namespace != "" {
		where = fmt.Sprintf("in the namespace %q", namespace)
	}
	kind, _, _ := strings.Cut(resource, "/")
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Details: &metav1.StatusDetails{Group: group, Kind: kind, Name: name},
		Message: fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s", qualified(kind, group, name), x.user.Username, verb, resource, group, where),
	}
}

func qualified(resource, group, name string) string {
	if group != "" {
		resource += "." + group
	}
	if name != "" {
		return fmt.Sprintf("%s %q", resource, name)
	}
	return resource
}

// forbidPath answers that the user may not request a path.
func (x *exchange) forbidPath() { x.status(x.forbiddenPath(strings.ToLower(x.r.Method))) }

func (x *exchange) forbiddenPath(verb string) *metav1.Status {
	return &metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Details: &metav1.StatusDetails{},
		Message: fmt.Sprintf("forbidden: User %q cannot %s path %q", x.user.Username, verb, x.r.URL.Path),
	}
}
