package subresources

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
)

// webhookTokensGate is the gate for tokens with which an API server authenticates to webhooks. Such a token is bound to
// a configuration, is valid only for the URL of one of its webhooks, and states which API group the reviews are about
// (PL-32): kubernetes/kubernetes:pkg/registry/core/serviceaccount/storage/token.go.
const webhookTokensGate = "APIServerWebhookAuthenticationToken"

// webhookTokenSeconds is the maximum lifetime of such a token.
const webhookTokenSeconds = 10 * 60

// bindWebhooks finds the configuration that a token is bound to, and refuses a token that is not for one of its
// webhooks.
func (r Request) bindWebhooks(t *authenticationv1.TokenRequest, gvk schema.GroupVersionKind, audiences []string, attest func(authorizer.AttributesRecord) error) (types.UID, error) {
	if !r.Release.Enabled(webhookTokensGate) {
		return "", badRequest("cannot bind token to object of type %s (feature gate %s is disabled)", gvk, webhookTokensGate)
	}
	if slices.ContainsFunc(audiences, func(own string) bool { return slices.Contains(t.Spec.Audiences, own) }) {
		return "", badRequest("api server audiences are invalid for webhook token requests")
	}
	seconds := min(*t.Spec.ExpirationSeconds, webhookTokenSeconds)
	t.Spec.ExpirationSeconds = &seconds
	group, audience := t.Spec.Attestations[authenticationv1.AttestationAdmissionReviewAPIGroups][0], t.Spec.Audiences[0]
	if err := attest(attestation(t, group)); err != nil {
		return "", err
	}
	object, found := r.State.Find(cluster.Key{GroupKind: gvk.GroupKind(), Name: t.Spec.BoundObjectRef.Name})
	if found {
		if group == "*" {
			return uidOf(object.Object), nil
		}
		for _, w := range objects.Webhooks(object.Object) {
			if reviews(w.Rules, group) && isFor(w.ClientConfig, audience) {
				return uidOf(object.Object), nil
			}
		}
	}
	return "", apierrors.NewForbidden(corev1.Resource("serviceaccounts/token"), r.Name, errors.New("token request denied"))
}

// attestation asks whether the service account may state that reviews are about a group.
func attestation(t *authenticationv1.TokenRequest, group string) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{
		User:            serviceaccount.UserInfo(t.Namespace, t.Name, string(t.UID)),
		Verb:            "attest",
		APIVersion:      "*",
		APIGroup:        authenticationv1.GroupName,
		Resource:        authenticationv1.AttestationAdmissionReviewAPIGroups,
		Name:            group,
		ResourceRequest: true,
	}
}

// reviews reports whether the rules of a webhook can select resources of a group.
func reviews(rules []admissionregistrationv1.RuleWithOperations, group string) bool {
	return slices.ContainsFunc(rules, func(r admissionregistrationv1.RuleWithOperations) bool {
		return slices.Contains(r.APIGroups, "*") || slices.Contains(r.APIGroups, group)
	})
}

// isFor reports whether an audience is the URL of a webhook.
func isFor(c admissionregistrationv1.WebhookClientConfig, audience string) bool {
	if c.URL != nil && *c.URL == audience {
		return true
	}
	if c.Service == nil {
		return false
	}
	port, path := int32(443), "/"
	if c.Service.Port != nil {
		port = *c.Service.Port
	}
	if c.Service.Path != nil {
		path = "/" + strings.TrimPrefix(*c.Service.Path, "/")
	}
	return audience == fmt.Sprintf("https://%s.%s.svc:%d%s", c.Service.Name, c.Service.Namespace, port, path)
}

func uidOf(object runtime.Object) types.UID {
	m, err := meta.Accessor(object)
	if err != nil {
		return ""
	}
	return m.GetUID()
}
