package tokens

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/admsim/admsim/pkg/cluster"
)

// claims are the claims of a token: kubernetes/kubernetes:pkg/serviceaccount/claims.go.
type claims struct {
	Audience  []string `json:"aud,omitempty"`
	Expiry    int64    `json:"exp,omitempty"`
	IssuedAt  int64    `json:"iat,omitempty"`
	Issuer    string   `json:"iss"`
	ID        string   `json:"jti,omitempty"`
	Bound     *bound   `json:"kubernetes.io,omitempty"`
	NotBefore int64    `json:"nbf,omitempty"`
	Subject   string   `json:"sub"`

	legacy
}

// bound holds the objects that a token is bound to.
type bound struct {
	Namespace    string                                       `json:"namespace"`
	Node         *reference                                   `json:"node,omitempty"`
	Pod          *reference                                   `json:"pod,omitempty"`
	Secret       *reference                                   `json:"secret,omitempty"`
	Account      reference                                    `json:"serviceaccount"`
	Validating   *reference                                   `json:"validatingwebhookconfiguration,omitempty"`
	Mutating     *reference                                   `json:"mutatingwebhookconfiguration,omitempty"`
	Attestations map[string]authenticationv1.AttestationValue `json:"attestations,omitempty"`
	WarnAfter    int64                                        `json:"warnafter,omitempty"`
}

type reference struct {
	Name string `json:"name"`
	UID  string `json:"uid,omitempty"`
}

func (r *reference) into(name, uid *string) {
	if r != nil {
		*name, *uid = r.Name, r.UID
	}
}

// legacy holds the claims of a token in a Secret: kubernetes/kubernetes:pkg/serviceaccount/legacy.go.
type legacy struct {
	Account    string `json:"kubernetes.io/serviceaccount/service-account.name,omitempty"`
	AccountUID string `json:"kubernetes.io/serviceaccount/service-account.uid,omitempty"`
	Secret     string `json:"kubernetes.io/serviceaccount/secret.name,omitempty"`
	Namespace  string `json:"kubernetes.io/serviceaccount/namespace,omitempty"`
}

// Tokens of pods that are requested for exactly warnOnly seconds are valid for a year, for clients that do not reload
// them, but using them after warnOnly seconds results in a warning: kubernetes/kubernetes:pkg/serviceaccount/claims.go.
const (
	warnOnly = 60*60 + 7
	extended = 365 * 24 * time.Hour
)

// Issue creates a token of an account for a TokenRequest that is complete: it names the audiences and the lifetime. Up to
// 1.22, it may name another account, which counts for nothing.
func (i *Issuer) Issue(s *cluster.State, of *corev1.ServiceAccount, t *authenticationv1.TokenRequest, id types.UID, now time.Time) (string, error) {
	b := &bound{Namespace: of.Namespace, Account: reference{of.Name, string(of.UID)}}
	c := claims{
		Audience: t.Spec.Audiences, IssuedAt: now.Unix(), NotBefore: now.Unix(), Issuer: i.issuers[0], ID: string(id), Bound: b,
		Subject: serviceaccount.MakeUsername(of.Namespace, of.Name),
	}
	lasts := time.Hour
	if t.Spec.ExpirationSeconds != nil {
		lasts = time.Duration(*t.Spec.ExpirationSeconds) * time.Second
	}
	if ref := t.Spec.BoundObjectRef; ref != nil {
		b.Attestations = t.Spec.Attestations
		b.bind(s, ref)
		if b.Pod != nil && lasts == warnOnly*time.Second && slices.Equal(t.Spec.Audiences, i.audiences) {
			b.WarnAfter, lasts = now.Add(lasts).Unix(), extended
		}
	}
	c.Expiry = now.Add(lasts).Unix()
	return i.sign(c)
}

// bind binds the token to an object.
func (b *bound) bind(s *cluster.State, ref *authenticationv1.BoundObjectReference) {
	gvk := schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)
	to := func(namespace string) *reference {
		found, _ := s.Find(cluster.Key{GroupKind: gvk.GroupKind(), Namespace: namespace, Name: ref.Name})
		r := &reference{Name: ref.Name}
		if m, err := meta.Accessor(found.Object); err == nil {
			r.UID = string(m.GetUID())
		}
		return r
	}
	switch gvk.Kind {
	case "Pod":
		b.Pod = to(b.Namespace)
		pod, ok := find[*corev1.Pod](s, "Pod", b.Namespace, ref.Name)
		if ok && pod.Spec.NodeName != "" {
			b.Node = &reference{Name: pod.Spec.NodeName}
			if node, ok := find[*corev1.Node](s, "Node", "", pod.Spec.NodeName); ok {
				b.Node.UID = string(node.UID)
			}
		}
	case "Secret":
		b.Secret = to(b.Namespace)
	case "Node":
		b.Node = to("")
	case "ValidatingWebhookConfiguration":
		b.Validating = to("")
	case "MutatingWebhookConfiguration":
		b.Mutating = to("")
	}
}

func find[T interface {
	comparable
	metav1.Object
}](s *cluster.State, kind, namespace, name string) (object T, ok bool) {
	found, _ := s.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: kind}, Namespace: namespace, Name: name})
	object, ok = found.Object.(T)
	return object, ok
}

// leeway allows for clocks that differ, and for objects that are being deleted.
const leeway = time.Minute

// account returns the service account of a token, or an error if the token is no longer valid.
func (c *claims) account(s *cluster.State, token string, now time.Time) (*serviceaccount.ServiceAccountInfo, error) {
	switch {
	case c.Issuer == legacyIssuer:
		return c.legacy.account(s, token, c.Subject)
	case c.Bound == nil:
		return nil, errUnknown
	case now.Add(-leeway).After(time.Unix(c.Expiry, 0)):
		return nil, errors.New("service account token has expired")
	case now.Add(leeway).Before(time.Unix(c.NotBefore, 0)):
		return nil, errors.New("service account token is not valid yet")
	}
	b, gone := c.Bound, now.Add(-leeway)
	account, ok := find[*corev1.ServiceAccount](s, "ServiceAccount", b.Namespace, b.Account.Name)
	switch {
	case !ok:
		return nil, apierrors.NewNotFound(corev1.Resource("serviceaccounts"), b.Account.Name)
	case string(account.UID) != b.Account.UID:
		return nil, fmt.Errorf("service account UID (%s) does not match claim (%s)", account.UID, b.Account.UID)
	case account.DeletionTimestamp != nil && account.DeletionTimestamp.Time.Before(gone):
		return nil, fmt.Errorf("service account %s/%s has been deleted", b.Namespace, b.Account.Name)
	}
	node := b.Node
	if b.Pod != nil {
		node = nil // the node only tells where the pod runs
	}
	for _, one := range []struct {
		kind      schema.GroupKind
		namespace string
		ref       *reference
		claim     string
	}{
		{schema.GroupKind{Kind: "Secret"}, b.Namespace, b.Secret, "secret UID (%s) does not match service account secret ref claim (%s)"},
		{schema.GroupKind{Kind: "Pod"}, b.Namespace, b.Pod, "pod UID (%s) does not match service account pod ref claim (%s)"},
		{schema.GroupKind{Kind: "Node"}, "", node, "node UID (%s) does not match service account node ref claim (%s)"},
		{schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}, "", b.Validating, "ValidatingWebhookConfiguration UID (%s) does not match claim (%s)"},
		{schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}, "", b.Mutating, "MutatingWebhookConfiguration UID (%s) does not match claim (%s)"},
	} {
		if one.ref == nil {
			continue
		}
		found, _ := s.Find(cluster.Key{GroupKind: one.kind, Namespace: one.namespace, Name: one.ref.Name})
		m, err := meta.Accessor(found.Object)
		if err != nil || m.GetDeletionTimestamp() != nil && m.GetDeletionTimestamp().Time.Before(gone) {
			return nil, errors.New("service account token has been invalidated")
		}
		if string(m.GetUID()) != one.ref.UID {
			return nil, fmt.Errorf(one.claim, m.GetUID(), one.ref.UID)
		}
	}
	info := &serviceaccount.ServiceAccountInfo{Namespace: b.Namespace, Name: b.Account.Name, UID: b.Account.UID}
	if c.ID != "" {
		info.CredentialID = "JTI=" + c.ID
	}
	b.Pod.into(&info.PodName, &info.PodUID)
	b.Node.into(&info.NodeName, &info.NodeUID)
	b.Validating.into(&info.ValidatingWebhookConfigurationName, &info.ValidatingWebhookConfigurationUID)
	b.Mutating.into(&info.MutatingWebhookConfigurationName, &info.MutatingWebhookConfigurationUID)
	info.AttestationAdmissionReviewAPIGroups = b.Attestations[authenticationv1.AttestationAdmissionReviewAPIGroups]
	return info, nil
}

// account returns the service account of a token in a Secret.
func (l *legacy) account(s *cluster.State, token, subject string) (*serviceaccount.ServiceAccountInfo, error) {
	secret, ok := find[*corev1.Secret](s, "Secret", l.Namespace, l.Secret)
	switch {
	case subject != serviceaccount.MakeUsername(l.Namespace, l.Account):
		return nil, errors.New("sub claim is invalid")
	case !ok || secret.DeletionTimestamp != nil:
		return nil, errors.New("Token has been invalidated")
	case subtle.ConstantTimeCompare(secret.Data[corev1.ServiceAccountTokenKey], []byte(token)) == 0:
		return nil, errors.New("Token does not match server's copy")
	}
	account, ok := find[*corev1.ServiceAccount](s, "ServiceAccount", l.Namespace, l.Account)
	switch {
	case !ok:
		return nil, apierrors.NewNotFound(corev1.Resource("serviceaccounts"), l.Account)
	case account.DeletionTimestamp != nil:
		return nil, fmt.Errorf("ServiceAccount %s/%s has been deleted", l.Namespace, l.Account)
	case string(account.UID) != l.AccountUID:
		return nil, fmt.Errorf("ServiceAccount UID (%s) does not match claim (%s)", account.UID, l.AccountUID)
	}
	const invalidSince = "kubernetes.io/legacy-token-invalid-since"
	if secret.Labels[invalidSince] != "" {
		return nil, fmt.Errorf("the token in secret %s/%s for service account %s/%s has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '%s' label from the secret to temporarily allow use of this token",
			l.Namespace, l.Secret, l.Namespace, l.Account, invalidSince)
	}
	return &serviceaccount.ServiceAccountInfo{Namespace: l.Namespace, Name: l.Account, UID: l.AccountUID}, nil
}
