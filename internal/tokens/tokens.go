// Package tokens makes the tokens of service accounts, and knows whose they are as long as they are good: until
// they expire, or what they are bound to goes.
//
// Start with [New]. [Issuer.Issue] makes a token for a TokenRequest, [Issuer.IssueSecret] one for a Secret, and
// [Issuer.Review] says who shows a token. The tokens are signed JWTs with the claims of a real server, so that
// programs can read them.
package tokens

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/admsim/admsim/pkg/cluster"
)

// issuerURL is the issuer of tokens for TokenRequests, and legacyIssuer that of those in Secrets:
// kubernetes/kubernetes:pkg/serviceaccount/legacy.go.
const (
	issuerURL    = "https://kubernetes.default.svc.cluster.local"
	legacyIssuer = "kubernetes/serviceaccount"
)

// audience is for whom tokens are that do not say it: the API server.
const audience = "api"

// An Issuer makes tokens and knows them again. It is safe for concurrent use.
type Issuer struct {
	key   *ecdsa.PrivateKey
	keyID string
	known map[string]authenticationv1.UserInfo
}

// New returns an issuer with a key of its own. The known tokens are those of others, and whose they are.
func New(known map[string]authenticationv1.UserInfo) (*Issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	public, err := key.PublicKey.Bytes()
	if err != nil {
		return nil, err
	}
	id := sha256.Sum256(public)
	return &Issuer{key: key, keyID: encoded(id[:]), known: known}, nil
}

func encoded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

// coordinateSize is that of a number in a signature or key of the curve P-256.
const coordinateSize = 32

// sign makes a JWT.
func (i *Issuer) sign(c any) (string, error) {
	claims, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	signed := encoded([]byte(`{"alg":"ES256","kid":"`+i.keyID+`"}`)) + "." + encoded(claims)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, i.key, digest[:])
	if err != nil {
		return "", err
	}
	signature := make([]byte, 2*coordinateSize)
	r.FillBytes(signature[:coordinateSize])
	s.FillBytes(signature[coordinateSize:])
	return signed + "." + encoded(signature), nil
}

// verified are the claims of a token that the issuer signed.
func (i *Issuer) verified(token string) (c claims, ok bool) {
	signed, signature, found := cutLast(token)
	_, payload, split := strings.Cut(signed, ".")
	raw, err := base64.RawURLEncoding.DecodeString(signature)
	if !found || !split || err != nil || len(raw) != 2*coordinateSize {
		return c, false
	}
	digest := sha256.Sum256([]byte(signed))
	r, s := new(big.Int).SetBytes(raw[:coordinateSize]), new(big.Int).SetBytes(raw[coordinateSize:])
	if !ecdsa.Verify(&i.key.PublicKey, digest[:], r, s) {
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

// errUnknown is what is said of a token that nobody issued: kubernetes/apiserver:
// pkg/authentication/request/bearertoken/bearertoken.go.
var errUnknown = errors.New("invalid bearer token")

// Review says whose a token is, for audiences, or for the API server where there are none. What is wrong with it
// is in the error of the status.
func (i *Issuer) Review(s *cluster.State, token string, audiences []string, now time.Time) authenticationv1.TokenReviewStatus {
	who, of, err := i.whose(s, token, audiences, now)
	if err != nil {
		text := errUnknown.Error()
		if !errors.Is(err, errUnknown) {
			text = fmt.Sprintf("[%v, %v]", errUnknown, err)
		}
		return authenticationv1.TokenReviewStatus{Error: text}
	}
	return authenticationv1.TokenReviewStatus{Authenticated: true, User: who, Audiences: of}
}

func (i *Issuer) whose(s *cluster.State, token string, audiences []string, now time.Time) (who authenticationv1.UserInfo, of []string, err error) {
	wanted := audiences
	if len(wanted) == 0 {
		wanted = []string{audience}
	}
	if who, ok := i.known[token]; ok {
		if !slices.Contains(wanted, audience) {
			return who, nil, errUnknown
		}
		return who, []string{audience}, nil
	}
	c, ok := i.verified(token)
	if !ok {
		return who, nil, errUnknown
	}
	meant := c.Audience
	if len(meant) == 0 {
		meant = []string{audience}
	}
	for _, one := range meant {
		if slices.Contains(wanted, one) {
			of = append(of, one)
		}
	}
	if len(of) == 0 {
		return who, nil, fmt.Errorf("token audiences %q is invalid for the target audiences %q", meant, wanted)
	}
	account, err := c.account(s, token, now)
	if err != nil {
		return who, nil, err
	}
	return userOf(account), of, nil
}

// userOf is an account as the user that it is to the server.
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

// IssueSecret makes the token that a Secret of an account holds. It is good as long as the Secret has it.
func (i *Issuer) IssueSecret(account *corev1.ServiceAccount, secret string) (string, error) {
	return i.sign(claims{
		Issuer: legacyIssuer, Subject: serviceaccount.MakeUsername(account.Namespace, account.Name),
		legacy: legacy{Account: account.Name, AccountUID: string(account.UID), Secret: secret, Namespace: account.Namespace},
	})
}
