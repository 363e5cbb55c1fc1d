package rest

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// reachContainer looks for the container that exec and attach want, in the order of
// kubernetes/kubernetes:pkg/registry/core/pod/strategy.go, streamLocation.
func (x *exchange) reachContainer(container string) error {
	pod, err := coreObject[*corev1.Pod](x, "Pod", x.req.Name)
	if err != nil {
		return err
	}
	if err := hasContainer(pod, container); err != nil {
		return err
	}
	return x.reachKubelet()
}

// reachKubelet looks for the node of the pod.
func (x *exchange) reachKubelet() error {
	pod, err := coreObject[*corev1.Pod](x, "Pod", x.req.Name)
	if err != nil {
		return err
	}
	if pod.Spec.NodeName == "" {
		return badRequest("pod %s does not have a host assigned", pod.Name)
	}
	if _, err := x.kubeletHost(pod.Spec.NodeName); err != nil {
		return err
	}
	return errNoUpgrade()
}

// hasContainer refuses a container that the pod does not have, and none where there is a
// choice.
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

// kubeletHost is where the server connects to the kubelet of a node. One that is not there
// is reported under the resource of the request.
func (x *exchange) kubeletHost(name string) (string, error) {
	node, err := coreObject[*corev1.Node](x, "Node", name)
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
	return "", plain("no preferred addresses found; known addresses: %v", node.Status.Addresses)
}

// coreObject returns the object of that kind and name, in the namespace of the request
// where the kind has them. The server looks such objects up with the request at hand, so
// that it is the request's resource that is not found.
func coreObject[T runtime.Object](x *exchange, kind, name string) (T, error) {
	namespace := x.req.Namespace
	if kind == "Node" {
		namespace = ""
	}
	object, ok := cluster.Get[T](x.state, schema.GroupKind{Kind: kind}, namespace, name)
	if !ok {
		return object, refuse(apierrors.NewNotFound(x.req.Resource.GroupResource(), name))
	}
	return object, nil
}

// log answers a GET of pods/log. A pod that was never placed has written nothing; of any
// other the server asks the kubelet.
func (x *exchange) log() (int, runtime.Object, error) {
	pod, err := coreObject[*corev1.Pod](x, "Pod", x.req.Name)
	if err != nil {
		return 0, nil, err
	}
	if err := hasContainer(pod, x.req.Query.Get("container")); err != nil {
		return 0, nil, err
	}
	if pod.Spec.NodeName == "" {
		return 204, text(""), nil
	}
	host, err := x.kubeletHost(pod.Spec.NodeName)
	if err != nil {
		return 0, nil, err
	}
	return 0, nil, plain("nothing listens at %s: no kubelet runs in a simulated cluster", fmt.Sprintf("%s:10250", host))
}
