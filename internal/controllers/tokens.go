package controllers

import (
	"context"
	"encoding/json"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// manager is the user of kube-controller-manager itself, as which its token controller acts.
var manager = authenticationv1.UserInfo{Username: "system:kube-controller-manager", Groups: []string{"system:authenticated"}}

var secretKind, accountKind = schema.GroupKind{Kind: "Secret"}, schema.GroupKind{Kind: "ServiceAccount"}

// fillToken gives token Secrets their token, and deletes those whose service account is deleted or does not exist:
// kubernetes/kubernetes:pkg/controller/serviceaccount/tokens_controller.go.
func fillToken(c *Controllers, ctx context.Context, e *store.Event) {
	switch {
	case c.options.Token == nil:
	case e.GroupKind == secretKind:
		if secret, ok := e.Change.After.Object.(*corev1.Secret); ok {
			c.fill(ctx, secret)
		}
	case e.GroupKind == accountKind && e.Change.After.Object == nil:
		for o := range c.cached().List(secretKind, e.Namespace) {
			if secret, ok := o.Object.(*corev1.Secret); ok && isTokenOf(secret, e.Name) {
				c.fill(ctx, secret)
			}
		}
	}
}

// fillTokenAtFirst does the same for the initial objects.
func fillTokenAtFirst(c *Controllers, object runtime.Object) {
	secret, ok := object.(*corev1.Secret)
	if !ok || c.options.Token == nil {
		return
	}
	if _, exists := c.accountOf(secret); exists { // otherwise the author of the cluster decides what happens to it
		c.fill(context.Background(), secret)
	}
}

func isTokenOf(secret *corev1.Secret, account string) bool {
	return secret.Type == corev1.SecretTypeServiceAccountToken && secret.Annotations[corev1.ServiceAccountNameKey] == account
}

// accountOf returns the service account whose token a Secret is for.
func (c *Controllers) accountOf(secret *corev1.Secret) (*corev1.ServiceAccount, bool) {
	account, ok := cluster.Get[*corev1.ServiceAccount](c.store.Latest().State(), accountKind, secret.Namespace, secret.Annotations[corev1.ServiceAccountNameKey])
	uid := secret.Annotations[corev1.ServiceAccountUIDKey]
	return account, ok && (uid == "" || uid == string(account.UID))
}

func (c *Controllers) fill(ctx context.Context, secret *corev1.Secret) {
	name := secret.Annotations[corev1.ServiceAccountNameKey]
	if name == "" || !isTokenOf(secret, name) {
		return
	}
	account, ok := c.accountOf(secret)
	if !ok {
		c.delete(ctx, manager, cluster.KeyOf(secret), map[string]any{"preconditions": map[string]any{"uid": secret.UID}})
		return
	}
	if len(secret.Data[corev1.ServiceAccountTokenKey]) > 0 && len(secret.Data[corev1.ServiceAccountNamespaceKey]) > 0 {
		return
	}
	filled := secret.DeepCopy()
	filled.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"}
	filled.Annotations[corev1.ServiceAccountUIDKey] = string(account.UID)
	if filled.Data == nil {
		filled.Data = map[string][]byte{}
	}
	fill := func(key string, value []byte) {
		if len(filled.Data[key]) == 0 {
			filled.Data[key] = value
		}
	}
	fill(corev1.ServiceAccountNamespaceKey, []byte(secret.Namespace))
	if ca, ok := cluster.Get[*corev1.ConfigMap](c.store.Latest().State(), schema.GroupKind{Kind: "ConfigMap"}, secret.Namespace, simulator.RootCA); ok {
		fill(corev1.ServiceAccountRootCAKey, []byte(ca.Data["ca.crt"]))
	}
	token, err := c.options.Token(account, secret.Name)
	if err != nil {
		c.failed(err)
		return
	}
	fill(corev1.ServiceAccountTokenKey, []byte(token))
	body, err := json.Marshal(filled)
	if err != nil {
		c.failed(err)
		return
	}
	c.do(ctx, rest.Request{Verb: rest.Update, Resource: corev1.SchemeGroupVersion.WithResource("secrets"), Namespace: secret.Namespace, Name: secret.Name, Body: body, User: manager})
}
