// Package bootstrap has what a kube-apiserver creates when it starts, before any controller has run: its namespaces and
// priority classes, and the roles and bindings that every cluster has, such as system:discovery, view and those of the
// controllers.
//
// Start with [State]; [Plugins] returns which admission plugins run. The roles of a release are listed in roles.txt,
// which internal/release generates from Kubernetes' own source. They are only built when they are first needed, since
// most requests do not need them. The package answers no questions about them.
package bootstrap

import (
	"fmt"
	"hash/fnv"
	"io"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// State returns the cluster of a server that has just started.
func State(r *kubeversion.Release) *cluster.State {
	s := cluster.New()
	for _, name := range namespaces(r) {
		var labels map[string]string
		if r.Has(kubeversion.NamespacesNamedInLabels) {
			labels = map[string]string{corev1.LabelMetadataName: name}
		}
		s = s.With(cluster.Object{Object: &corev1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: completed(name, metav1.ObjectMeta{Name: name, Labels: labels}),
			Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
			Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
		}})
	}
	if r.Has(kubeversion.CriticalClassesStored) {
		s = s.With(
			priorityClass("system-cluster-critical", 2_000_000_000, "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."),
			priorityClass("system-node-critical", 2_000_001_000, "Used for system critical pods that must not be moved from their current node."),
		)
	}
	for _, kind := range Kinds() {
		s = s.WithInitial(groupKind(kind), func() []cluster.Object { return roles(r, kind) })
	}
	return s
}

// namespaces returns the namespaces that the server creates.
func namespaces(r *kubeversion.Release) []string {
	names := []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}
	if r.Has(kubeversion.NodeLeases) {
		names = append(names, corev1.NamespaceNodeLease)
	}
	return names
}

func groupKind(kind string) schema.GroupKind {
	return schema.GroupKind{Group: rbacv1.GroupName, Kind: kind}
}

// roles returns the objects of one kind, with the metadata that the server sets on stored objects.
func roles(r *kubeversion.Release, kind string) []cluster.Object {
	var list []cluster.Object
	for _, object := range known().Objects(kind, r.Minor, r.Enabled) {
		if m, err := meta.Accessor(object); err == nil {
			given := completed(kind+"/"+m.GetNamespace()+"/"+m.GetName(), metav1.ObjectMeta{})
			m.SetUID(given.UID)
			m.SetResourceVersion(given.ResourceVersion)
			m.SetCreationTimestamp(given.CreationTimestamp)
		}
		list = append(list, cluster.Object{Object: object})
	}
	return list
}

func priorityClass(name string, value int32, description string) cluster.Object {
	preempt := corev1.PreemptLowerPriority
	return cluster.Object{Object: &schedulingv1.PriorityClass{
		TypeMeta:         metav1.TypeMeta{APIVersion: schedulingv1.SchemeGroupVersion.String(), Kind: "PriorityClass"},
		ObjectMeta:       completed(name, metav1.ObjectMeta{Name: name, Generation: 1}),
		Value:            value,
		Description:      description,
		PreemptionPolicy: &preempt,
	}}
}

// completed adds the metadata that the server sets on stored objects. The UID is derived from text.
func completed(text string, m metav1.ObjectMeta) metav1.ObjectMeta {
	m.UID = types.UID(uids + Digits(text))
	m.ResourceVersion = "1"
	m.CreationTimestamp = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return m
}

// Digits returns twelve hexadecimal digits derived from a name, for the end of a UID.
func Digits(name string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // never fails
	return fmt.Sprintf("%012x", h.Sum64()&(1<<48-1))
}
