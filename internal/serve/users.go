package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
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
	return x.sim.Authenticate(token)
}

func bearer(r *http.Request) (token string, given bool) {
	scheme, token, _ := strings.Cut(strings.TrimSpace(r.Header.Get("Authorization")), " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "bearer") && token != ""
}

// impersonate makes the request one of another user, if it asks for that:
// kubernetes/apiserver:pkg/endpoints/filters/impersonation. It returns false if that ended the request.
func (x *exchange) impersonate() bool {
	h := x.r.Header
	name, groups, uid := h.Get(authenticationv1.ImpersonateUserHeader), h.Values(authenticationv1.ImpersonateGroupHeader), h.Get(authenticationv1.ImpersonateUIDHeader)
	extra := impersonatedExtra(h)
	if name == "" {
		if len(groups) > 0 || uid != "" || len(extra) > 0 {
			x.text(http.StatusInternalServerError, fmt.Sprintf("Internal Server Error: %q: requested impersonation of groups, a uid or extras without impersonating a user\n", x.r.URL.Path))
			return false
		}
		return true
	}
	who := authenticationv1.UserInfo{Username: name, UID: uid, Groups: slices.Clone(groups), Extra: extra}
	if namespace, _, err := serviceaccount.SplitUsername(name); err == nil && len(groups) == 0 {
		who.Groups = serviceaccount.MakeGroupNames(namespace)
	}
	if name == user.Anonymous {
		if !slices.Contains(who.Groups, user.AllUnauthenticated) {
			who.Groups = append(who.Groups, user.AllUnauthenticated)
		}
	} else if !slices.Contains(who.Groups, user.AllAuthenticated) && !slices.Contains(who.Groups, user.AllUnauthenticated) {
		who.Groups = append(who.Groups, user.AllAuthenticated)
	}
	if !x.mayImpersonate(who) {
		return false
	}
	x.user, x.as = who, &who
	return true
}

// mayImpersonate checks whether the user may impersonate who. It returns false if that ended the request.
func (x *exchange) mayImpersonate(who authenticationv1.UserInfo) bool {
	ask := func(group, resource, subresource, namespace, name string) bool {
		a, err := x.may(authorizer.AttributesRecord{
			Verb: "impersonate", APIGroup: group, APIVersion: "v1", Resource: resource, Subresource: subresource, Namespace: namespace, Name: name, ResourceRequest: true,
		}, !isAnonymous(x.real))
		if err != nil {
			x.notEvaluated(err)
			return false
		}
		if !a.Allowed {
			if subresource != "" {
				resource += "/" + subresource
			}
			x.forbid(resource, group, name, "impersonate", namespace)
		}
		return a.Allowed
	}
	if namespace, account, err := serviceaccount.SplitUsername(who.Username); err == nil {
		if !ask("", "serviceaccounts", "", namespace, account) {
			return false
		}
	} else if !ask("", "users", "", "", who.Username) {
		return false
	}
	for _, group := range x.r.Header.Values(authenticationv1.ImpersonateGroupHeader) {
		if !ask("", "groups", "", "", group) {
			return false
		}
	}
	if who.UID != "" && !ask("authentication.k8s.io", "uids", "", "", who.UID) {
		return false
	}
	for _, key := range slices.Sorted(maps.Keys(who.Extra)) {
		for _, value := range who.Extra[key] {
			if !ask("authentication.k8s.io", "userextras", key, "", value) {
				return false
			}
		}
	}
	return true
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

func impersonatedExtra(h http.Header) map[string]authenticationv1.ExtraValue {
	var extra map[string]authenticationv1.ExtraValue
	for key, values := range h {
		name, ok := strings.CutPrefix(strings.ToLower(key), strings.ToLower(authenticationv1.ImpersonateUserExtraHeaderPrefix))
		if !ok {
			continue
		}
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if extra == nil {
			extra = map[string]authenticationv1.ExtraValue{}
		}
		extra[name] = values
	}
	return extra
}

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
	where := "at the cluster scope"
	if namespace != "" {
		where = fmt.Sprintf("in the namespace %q", namespace)
	}
	kind, _, _ := strings.Cut(resource, "/")
	x.status(&metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Details: &metav1.StatusDetails{Group: group, Kind: kind, Name: name},
		Message: fmt.Sprintf("%s is forbidden: User %q cannot %s resource %q in API group %q %s", qualified(kind, group, name), x.user.Username, verb, resource, group, where),
	})
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
func (x *exchange) forbidPath() {
	x.status(&metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Details: &metav1.StatusDetails{},
		Message: fmt.Sprintf("forbidden: User %q cannot %s path %q", x.user.Username, strings.ToLower(x.r.Method), x.r.URL.Path),
	})
}
