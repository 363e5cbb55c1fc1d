package simulator

import (
	"fmt"
	"hash/fnv"
	"io"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/objects/scheduling"
	"github.com/admsim/admsim/pkg/cluster"
)

// Bootstrap is the cluster that a kube-apiserver makes for itself when it starts, before
// any controller ran: its namespaces, priority classes, and who may do everything.
func Bootstrap() *cluster.State {
	s := cluster.New()
	for _, name := range []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease} {
		s = s.With(cluster.Object{Object: &corev1.Namespace{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"},
			ObjectMeta: bootstrapped(name, metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelMetadataName: name}}),
			Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}},
			Status:     corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
		}})
	}
	return s.With(
		priorityClass("system-cluster-critical", "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary."),
		priorityClass("system-node-critical", "Used for system critical pods that must not be moved from their current node."),
		cluster.Object{Object: &rbacv1.ClusterRole{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"},
			ObjectMeta: bootstrapped("role", clusterAdmin()),
			Rules: []rbacv1.PolicyRule{
				{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}},
				{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}},
			},
		}},
		cluster.Object{Object: &rbacv1.ClusterRoleBinding{
			TypeMeta:   metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRoleBinding"},
			ObjectMeta: bootstrapped("binding", clusterAdmin()),
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: "system:masters"}},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		}},
	)
}

func priorityClass(name, description string) cluster.Object {
	value, _ := scheduling.SystemPriority(name)
	preempt := corev1.PreemptLowerPriority
	return cluster.Object{Object: &schedulingv1.PriorityClass{
		TypeMeta:         metav1.TypeMeta{APIVersion: schedulingv1.SchemeGroupVersion.String(), Kind: "PriorityClass"},
		ObjectMeta:       bootstrapped(name, metav1.ObjectMeta{Name: name, Generation: 1}),
		Value:            value,
		Description:      description,
		PreemptionPolicy: &preempt,
	}}
}

// clusterAdmin is what the server says of the role, and of its binding, that it keeps up to date.
func clusterAdmin() metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:        "cluster-admin",
		Labels:      map[string]string{"kubernetes.io/bootstrapping": "rbac-defaults"},
		Annotations: map[string]string{rbacv1.AutoUpdateAnnotationKey: "true"},
	}
}

// bootstrapped adds what the server gives to all that it keeps. Its uid is that of a text.
func bootstrapped(text string, m metav1.ObjectMeta) metav1.ObjectMeta {
	m.UID = types.UID("00000000-0000-4000-9000-" + padded(text))
	m.ResourceVersion = "1"
	m.CreationTimestamp = metav1.NewTime(start())
	return m
}

// padded makes twelve hexadecimal digits of a name.
func padded(name string) string {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name) // never fails
	return fmt.Sprintf("%012x", h.Sum64()&(1<<48-1))
}
