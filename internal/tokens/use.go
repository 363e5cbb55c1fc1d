package tokens

import (
	"crypto/subtle"
	"encoding/json"
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
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// A use is the use of one token. What the server does meanwhile is in the step.
type use struct {
	token   string
	state   *cluster.State
	release *kubeversion.Release
	now     time.Time
	trace.Step
}

// leeway allows for clocks that differ, and for objects that are being deleted.
const leeway = time.Minute

// find returns an object. If the caches of the server do not have it, the server asks itself:
// kubernetes/kubernetes:pkg/controller/serviceaccount/tokengetter.go.
func (u *use) find(resource schema.GroupVersionResource, kind, namespace, name string) (object metav1.Object, ok bool) {
	found, ok := u.state.Find(cluster.Key{GroupKind: schema.GroupKind{Group: resource.Group, Kind: kind}, Namespace: namespace, Name: name})
	if !ok {
		u.LookUp(0, resource, namespace, name, false)
		return nil, false
	}
	object, err := meta.Accessor(found.Object)
	return object, err == nil
}

var (
	accounts       = corev1.SchemeGroupVersion.WithResource("serviceaccounts")
	secrets        = corev1.SchemeGroupVersion.WithResource("secrets")
	pods           = corev1.SchemeGroupVersion.WithResource("pods")
	nodes          = corev1.SchemeGroupVersion.WithResource("nodes")
	configurations = schema.GroupVersion{Group: "admissionregistration.k8s.io", Version: "v1"}
)

// account returns the service account of a token, or an error if the token is no longer valid (PL-22a):
// kubernetes/kubernetes:pkg/serviceaccount/claims.go.
func (u *use) account(c *claims) (*serviceaccount.ServiceAccountInfo, error) {
	switch {
	case c.Issuer == legacyIssuer:
		return u.legacyAccount(&c.legacy, c.Subject)
	case c.Bound == nil:
		return nil, errUnknown
	case u.now.Add(-leeway).After(time.Unix(c.Expiry, 0)):
		return nil, errors.New("service account token has expired")
	case u.now.Add(leeway).Before(time.Unix(c.NotBefore, 0)):
		return nil, errors.New("service account token is not valid yet")
	}
	b := c.Bound
	account, ok := u.find(accounts, "ServiceAccount", b.Namespace, b.Account.Name)
	switch {
	case !ok:
		return nil, apierrors.NewNotFound(corev1.Resource("serviceaccounts"), b.Account.Name)
	case string(account.GetUID()) != b.Account.UID:
		return nil, fmt.Errorf("service account UID (%s) does not match claim (%s)", account.GetUID(), b.Account.UID)
	case u.isGone(account):
		return nil, fmt.Errorf("service account %s/%s has been deleted", b.Namespace, b.Account.Name)
	}
	if err := u.checkBound(b); err != nil {
		return nil, err
	}
	if after := time.Unix(b.WarnAfter, 0); b.WarnAfter != 0 && u.now.After(after) {
		u.Annotate(trace.Annotation{
			Key:   "authentication.k8s.io/stale-token",
			Value: fmt.Sprintf("subject: %s, seconds after warning threshold: %d", c.Subject, u.now.Unix()-b.WarnAfter),
		})
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

// isGone reports whether an object was deleted so long ago that tokens bound to it are no longer valid.
func (u *use) isGone(object metav1.Object) bool {
	deleted := object.GetDeletionTimestamp()
	return deleted != nil && deleted.Time.Before(u.now.Add(-leeway))
}

// checkBound refuses a token if an object that it is bound to is gone.
func (u *use) checkBound(b *bound) error {
	node := b.Node
	if b.Pod != nil {
		node = nil // the node only tells where the pod runs
	}
	for _, one := range []struct {
		resource        schema.GroupVersionResource
		kind, namespace string
		ref             *reference
		claim           string
	}{
		{secrets, "Secret", b.Namespace, b.Secret, "secret UID (%s) does not match service account secret ref claim (%s)"},
		{pods, "Pod", b.Namespace, b.Pod, "pod UID (%s) does not match service account pod ref claim (%s)"},
		{nodes, "Node", "", node, "node UID (%s) does not match service account node ref claim (%s)"},
		{configurations.WithResource("validatingwebhookconfigurations"), "ValidatingWebhookConfiguration", "", b.Validating, "ValidatingWebhookConfiguration UID (%s) does not match claim (%s)"},
		{configurations.WithResource("mutatingwebhookconfigurations"), "MutatingWebhookConfiguration", "", b.Mutating, "MutatingWebhookConfiguration UID (%s) does not match claim (%s)"},
	} {
		if one.ref == nil {
			continue
		}
		object, ok := u.find(one.resource, one.kind, one.namespace, one.ref.Name)
		if !ok || u.isGone(object) {
			return errors.New("service account token has been invalidated")
		}
		if string(object.GetUID()) != one.ref.UID {
			return fmt.Errorf(one.claim, object.GetUID(), one.ref.UID)
		}
	}
	return nil
}

// legacyAccount returns the service account of a token in a Secret: kubernetes/kubernetes:pkg/serviceaccount/legacy.go.
func (u *use) legacyAccount(l *legacy, subject string) (*serviceaccount.ServiceAccountInfo, error) {
	if subject != serviceaccount.MakeUsername(l.Namespace, l.Account) {
		return nil, errors.New("sub claim is invalid")
	}
	object, _ := u.find(secrets, "Secret", l.Namespace, l.Secret)
	secret, ok := object.(*corev1.Secret)
	switch {
	case !ok || secret.DeletionTimestamp != nil:
		return nil, errors.New("Token has been invalidated")
	case subtle.ConstantTimeCompare(secret.Data[corev1.ServiceAccountTokenKey], []byte(u.token)) == 0:
		return nil, errors.New("Token does not match server's copy")
	}
	object, _ = u.find(accounts, "ServiceAccount", l.Namespace, l.Account)
	account, ok := object.(*corev1.ServiceAccount)
	switch {
	case !ok:
		return nil, apierrors.NewNotFound(corev1.Resource("serviceaccounts"), l.Account)
	case account.DeletionTimestamp != nil:
		return nil, fmt.Errorf("ServiceAccount %s/%s has been deleted", l.Namespace, l.Account)
	case string(account.UID) != l.AccountUID:
		return nil, fmt.Errorf("ServiceAccount UID (%s) does not match claim (%s)", account.UID, l.AccountUID)
	}
	if err := u.track(secret, account); err != nil {
		return nil, err
	}
	return &serviceaccount.ServiceAccountInfo{Namespace: l.Namespace, Name: l.Account, UID: l.AccountUID}, nil
}

const (
	invalidSince = "kubernetes.io/legacy-token-invalid-since"
	lastUsed     = "kubernetes.io/legacy-token-last-used"
)

// track notes that the token in a Secret is used, and refuses it if it was marked as invalid.
func (u *use) track(secret *corev1.Secret, account *corev1.ServiceAccount) error {
	if !u.release.Has(kubeversion.LegacyTokensTracked) {
		return nil
	}
	audited := u.release.Has(kubeversion.LegacyTokensAudited)
	u.label(secret, audited)
	if audited && secret.Labels[invalidSince] != "" {
		return fmt.Errorf("the token in secret %s/%s for service account %s/%s has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '%s' label from the secret to temporarily allow use of this token",
			secret.Namespace, secret.Name, account.Namespace, account.Name, invalidSince)
	}
	by := "manual"
	if slices.ContainsFunc(account.Secrets, func(ref corev1.ObjectReference) bool { return ref.Name == secret.Name }) {
		by = "autogenerated"
		u.Warn("Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.")
	}
	if audited {
		u.Annotate(trace.Annotation{Key: "authentication.k8s.io/legacy-token-" + by + "-secret", Value: secret.Name})
	}
	return nil
}

// A patch of labels, in the order of the server.
type patch struct {
	Kind       string `json:"kind"`
	APIVersion string `json:"apiVersion"`
	Metadata   struct {
		Name      string            `json:"name"`
		Namespace string            `json:"namespace"`
		UID       types.UID         `json:"uid,omitempty"`
		Labels    map[string]string `json:"labels"`
	} `json:"metadata"`
}

// label sends a patch by which a Secret says on which day its token was last used, unless it already says so.
func (u *use) label(secret *corev1.Secret, withUID bool) {
	today, tomorrow := u.now.UTC().Format(time.DateOnly), u.now.UTC().AddDate(0, 0, 1).Format(time.DateOnly)
	if day := secret.Labels[lastUsed]; day == today || day == tomorrow {
		return
	}
	patch := patch{Kind: "Secret", APIVersion: "v1"}
	patch.Metadata.Name, patch.Metadata.Namespace, patch.Metadata.Labels = secret.Name, secret.Namespace, map[string]string{lastUsed: today}
	if withUID {
		patch.Metadata.UID = secret.UID
	}
	body, _ := json.Marshal(patch) // of strings, so it cannot fail
	u.Send(0, trace.Sent{Verb: "patch", Resource: secrets, Namespace: secret.Namespace, Name: secret.Name, Body: body})
}
