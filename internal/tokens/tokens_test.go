package tokens_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/tokens"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

var (
	account = &corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web", UID: "1"}}
	pod     = &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-0", UID: "2"}, Spec: corev1.PodSpec{NodeName: "n"}}
	node    = &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "n", UID: "3"}}
	secret  = &corev1.Secret{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}, ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "t", UID: "4"}}
)

func stateOf(objects ...runtime.Object) *cluster.State {
	s := cluster.New()
	for _, o := range objects {
		s = s.With(cluster.Object{Object: o})
	}
	return s
}

func request(seconds int64, audience string, bound ...string) *authenticationv1.TokenRequest {
	t := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: &seconds, Audiences: []string{audience}}}
	if len(bound) > 0 {
		t.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: bound[0], Name: bound[1]}
	}
	return t
}

var newest = kubeversion.Default()

// review reviews a token that was never used before.
func review(i *tokens.Issuer, s *cluster.State, token string, audiences []string, now time.Time) authenticationv1.TokenReviewStatus {
	status, _ := i.For(newest).Review(s, token, audiences, now)
	return status
}

// A token is valid for its audience, until it expires or an object that it is bound to is deleted.
func TestReview(t *testing.T) {
	issuer, err := tokens.New(tokens.Options{Known: map[string]authenticationv1.UserInfo{"known": {Username: "admin"}}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := tokens.New(tokens.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := stateOf(account, pod, node, secret)
	without := func(o runtime.Object) *cluster.State { return all.Without(cluster.KeyOf(o)) }
	another := account.DeepCopy()
	another.UID = "9"
	deleting := func(at time.Time) *cluster.State {
		next := pod.DeepCopy()
		next.DeletionTimestamp = &metav1.Time{Time: at}
		return all.With(cluster.Object{Object: next})
	}
	issue := func(i *tokens.Issuer, r *authenticationv1.TokenRequest) string {
		token, err := i.For(newest).Issue(all, account, r, "id", now)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	plain := issue(issuer, request(600, "api"))
	ofPod := issue(issuer, request(600, "api", "Pod", "web-0"))
	const groups = "[system:serviceaccounts system:serviceaccounts:shop system:authenticated]"
	for _, tt := range []struct {
		name, token string
		state       *cluster.State
		audiences   []string
		after       time.Duration
		want        string
	}{
		{"valid", plain, all, nil, 0, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id]] [api]"},
		{"just before it expires", plain, all, nil, 660 * time.Second, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id]] [api]"},
		{"expired", plain, all, nil, 661 * time.Second, "[invalid bearer token, service account token has expired]"},
		{"from the future", plain, all, nil, -2 * time.Minute, "[invalid bearer token, service account token is not valid yet]"},
		{"no account", plain, without(account), nil, 0, `[invalid bearer token, serviceaccounts "web" not found]`},
		{"another account of that name", plain, all.With(cluster.Object{Object: another}), nil, 0, "[invalid bearer token, service account UID (9) does not match claim (1)]"},
		{"for another audience", plain, all, []string{"vault"}, 0, `[invalid bearer token, token audiences ["api"] is invalid for the target audiences ["vault"]]`},
		{"for vault, at the server", issue(issuer, request(600, "vault")), all, nil, 0, `[invalid bearer token, token audiences ["vault"] is invalid for the target audiences ["api"]]`},
		{"for vault", issue(issuer, request(600, "vault")), all, []string{"x", "vault"}, 0, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id]] [vault]"},
		{"of another issuer", issue(other, request(600, "api")), all, nil, 0, "invalid bearer token"},
		{"changed", plain[:len(plain)-4] + "AAAA", all, nil, 0, "invalid bearer token"},
		{"no token", "x", all, nil, 0, "invalid bearer token"},
		{"two dots", "..", all, nil, 0, "invalid bearer token"},
		{"of a pod", ofPod, all, nil, 0, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id] authentication.kubernetes.io/node-name:[n] authentication.kubernetes.io/node-uid:[3] authentication.kubernetes.io/pod-name:[web-0] authentication.kubernetes.io/pod-uid:[2]] [api]"},
		{"of a pod whose node is deleted", ofPod, without(node), nil, 0, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id] authentication.kubernetes.io/node-name:[n] authentication.kubernetes.io/node-uid:[3] authentication.kubernetes.io/pod-name:[web-0] authentication.kubernetes.io/pod-uid:[2]] [api]"},
		{"of a deleted pod", ofPod, without(pod), nil, 0, "[invalid bearer token, service account token has been invalidated]"},
		{"of a pod that is being deleted", ofPod, deleting(now.Add(-2 * time.Minute)), nil, 0, "[invalid bearer token, service account token has been invalidated]"},
		{"of a deleted secret", issue(issuer, request(600, "api", "Secret", "t")), without(secret), nil, 0, "[invalid bearer token, service account token has been invalidated]"},
		{"of a node", issue(issuer, request(600, "api", "Node", "n")), all, nil, 0, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id] authentication.kubernetes.io/node-name:[n] authentication.kubernetes.io/node-uid:[3]] [api]"},
		{"of a deleted node", issue(issuer, request(600, "api", "Node", "n")), without(node), nil, 0, "[invalid bearer token, service account token has been invalidated]"},
		{"of a pod, as a kubelet asks for it", issue(issuer, request(3607, "api", "Pod", "web-0")), all, nil, 300 * 24 * time.Hour, "system:serviceaccount:shop:web 1 " + groups + " map[authentication.kubernetes.io/credential-id:[JTI=id] authentication.kubernetes.io/node-name:[n] authentication.kubernetes.io/node-uid:[3] authentication.kubernetes.io/pod-name:[web-0] authentication.kubernetes.io/pod-uid:[2]] [api]"},
		{"known", "known", all, nil, 0, "admin  [] map[] [api]"},
		{"known, for another audience", "known", all, []string{"vault"}, 0, "invalid bearer token"},
	} {
		got := review(issuer, tt.state, tt.token, tt.audiences, now.Add(tt.after))
		text := got.Error
		if got.Authenticated {
			text = fmt.Sprint(got.User.Username, " ", got.User.UID, " ", got.User.Groups, " ", got.User.Extra, " ", got.Audiences)
		}
		if text != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, text, tt.want)
		}
	}
}

// A token in a Secret is valid as long as the Secret contains it.
func TestReviewSecret(t *testing.T) {
	issuer, err := tokens.New(tokens.Options{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := issuer.IssueSecret(account, "t")
	if err != nil {
		t.Fatal(err)
	}
	holding := func(change func(*corev1.Secret)) *cluster.State {
		s := secret.DeepCopy()
		s.Data = map[string][]byte{"token": []byte(token)}
		change(s)
		return stateOf(account, s)
	}
	for _, tt := range []struct {
		state *cluster.State
		want  string
	}{
		{holding(func(*corev1.Secret) {}), "system:serviceaccount:shop:web"},
		{holding(func(s *corev1.Secret) { s.Data = nil }), "[invalid bearer token, Token does not match server's copy]"},
		{holding(func(s *corev1.Secret) { s.DeletionTimestamp = &metav1.Time{} }), "[invalid bearer token, Token has been invalidated]"},
		{stateOf(account), "[invalid bearer token, Token has been invalidated]"},
		{holding(func(*corev1.Secret) {}).Without(cluster.KeyOf(account)), `[invalid bearer token, serviceaccounts "web" not found]`},
		{holding(func(s *corev1.Secret) {
			s.Labels = map[string]string{"kubernetes.io/legacy-token-invalid-since": "2026-01-01"}
		}), "[invalid bearer token, the token in secret shop/t for service account shop/web has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token]"},
	} {
		got := review(issuer, tt.state, token, nil, now)
		if text := got.Error + got.User.Username; text != tt.want {
			t.Errorf("%s, want %s", text, tt.want)
		}
	}
}

// What a server does when a token is used depends on the release (PL-22a).
func TestUse(t *testing.T) {
	issuer, err := tokens.New(tokens.Options{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := issuer.IssueSecret(account, "t")
	if err != nil {
		t.Fatal(err)
	}
	with := func(label, day string, listed bool) *cluster.State {
		s, a := secret.DeepCopy(), account.DeepCopy()
		s.Data = map[string][]byte{"token": []byte(token)}
		if label != "" {
			s.Labels = map[string]string{"kubernetes.io/legacy-token-" + label: day}
		}
		if listed {
			a.Secrets = []corev1.ObjectReference{{Name: "t"}}
		}
		return stateOf(a, s, pod, node)
	}
	const (
		warning = "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens."
		patched = `patch secrets shop/t {"kind":"Secret","apiVersion":"v1","metadata":{"name":"t","namespace":"shop","uid":"4","labels":{"kubernetes.io/legacy-token-last-used":"2026-01-01"}}}`
	)
	bound := func(release string) string {
		token, err := issuer.For(releaseOf(t, release)).Issue(with("", "", false), account, request(3607, "api", "Pod", "web-0"), "id", now)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	for _, tt := range []struct {
		name, release, token string
		state                *cluster.State
		after                time.Duration
		want                 []string
	}{
		{"of a Secret", "1.37", token, with("", "", false), 0, []string{"authentication.k8s.io/legacy-token-manual-secret: t", patched}},
		{"of a Secret of the account", "1.37", token, with("", "", true), 0, []string{"warning: " + warning, "authentication.k8s.io/legacy-token-autogenerated-secret: t", patched}},
		{"used today", "1.37", token, with("last-used", "2026-01-01", false), 0, []string{"authentication.k8s.io/legacy-token-manual-secret: t"}},
		{"used yesterday", "1.37", token, with("last-used", "2025-12-31", false), 0, []string{"authentication.k8s.io/legacy-token-manual-secret: t", patched}},
		{"marked as invalid", "1.37", token, with("invalid-since", "2026-01-01", true), 0, []string{"not valid", patched}},
		{"marked as invalid", "1.28", token, with("invalid-since", "2026-01-01", true), 0, []string{"warning: " + warning, strings.Replace(patched, `"uid":"4",`, "", 1)}},
		{"of a Secret of the account", "1.26", token, with("", "", true), 0, nil},
		{"of a Secret that is gone", "1.37", token, stateOf(account), 0, []string{"not valid", "get secrets shop/t 404"}},
		{"of an account that is gone", "1.37", token, with("", "", true).Without(cluster.KeyOf(account)), 0, []string{"not valid", "get serviceaccounts shop/web 404"}},
		{"of a pod", "1.37", bound("1.37"), with("", "", false), 0, nil},
		{"of a pod, after an hour", "1.37", bound("1.37"), with("", "", false), 3617 * time.Second, []string{"authentication.k8s.io/stale-token: subject: system:serviceaccount:shop:web, seconds after warning threshold: 10"}},
		{"of a pod, after an hour", "1.19", bound("1.19"), with("", "", false), 3700 * time.Second, []string{"not valid"}},
		{"of a pod that is gone", "1.37", bound("1.37"), stateOf(account), 0, []string{"not valid", "get pods shop/web-0 404"}},
	} {
		status, did := issuer.For(releaseOf(t, tt.release)).Review(tt.state, tt.token, nil, now.Add(tt.after))
		var got []string
		if !status.Authenticated {
			got = append(got, "not valid")
		}
		for _, w := range did.Warnings {
			got = append(got, "warning: "+w)
		}
		for _, a := range did.Annotations {
			got = append(got, a.Key+": "+a.Value)
		}
		for _, s := range did.Sent {
			text := fmt.Sprintf("%s %s %s/%s ", s.Verb, s.Resource.Resource, s.Namespace, s.Name)
			if s.Code != 0 {
				text += fmt.Sprint(s.Code)
			}
			got = append(got, text+string(s.Body))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, in %s (-want +got):\n%s", tt.name, tt.release, diff)
		}
	}
}

func releaseOf(t *testing.T, version string) *kubeversion.Release {
	t.Helper()
	r, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Programs can read the claims of a token, which is that of the account even if the request does not name it (up to 1.22).
func TestClaims(t *testing.T) {
	issuer, err := tokens.New(tokens.Options{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := issuer.For(newest).Issue(stateOf(account, pod, node), account, request(3607, "api", "Pod", "web-0"), "id", now)
	if err != nil {
		t.Fatal(err)
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"aud":["api"],"exp":1798761600,"iat":1767225600,"iss":"https://kubernetes.default.svc.cluster.local","jti":"id",` +
		`"kubernetes.io":{"namespace":"shop","node":{"name":"n","uid":"3"},"pod":{"name":"web-0","uid":"2"},"serviceaccount":{"name":"web","uid":"1"},"warnafter":1767229207},` +
		`"nbf":1767225600,"sub":"system:serviceaccount:shop:web"}`
	if string(text) != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// Tokens are signed with the algorithm of the server's key, and a token signed with another of its keys is valid, too.
func TestKeys(t *testing.T) {
	all := stateOf(account)
	old, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	for want, curve := range map[string]elliptic.Curve{"ES256": elliptic.P256(), "ES384": elliptic.P384(), "ES512": elliptic.P521(), "RS256": nil} {
		private := crypto.Signer(old)
		if curve != nil {
			if private, err = ecdsa.GenerateKey(curve, rand.Reader); err != nil {
				t.Fatal(err)
			}
		}
		o := tokens.Options{Key: private, Issuers: []string{"https://new", "https://old"}, Audiences: []string{"https://new"}}
		before, err := tokens.New(tokens.Options{Key: old, Issuers: []string{"https://old"}, Audiences: []string{"https://new"}})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := tokens.New(o)
		if err != nil {
			t.Fatal(err)
		}
		o.Keys = []crypto.PublicKey{private.Public(), old.Public()}
		both, err := tokens.New(o)
		if err != nil {
			t.Fatal(err)
		}
		ofBoth, err := both.For(newest).Issue(all, account, request(600, "https://new"), "id", now)
		if err != nil {
			t.Fatal(err)
		}
		ofOld, err := before.For(newest).Issue(all, account, request(600, "https://new"), "id", now)
		if err != nil {
			t.Fatal(err)
		}
		header, _ := base64.RawURLEncoding.DecodeString(strings.Split(ofBoth, ".")[0])
		if !strings.Contains(string(header), `"alg":"`+want+`"`) {
			t.Errorf("header %s, want %s", header, want)
		}
		for name, got := range map[string]bool{
			"its own":           review(both, all, ofBoth, nil, now).Authenticated,
			"by the other key":  review(both, all, ofOld, nil, now).Authenticated,
			"unknown key":       curve == nil || !review(alone, all, ofOld, nil, now).Authenticated,
			"unknown issuer":    !review(before, all, ofBoth, nil, now).Authenticated,
			"changed signature": !review(both, all, ofBoth[:len(ofBoth)-8]+"AAAAAAAA", nil, now).Authenticated,
		} {
			if !got {
				t.Errorf("%s: a token %s", want, name)
			}
		}
		_, set, ok := both.Document("/openid/v1/jwks", "localhost:6443")
		keys := 2
		if curve == nil {
			keys = 1
		}
		if !ok || strings.Count(string(set), `"kid":`) != keys || !strings.Contains(string(set), `"alg":"`+want+`"`) {
			t.Errorf("%s: keys %s", want, set)
		}
	}
	if _, err := tokens.New(tokens.Options{Keys: []crypto.PublicKey{ed25519.PublicKey{}}}); err == nil {
		t.Error("an Ed25519 key was accepted")
	}
}

// If the issuer is not a URL that the standard permits, there are no documents.
func TestDocumentOfOtherIssuers(t *testing.T) {
	for _, url := range []string{"http://example.com", "issuer", "https://example.com?a=b"} {
		issuer, err := tokens.New(tokens.Options{Issuers: []string{url}})
		if err != nil {
			t.Fatal(err)
		}
		if _, text, ok := issuer.Document("/openid/v1/jwks", "localhost:6443"); ok {
			t.Errorf("%s: %s", url, text)
		}
	}
}

// A server believes for ten seconds that a token is still valid.
func TestCached(t *testing.T) {
	issuer, err := tokens.New(tokens.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := stateOf(account)
	token, err := issuer.For(newest).Issue(all, account, request(3600, "api"), "id", now)
	if err != nil {
		t.Fatal(err)
	}
	gone := all.Without(cluster.KeyOf(account))
	c := issuer.For(newest)
	for _, step := range []struct {
		reason    string
		state     *cluster.State
		audiences []string
		after     time.Duration
		want      bool
	}{
		{"it never was valid", gone, nil, 0, false},
		{"its account exists", all, nil, time.Second, true},
		{"it was valid for the API server just now", gone, []string{"api"}, 10 * time.Second, true},
		{"it never was valid for both audiences", gone, []string{"api", "other"}, 10 * time.Second, false},
		{"its account has been gone for too long", gone, nil, 11 * time.Second, false},
	} {
		if got, _ := c.Review(step.state, token, step.audiences, now.Add(step.after)); got.Authenticated != step.want {
			t.Errorf("after %s: valid: %v, want %v: %s", step.after, got.Authenticated, step.want, step.reason)
		}
	}
}

// Whoever uses a token at the same time as others shares their review: only the first one sends requests.
func TestSharedReview(t *testing.T) {
	issuer, err := tokens.New(tokens.Options{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := issuer.IssueSecret(account, "t")
	if err != nil {
		t.Fatal(err)
	}
	s := secret.DeepCopy()
	s.Data = map[string][]byte{"token": []byte(token)}
	c, state := issuer.For(newest), stateOf(account, s)
	var sent, annotated atomic.Int32
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			_, did := c.Review(state, token, nil, now)
			sent.Add(int32(len(did.Sent)))
			annotated.Add(int32(len(did.Annotations)))
		})
	}
	all.Wait()
	if sent.Load() != 1 || annotated.Load() != 50 {
		t.Errorf("%d requests were sent and %d annotations made, want 1 and 50", sent.Load(), annotated.Load())
	}
}
