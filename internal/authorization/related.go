package authorization

import (
	"iter"
	"slices"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
)

// What belongs to a node: kubernetes/kubernetes:plugin/pkg/auth/authorizer/node/graph.go. The server updates a graph
// with every write; here each question looks at the pods.

// podsOf yields the pods of a namespace that run on the node, except mirror pods: the node creates these itself, so
// they give it no access.
func (q nodeQuestion) podsOf(namespace string) iter.Seq[*corev1.Pod] {
	return func(yield func(*corev1.Pod) bool) {
		for o := range q.state.List(schema.GroupKind{Kind: "Pod"}, namespace) {
			pod, ok := o.Object.(*corev1.Pod)
			if !ok || pod.Spec.NodeName != q.node.name {
				continue
			}
			if _, mirror := pod.Annotations[corev1.MirrorPodAnnotationKey]; mirror {
				continue
			}
			if !yield(pod) {
				return
			}
		}
	}
}

// anyPod reports whether a pod of the node refers to the named object in the namespace.
func (q nodeQuestion) anyPod(namespace, name string, names func(*corev1.Pod) iter.Seq[string]) bool {
	for pod := range q.podsOf(namespace) {
		for one := range names(pod) {
			if one == name {
				return true
			}
		}
	}
	return false
}

func (q nodeQuestion) configMap() bool {
	if q.anyPod(q.GetNamespace(), q.GetName(), configMapNames) {
		return true
	}
	if !q.enabled("DynamicKubeletConfig") {
		return false
	}
	node, ok := cluster.Get[*corev1.Node](q.state, schema.GroupKind{Kind: "Node"}, "", q.node.name)
	if !ok || node.Spec.ConfigSource == nil || node.Spec.ConfigSource.ConfigMap == nil {
		return false
	}
	source := node.Spec.ConfigSource.ConfigMap
	return source.Namespace == q.GetNamespace() && source.Name == q.GetName()
}

// secret reports whether a pod refers to the secret, or a volume does whose claim a pod uses.
func (q nodeQuestion) secret() bool {
	if q.anyPod(q.GetNamespace(), q.GetName(), secretNames) {
		return true
	}
	for o := range q.state.List(schema.GroupKind{Kind: "PersistentVolume"}, "") {
		volume, ok := o.Object.(*corev1.PersistentVolume)
		if ok && q.isOfVolume(volume) && q.volumeIsUsed(volume) {
			return true
		}
	}
	return false
}

// isOfVolume reports whether the secret in question is one of a volume's.
func (q nodeQuestion) isOfVolume(volume *corev1.PersistentVolume) bool {
	return slices.Contains(volumeSecrets(volume), corev1.SecretReference{Namespace: q.GetNamespace(), Name: q.GetName()})
}

func (q nodeQuestion) claim() bool { return q.anyPod(q.GetNamespace(), q.GetName(), claimNames) }

func (q nodeQuestion) volume() bool {
	volume, ok := cluster.Get[*corev1.PersistentVolume](q.state, schema.GroupKind{Kind: "PersistentVolume"}, "", q.GetName())
	return ok && q.volumeIsUsed(volume)
}

func (q nodeQuestion) volumeIsUsed(volume *corev1.PersistentVolume) bool {
	ref := volume.Spec.ClaimRef
	return ref != nil && q.anyPod(ref.Namespace, ref.Name, claimNames)
}

func (q nodeQuestion) serviceAccount() bool {
	return q.anyPod(q.GetNamespace(), q.GetName(), func(pod *corev1.Pod) iter.Seq[string] {
		return func(yield func(string) bool) { yield(pod.Spec.ServiceAccountName) }
	})
}

func (q nodeQuestion) resourceClaim() bool {
	return q.anyPod(q.GetNamespace(), q.GetName(), resourceClaimNames)
}

// pod includes mirror pods.
func (q nodeQuestion) pod() bool {
	pod, ok := cluster.Get[*corev1.Pod](q.state, schema.GroupKind{Kind: "Pod"}, q.GetNamespace(), q.GetName())
	return ok && pod.Spec.NodeName == q.node.name
}

func (q nodeQuestion) attachment() bool {
	gk := schema.GroupKind{Group: storagev1.GroupName, Kind: "VolumeAttachment"}
	attachment, ok := cluster.Get[*storagev1.VolumeAttachment](q.state, gk, "", q.GetName())
	return ok && attachment.Spec.NodeName == q.node.name
}

func (q nodeQuestion) slice() bool {
	gk := schema.GroupKind{Group: resourcev1.GroupName, Kind: "ResourceSlice"}
	o, ok := q.state.Find(cluster.Key{GroupKind: gk, Name: q.GetName()})
	if !ok {
		return false
	}
	node, ok := nodeOfSlice(q.types, o.Object)
	return ok && node == q.node.name
}

// nodeOfSlice returns the node whose devices are in a slice, or "" if they do not belong to a single node. ok is false
// if the object is not a slice.
func nodeOfSlice(types *objects.Types, object runtime.Object) (node string, ok bool) {
	if first, ok := object.(*builtin.ResourceSliceV1alpha2); ok { // 1.30, which converts to no other
		return first.NodeName, true
	}
	slice, ok := as[*resourcev1.ResourceSlice](types, object, resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"))
	if !ok {
		return "", false
	}
	return ptr.Deref(slice.Spec.NodeName, ""), true
}

func (q nodeQuestion) podCertificate() bool {
	gk := schema.GroupKind{Group: certificatesv1.GroupName, Kind: "PodCertificateRequest"}
	o, ok := q.state.Find(cluster.Key{GroupKind: gk, Namespace: q.GetNamespace(), Name: q.GetName()})
	if !ok {
		return false
	}
	request, ok := as[*certificatesv1.PodCertificateRequest](q.types, o.Object, certificatesv1.SchemeGroupVersion.WithKind("PodCertificateRequest"))
	return ok && string(request.Spec.NodeName) == q.node.name
}

// as converts an object to the given version and Go type.
func as[T runtime.Object](types *objects.Types, object runtime.Object, gvk schema.GroupVersionKind) (t T, ok bool) {
	converted, err := types.Convert(object, gvk)
	if err != nil {
		return t, false
	}
	t, ok = converted.(T)
	return t, ok
}
