package bootstrap

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The prefixes of the UIDs of the objects that a server creates.
const (
	uids          = "00000000-0000-4000-9000-"
	uidsOfAddress = "00000000-0000-4000-9002-"
)

// manager is the field manager of the objects that a server creates.
const manager = "kube-apiserver"

// Stored returns the cluster as a server has it that stored all objects at a given time. Objects without a creation
// timestamp get it. The objects that the server creates itself also get managedFields, if the release has them.
func Stored(s *cluster.State, r *kubeversion.Release, at metav1.Time) *cluster.State {
	next := s
	for o := range s.All() {
		m, err := meta.Accessor(o.Object)
		if err != nil {
			continue
		}
		object := cluster.ShallowCopy(o.Object)
		switch {
		case isOwn(o.Object, m):
			if r.Has(kubeversion.ManagedFields) {
				object = owned(object, at)
			}
		case m.GetCreationTimestamp().Time.IsZero():
		default:
			continue
		}
		if m, err := meta.Accessor(object); err == nil {
			m.SetCreationTimestamp(at)
		}
		next = next.With(o.Replaced(object))
	}
	return next
}

// isOwn reports whether the server created an object and nothing has changed it since.
func isOwn(object runtime.Object, m metav1.Object) bool {
	if _, isTree := object.(*unstructured.Unstructured); isTree || len(m.GetManagedFields()) > 0 {
		return false
	}
	return strings.HasPrefix(string(m.GetUID()), uids) || strings.HasPrefix(string(m.GetUID()), uidsOfAddress)
}

// owned makes the server the owner of the fields of an object. It modifies the object, which must not be shared yet.
func owned(object runtime.Object, at metav1.Time) runtime.Object {
	target := managedfields.Target{Kind: object.GetObjectKind().GroupVersionKind(), Reset: given(object)}
	object = target.TrackNew(object, managedfields.Writer{Manager: manager, Now: at})
	if target.Kind.Kind == "ServiceCIDR" {
		addStatusOwner(object, at)
	}
	return object
}

// given returns the fields that no client writes: the server sets them when it stores an object.
func given(object runtime.Object) [][]string {
	fields := [][]string{{"status"}}
	switch object.(type) {
	case *corev1.Namespace:
		fields = append(fields, []string{"spec", "finalizers"})
	case *corev1.Service:
		fields = append(fields, []string{"spec", "clusterIPs"}, []string{"spec", "ipFamilies"})
	}
	return fields
}

// addStatusOwner adds the owner of the condition that a ServiceCIDR is ready:
// kubernetes/kubernetes:pkg/controlplane/controller/defaultservicecidr/default_servicecidr_controller.go, syncStatus.
func addStatusOwner(object runtime.Object, at metav1.Time) {
	m, err := meta.Accessor(object)
	if err != nil {
		return
	}
	const ready = `{"f:status":{"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastTransitionTime":{},"f:message":{},"f:status":{},"f:type":{}}}}}`
	m.SetManagedFields(slices.Concat([]metav1.ManagedFieldsEntry{{
		Manager: "kubernetes-service-cidr-controller", Operation: metav1.ManagedFieldsOperationApply, Subresource: "status",
		APIVersion: "networking.k8s.io/v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(ready)},
	}}, m.GetManagedFields()))
}
