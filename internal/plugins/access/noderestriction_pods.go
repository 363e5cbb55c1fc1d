package access

import (
	"fmt"
	"maps"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// pods checks requests for pods: a kubelet creates mirror pods for its static pods, reports the status of its pods and
// deletes them.
func (r nodeRequest) pods() (trace.Step, error) {
	switch r.Subresource {
	case "":
		return r.pod()
	case "status":
		return r.podStatus()
	case "eviction":
		return r.eviction()
	}
	if !r.release.Has(kubeversion.NodePodVerbs) {
		return r.forbid("unexpected pod subresource %q", r.Subresource), nil
	}
	return r.forbid("unexpected pod subresource %q, only 'status' and 'eviction' are allowed", r.Subresource), nil // NR-32
}

func (r nodeRequest) pod() (trace.Step, error) {
	switch r.Operation {
	case admissionv1.Create:
		return r.createPod()
	case admissionv1.Delete: // NR-21
		pod, err := plugin.OldObjectOf[*corev1.Pod](r.Request)
		if err != nil {
			return r.step, err
		}
		if r.release.Has(kubeversion.PodsOfNodesCached) && !objects.IsCached(pod, r.release) {
			return r.lacksPod(r.Name), nil
		}
		if pod.Spec.NodeName != r.node {
			return r.forbid("node %q can only delete pods with spec.nodeName set to itself", r.node), nil
		}
		return r.fine()
	}
	if !r.release.Has(kubeversion.NodePodVerbs) {
		return r.forbid("unexpected operation %q", r.Operation), nil
	}
	return r.forbid("unexpected operation %q, node %q can only create and delete mirror pods", r.Operation, r.node), nil // NR-22
}

// createPod accepts mirror pods on the kubelet's own node that the node owns (NR-10 to NR-19).
func (r nodeRequest) createPod() (trace.Step, error) {
	pod, err := plugin.ObjectOf[*corev1.Pod](r.Request)
	if err != nil {
		return r.step, err
	}
	switch {
	case !plugin.IsMirror(pod):
		return r.forbid("pod does not have %q annotation, node %q can only create mirror pods", corev1.MirrorPodAnnotationKey, r.node), nil
	case pod.Spec.NodeName != r.node:
		return r.forbid("node %q can only create pods with spec.nodeName set to itself", r.node), nil
	}
	if !r.release.Has(kubeversion.MirrorPodOwners) {
		return r.mirrorReferences(pod)
	}
	switch {
	case len(pod.OwnerReferences) > 1:
		return r.forbid("node %q can only create pods with a single owner reference set to itself", r.node), nil
	case len(pod.OwnerReferences) == 0:
		return r.forbid("node %q can only create pods with an owner reference set to itself", r.node), nil
	}
	owner := pod.OwnerReferences[0]
	switch {
	case owner.APIVersion != "v1" || owner.Kind != "Node" || owner.Name != r.node:
		return r.forbid("node %q can only create pods with an owner reference set to itself", r.node), nil
	case owner.Controller == nil || !*owner.Controller:
		return r.forbid("node %q can only create pods with a controller owner reference set to itself", r.node), nil
	case owner.BlockOwnerDeletion != nil && *owner.BlockOwnerDeletion:
		return r.forbid("node %q must not set blockOwnerDeletion on an owner reference", r.node), nil
	}
	found, _ := r.cluster.Find(cluster.Key{GroupKind: plugin.NodeKind, Name: r.node})
	node, ok := found.Object.(*corev1.Node)
	if !ok {
		r.step = plugin.Lacking(r.step, "Node", "", r.node)
		return r.fail(apierrors.NewNotFound(schema.GroupResource{Resource: "node"}, r.node)), nil
	}
	if owner.UID != node.UID {
		return plugin.DecidedBy(r.forbid("node %s UID mismatch: expected %s got %s", r.node, owner.UID, node.UID), found), nil
	}
	return r.mirrorReferences(pod)
}

// mirrorReferences refuses a mirror pod that refers to API objects.
func (r nodeRequest) mirrorReferences(pod *corev1.Pod) (trace.Step, error) {
	what, err := referenceOf(pod, r.release)
	switch {
	case err != nil:
		return r.forbid("error checking mirror pod for API references: %v", err), nil
	case what != "":
		return r.forbid("node %q can not create pods that reference %s", r.node, what), nil
	}
	return r.fine()
}

// podStatus checks status updates: a kubelet updates the status of its own pods, and nothing else (NR-23 to NR-27).
func (r nodeRequest) podStatus() (trace.Step, error) {
	if r.Operation != admissionv1.Update {
		return r.forbid("unexpected operation %q", r.Operation), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](r.Request)
	if err != nil {
		return r.step, err
	}
	old, err := plugin.OldObjectOf[*corev1.Pod](r.Request)
	if err != nil {
		return r.step, err
	}
	switch {
	case old.Spec.NodeName != r.node:
		return r.forbid("node %q can only update pod status for pods with spec.nodeName set to itself", r.node), nil
	case r.release.Has(kubeversion.MirrorPodOwners) && !maps.Equal(old.Labels, pod.Labels):
		return r.forbid("node %q cannot update labels through pod status", r.node), nil
	case r.release.Has(kubeversion.NodeClaimStatusesKept) && !semantic.DeepEqual(old.Status.ResourceClaimStatuses, pod.Status.ResourceClaimStatuses):
		return r.forbid("node %q cannot update resource claim statues", r.node), nil
	case !semantic.DeepEqual(old.Status.ExtendedResourceClaimStatus, pod.Status.ExtendedResourceClaimStatus):
		return r.forbid("node %q cannot update extended resource claim status", r.node), nil
	case r.release.Has(kubeversion.NodeAllocatableStatusesKept) && !sameAllocatable(old, pod):
		return r.forbid("node %q cannot update node allocatable resource claim statuses", r.node), nil
	}
	return r.fine()
}

// sameAllocatable reports whether two states of a pod have the same claims for resources that its node can allocate
// (NR-33).
func sameAllocatable(a, b *corev1.Pod) bool {
	return semantic.DeepEqual(a.Status.NodeAllocatableResourceClaimStatuses, b.Status.NodeAllocatableResourceClaimStatuses)
}

// eviction checks evictions: a kubelet evicts its own pods (NR-28 to NR-31).
func (r nodeRequest) eviction() (trace.Step, error) {
	if r.Operation != admissionv1.Create {
		return r.forbid("unexpected operation %s", r.Operation), nil
	}
	name := r.Name
	if m, err := meta.Accessor(r.Object); name == "" && err == nil {
		name = m.GetName()
	}
	if name == "" {
		return r.forbid("could not determine pod from request data"), nil
	}
	found, pod := r.findPod(name)
	if pod == nil {
		return r.lacksPod(name), nil
	}
	if pod.Spec.NodeName != r.node {
		return plugin.DecidedBy(r.forbid("node %s can only evict pods with spec.nodeName set to itself", r.node), found), nil
	}
	return r.fine()
}

func (r nodeRequest) findPod(name string) (cluster.Object, *corev1.Pod) {
	s := r.cluster
	if !r.release.Has(kubeversion.PodsOfNodesCached) {
		s = s.Live()
	}
	found, _ := s.Find(cluster.Key{GroupKind: plugin.PodKind, Namespace: r.Namespace, Name: name})
	pod, _ := found.Object.(*corev1.Pod)
	return found, pod
}

// lacksPod refuses a request about a pod that does not exist (NR-29), or that caches do not have (NR-34).
func (r nodeRequest) lacksPod(name string) trace.Step {
	resource := "pod"
	if !r.release.Has(kubeversion.PodsOfNodesCached) {
		resource = "pods" // in the words of a GET
	}
	step := plugin.Lacking(r.fail(apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name)), "Pod", r.Namespace, name)
	if _, exists := r.cluster.Live().Find(cluster.Key{GroupKind: plugin.PodKind, Namespace: r.Namespace, Name: name}); exists {
		step.Hint = fmt.Sprintf("Pod %q exists, but nobody has initialized it, and the server's caches lack it until then", name)
	}
	return step
}
