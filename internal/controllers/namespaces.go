package controllers

import (
	"context"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

var (
	namespaceKind = schema.GroupKind{Kind: "Namespace"}
	namespaces    = corev1.SchemeGroupVersion.WithResource("namespaces")
)

// activeNamespace returns the namespace of an event, if objects can be created in it.
func activeNamespace(e *store.Event) (*corev1.Namespace, bool) {
	ns, ok := e.After.Object.(*corev1.Namespace)
	return ns, ok && ns.DeletionTimestamp == nil
}

// addAccount gives each namespace its default service account, also after that was deleted:
// kubernetes/kubernetes:pkg/controller/serviceaccount/serviceaccounts_controller.go.
func addAccount(c *Controllers, ctx context.Context, e *store.Event) {
	lost := e.GroupKind == schema.GroupKind{Kind: "ServiceAccount"} && e.Name == "default" && e.After.Object == nil
	if namespace, ok := c.lacking(e, lost, "ServiceAccount", "default"); ok {
		c.create(ctx, as("service-account-controller"), corev1.SchemeGroupVersion.WithResource("serviceaccounts"), &corev1.ServiceAccount{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"},
			ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: namespace},
		})
	}
}

// addCertificate gives each namespace the server's CA certificate:
// kubernetes/kubernetes:pkg/controller/certificates/rootcacertpublisher/publisher.go.
func addCertificate(c *Controllers, ctx context.Context, e *store.Event) {
	lost := e.GroupKind == schema.GroupKind{Kind: "ConfigMap"} && e.Name == simulator.RootCA && e.After.Object == nil
	namespace, lacks := c.lacking(e, lost, "ConfigMap", simulator.RootCA)
	if certificate, published := simulator.RootCertificate(namespace, c.store.Latest().Release()); lacks && published {
		c.create(ctx, as("root-ca-cert-publisher"), corev1.SchemeGroupVersion.WithResource("configmaps"), certificate)
	}
}

// lacking returns the namespace in which an object may be missing after an event, if it is missing.
func (c *Controllers) lacking(e *store.Event, lost bool, kind, name string) (namespace string, ok bool) {
	if ns, made := activeNamespace(e); made {
		namespace = ns.Name
	} else if lost {
		namespace = e.Namespace
	} else {
		return "", false
	}
	state := c.store.Latest().State()
	ns, ok := cluster.Get[*corev1.Namespace](state, namespaceKind, "", namespace)
	if !ok || ns.DeletionTimestamp != nil {
		return "", false
	}
	_, exists := state.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: kind}, Namespace: namespace, Name: name})
	return namespace, !exists
}

// emptyNamespace deletes the objects in a terminating namespace, and then finalizes it:
// kubernetes/kubernetes:pkg/controller/namespace/deletion/namespaced_resources_deleter.go. Objects with finalizers are
// deleted again when they change.
func emptyNamespace(c *Controllers, ctx context.Context, e *store.Event) {
	name := e.Namespace
	if e.GroupKind == namespaceKind {
		name = e.Name
	} else if e.After.Object != nil && name != "" && e.Before.Object != nil {
		return // only deletions and late creations matter
	}
	ns, ok := cluster.Get[*corev1.Namespace](c.cached(), namespaceKind, "", name)
	if !ok || ns.DeletionTimestamp == nil || !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
		return
	}
	user := as("namespace-controller")
	for _, k := range c.within(name) {
		c.delete(ctx, user, k, map[string]any{"propagationPolicy": "Background"})
	}
	if len(c.within(name)) > 0 {
		return // the controller runs again when the last object is gone
	}
	ns, ok = cluster.Get[*corev1.Namespace](c.store.Latest().State(), namespaceKind, "", name)
	if !ok {
		return
	}
	ns = ns.DeepCopy()
	ns.Spec.Finalizers = slices.DeleteFunc(ns.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	ns.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}
	ns.ResourceVersion = ""
	body, err := json.Marshal(ns)
	if err != nil {
		c.failed(err)
		return
	}
	c.do(ctx, rest.Request{Verb: rest.Update, Resource: namespaces, Subresource: "finalize", Name: name, Namespace: name, Body: body, User: user})
}

// within returns all objects in a namespace, including those that are already being deleted.
func (c *Controllers) within(namespace string) (keys []cluster.Key) {
	state := c.store.Latest().State()
	seen := map[schema.GroupKind]bool{}
	for _, r := range c.store.Latest().Resources().All() {
		kind := r.Storage.GroupKind()
		if !r.Namespaced || seen[kind] || !slices.Contains(r.Verbs, "delete") {
			continue
		}
		seen[kind] = true
		for o := range state.List(kind, namespace) {
			keys = append(keys, cluster.KeyOf(o.Object))
		}
	}
	return keys
}
