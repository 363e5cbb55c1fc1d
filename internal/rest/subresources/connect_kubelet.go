package subresources

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// container checks for the container of an exec or attach request, in the order of
// kubernetes/kubernetes:pkg/registry/core/pod/strategy.go, streamLocation.
func (r Request) container(container string) error {
	pod, err := coreObject[*corev1.Pod](r, "Pod", r.Name)
	if err != nil {
		return err
	}
	if err := hasContainer(pod, container); err != nil {
		return err
	}
	return r.kubelet()
}

// kubelet checks for the node of the pod.
func (r Request) kubelet() error {
	pod, err := coreObject[*corev1.Pod](r, "Pod", r.Name)
	if err != nil {
		return err
	}
	if pod.Spec.NodeName == "" {
		return unsimulated{badRequest("pod %s does not have a host assigned", pod.Name)}
	}
	if _, err := r.kubeletHost(pod.Spec.NodeName); err != nil {
		return unsimulated{err}
	}
	return unsimulated{errNoUpgrade()}
}

// hasContainer returns an error if the pod does not have the container, or if none is named and there are several.
func hasContainer(pod *corev1.Pod, container string) error {
	switch names := containersOf(pod); {
	case container != "" && slices.Contains(names, container):
		return nil
	case container != "":
		return badRequest("container %s is not valid for pod %s", container, pod.Name)
	case len(pod.Spec.Containers) == 1:
		return nil
	case len(pod.Spec.Containers) == 0:
		return badRequest("a container name must be specified for pod %s", pod.Name)
	default:
		return badRequest("a container name must be specified for pod %s, choose one of: %s", pod.Name, names)
	}
}

func containersOf(pod *corev1.Pod) (names []string) {
	for _, c := range pod.Spec.InitContainers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.Containers {
		names = append(names, c.Name)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		names = append(names, c.Name)
	}
	return names
}

// kubeletHost returns the host where the server connects to the kubelet of a node. A NotFound error names the resource
// of the request.
func (r Request) kubeletHost(name string) (string, error) {
	node, err := coreObject[*corev1.Node](r, "Node", name)
	if err != nil {
		return "", err
	}
	preferred := []corev1.NodeAddressType{corev1.NodeHostName, corev1.NodeInternalDNS, corev1.NodeInternalIP, corev1.NodeExternalDNS, corev1.NodeExternalIP}
	for _, kind := range preferred {
		for _, address := range node.Status.Addresses {
			if address.Type == kind {
				return address.Address, nil
			}
		}
	}
	return "", fmt.Errorf("no preferred addresses found; known addresses: %v", node.Status.Addresses)
}

// coreObject returns the object of that kind and name, in the namespace of the request if the kind is namespaced. The
// server looks up such objects with the current request's information, so its NotFound error names the resource of the
// request.
func coreObject[T runtime.Object](r Request, kind, name string) (T, error) {
	namespace := r.Namespace
	if kind == "Node" {
		namespace = ""
	}
	object, ok := cluster.Get[T](r.State, schema.GroupKind{Kind: kind}, namespace, name)
	if !ok {
		return object, apierrors.NewNotFound(r.Resource, name)
	}
	return object, nil
}

// Log checks for the source of a pod's log. For a pod that was never scheduled it returns no error: its log is empty.
// For any other pod the server asks the kubelet.
func (r Request) Log(container string) error {
	pod, err := coreObject[*corev1.Pod](r, "Pod", r.Name)
	if err != nil {
		return err
	}
	if err := hasContainer(pod, container); err != nil {
		return err
	}
	if pod.Spec.NodeName == "" {
		return nil
	}
	host, err := r.kubeletHost(pod.Spec.NodeName)
	if err != nil {
		return err
	}
	return fmt.Errorf("nothing listens at %s: no kubelet runs in a simulated cluster", fmt.Sprintf("%s:10250", host))
}
