package tokens

import (
	"slices"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
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
func (c *Cluster) Issue(s *cluster.State, of *corev1.ServiceAccount, t *authenticationv1.TokenRequest, id types.UID, now time.Time) (string, error) {
	b := &bound{Namespace: of.Namespace, Account: reference{of.Name, string(of.UID)}}
	token := claims{
		Audience: t.Spec.Audiences, IssuedAt: now.Unix(), NotBefore: now.Unix(), Issuer: c.issuers[0], Bound: b,
		Subject: serviceaccount.MakeUsername(of.Namespace, of.Name),
	}
	if c.release.Has(kubeversion.TokensIdentified) {
		token.ID = string(id)
	}
	lasts := time.Hour
	if t.Spec.ExpirationSeconds != nil {
		lasts = time.Duration(*t.Spec.ExpirationSeconds) * time.Second
	}
	if ref := t.Spec.BoundObjectRef; ref != nil {
		b.Attestations = t.Spec.Attestations
		b.bind(s, ref, c.release.Has(kubeversion.TokensNameNodes))
		if b.Pod != nil && lasts == warnOnly*time.Second && c.extends(t.Spec.Audiences) {
			b.WarnAfter, lasts = now.Add(lasts).Unix(), extended
		}
	}
	token.Expiry = now.Add(lasts).Unix()
	return c.sign(token)
}

// extends reports whether the server extends the lifetime of tokens for an audience.
func (c *Cluster) extends(audiences []string) bool {
	return c.release.Has(kubeversion.TokensExtended) &&
		(slices.Equal(audiences, c.audiences) || !c.release.Has(kubeversion.TokensExtendedForServer))
}

// bind binds the token to an object. nodes says that the token of a pod names the node of the pod.
func (b *bound) bind(s *cluster.State, ref *authenticationv1.BoundObjectReference, nodes bool) {
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
		if nodes && ok && pod.Spec.NodeName != "" {
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
