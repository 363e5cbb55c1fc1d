// Package tokens issues the tokens of service accounts, and identifies their users for as long as they are valid: until
// they expire, or until an object that they are bound to is deleted.
//
// Start with [New] and [Issuer.For]. [Cluster.Issue] issues a token for a TokenRequest, [Issuer.IssueSecret] one for a
// Secret, and [Cluster.Review] identifies the user of a token. The tokens are signed JWTs with the claims of a real server,
// so that programs can read them.
package tokens

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
)

// issuerURL is the issuer of tokens for TokenRequests, legacyIssuer that of tokens in Secrets:
// kubernetes/kubernetes:pkg/serviceaccount/legacy.go.
const (
	issuerURL    = "https://kubernetes.default.svc.cluster.local"
	legacyIssuer = "kubernetes/serviceaccount"
)

// audience is the default audience of the API server.
const audience = "api"

// Options configure an [Issuer]. The zero value has a key of its own.
type Options struct {
	// Known maps tokens of other origin to their users.
	Known map[string]authenticationv1.UserInfo

	// Issuers holds the URLs of accepted issuers. New tokens name the first. Empty: the default of clusters.
	Issuers []string

	// Audiences holds the audiences of the API server, which are also those of tokens that name none. Empty: api.
	Audiences []string

	// Key signs tokens. Nil: a generated key. Keys are the keys of further signers, whose tokens are valid, too.
	Key  crypto.Signer
	Keys []crypto.PublicKey

	// KeysURL is where clients find the keys. Empty: on the server.
	KeysURL string
}

// An Issuer issues tokens and verifies them. It is safe for concurrent use.
type Issuer struct {
	signer    *key
	keys      []*key // for verification, without duplicates
	known     map[string]authenticationv1.UserInfo
	issuers   []string
	audiences []string
	keysURL   string
}

// New returns an issuer.
func New(o Options) (*Issuer, error) {
	i := &Issuer{known: o.Known, issuers: o.Issuers, audiences: o.Audiences, keysURL: o.KeysURL}
	if len(i.issuers) == 0 {
		i.issuers = []string{issuerURL}
	}
	if len(i.audiences) == 0 {
		i.audiences = []string{audience}
	}
	private := o.Key
	if private == nil {
		made, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			return nil, err
		}
		private = made
	}
	// As in the server, tokens are verified with the keys of --service-account-key-file, or with the signing key if
	// there are none.
	public := o.Keys
	if len(public) == 0 {
		public = []crypto.PublicKey{private.Public()}
	}
	signer, err := newKey(private.Public())
	if err != nil {
		return nil, err
	}
	signer.private, i.signer = private, signer
	for _, one := range public {
		k, err := newKey(one)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(i.keys, func(other *key) bool { return other.id == k.id }) {
			i.keys = append(i.keys, k)
		}
	}
	return i, nil
}

// Issuers returns the URLs of accepted issuers.
func (i *Issuer) Issuers() []string { return i.issuers }

// Audiences returns the audiences of the API server.
func (i *Issuer) Audiences() []string { return i.audiences }

// sign creates a JWT.
func (i *Issuer) sign(c any) (string, error) {
	claims, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	signed := encoded([]byte(`{"alg":"`+i.signer.algorithm+`","kid":"`+i.signer.id+`"}`)) + "." + encoded(claims)
	signature, err := i.signer.sign(signed)
	if err != nil {
		return "", err
	}
	return signed + "." + encoded(signature), nil
}

// verified returns the claims of a token that one of the keys signed.
func (i *Issuer) verified(token string) (c claims, ok bool) {
	signed, signature, found := cutLast(token)
	_, payload, split := strings.Cut(signed, ".")
	raw, err := base64.RawURLEncoding.DecodeString(signature)
	if !found || !split || err != nil {
		return c, false
	}
	if !slices.ContainsFunc(i.keys, func(k *key) bool { return k.verify(signed, raw) }) {
		return c, false
	}
	text, err := base64.RawURLEncoding.DecodeString(payload)
	return c, err == nil && json.Unmarshal(text, &c) == nil
}

func cutLast(token string) (signed, signature string, ok bool) {
	at := strings.LastIndexByte(token, '.')
	if at < 0 {
		return "", "", false
	}
	return token[:at], token[at+1:], true
}

// errUnknown is the error for a token that nobody issued:
// kubernetes/apiserver:pkg/authentication/request/bearertoken/bearertoken.go.
var errUnknown = errors.New("invalid bearer token")

// review identifies the user of a token, for the given audiences or, without any, for the API server. What is wrong with a
// token is in the error of the status.
func (i *Issuer) review(u *use, audiences []string) authenticationv1.TokenReviewStatus {
	who, of, err := i.identify(u, audiences)
	if err != nil {
		text := errUnknown.Error()
		if !errors.Is(err, errUnknown) {
			text = fmt.Sprintf("[%v, %v]", errUnknown, err)
		}
		return authenticationv1.TokenReviewStatus{Error: text}
	}
	return authenticationv1.TokenReviewStatus{Authenticated: true, User: who, Audiences: of}
}

func (i *Issuer) identify(u *use, audiences []string) (who authenticationv1.UserInfo, of []string, err error) {
	wanted := audiences
	if len(wanted) == 0 {
		wanted = i.audiences
	}
	if who, ok := i.known[u.token]; ok {
		of := common(i.audiences, wanted)
		if len(of) == 0 {
			return who, nil, errUnknown
		}
		return who, of, nil
	}
	c, ok := i.verified(u.token)
	if !ok {
		return who, nil, errUnknown
	}
	meant := c.Audience
	if len(meant) == 0 {
		meant = i.audiences
	}
	if of = common(meant, wanted); len(of) == 0 {
		return who, nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", meant, wanted)
	}
	if c.Issuer != legacyIssuer && !slices.Contains(i.issuers, c.Issuer) {
		return who, nil, errUnknown
	}
	account, err := u.account(&c)
	if err != nil {
		return who, nil, err
	}
	return userOf(account), of, nil
}

// common returns the elements of all that are in wanted.
func common(all, wanted []string) (of []string) {
	for _, one := range all {
		if slices.Contains(wanted, one) {
			of = append(of, one)
		}
	}
	return of
}

// userOf returns the user of a service account.
func userOf(account *serviceaccount.ServiceAccountInfo) (who authenticationv1.UserInfo) {
	info := account.UserInfo()
	who = authenticationv1.UserInfo{Username: info.GetName(), UID: info.GetUID(), Groups: append(slices.Clone(info.GetGroups()), "system:authenticated")}
	for key, values := range info.GetExtra() {
		if who.Extra == nil {
			who.Extra = map[string]authenticationv1.ExtraValue{}
		}
		who.Extra[key] = values
	}
	return who
}

// IssueSecret issues the token for a Secret of an account. It is valid as long as the Secret contains it.
func (i *Issuer) IssueSecret(account *corev1.ServiceAccount, secret string) (string, error) {
	return i.sign(claims{
		Issuer: legacyIssuer, Subject: serviceaccount.MakeUsername(account.Namespace, account.Name),
		legacy: legacy{Account: account.Name, AccountUID: string(account.UID), Secret: secret, Namespace: account.Namespace},
	})
}
