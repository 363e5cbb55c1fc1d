package dependency

import (
	"context"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// A Step is one request that has to be admitted before a lost pod of a workload serves again.
type Step struct {
	What    string // such as: create pods
	Request admission.Request
}

// Recovery returns the requests by which a cluster brings back a pod of w behind b: its controller creates it, the
// scheduler binds it, the kubelet fetches a token for it and reports it ready, and the endpoints of the Service are
// written.
func (b *Backend) Recovery(w *Workload) []Step {
	pod := w.Pod.DeepCopy()
	pod.Name = w.Name + "-0"
	ready := pod.DeepCopy()
	ready.Status.Phase = corev1.PodRunning
	ready.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	ready.Spec.NodeName, pod.Spec.NodeName = "node-1", "node-1"
	token := &authenticationv1.TokenRequest{
		TypeMeta:   metav1.TypeMeta{APIVersion: "authentication.k8s.io/v1", Kind: "TokenRequest"},
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: account(w.Pod)},
	}
	binding := &corev1.Binding{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Binding"},
		ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: pod.Name},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "node-1"},
	}
	kubelet := admission.Kubelet(ready.Spec.NodeName)
	steps := []Step{
		{"create pods", w.NewPod()},
		{"create pods/binding", request(admissionv1.Create, podResource, "binding", binding, nil, admission.Scheduler())},
		{"create serviceaccounts/token", request(admissionv1.Create, accountResource, "token", token, nil, kubelet)},
		{"update pods/status", request(admissionv1.Update, podResource, "status", ready, pod, kubelet)},
	}
	if b.Service == nil {
		return steps
	}
	before := b.endpoints()
	after := before.DeepCopy()
	after.Endpoints = []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}}}
	return append(steps, Step{"update endpointslices", request(admissionv1.Update, sliceResource, "", after, before, admission.Controller("endpointslice-controller"))})
}

// NewPod returns the request with which the controller of w creates a pod.
func (w *Workload) NewPod() admission.Request {
	return request(admissionv1.Create, podResource, "", w.Pod, nil, controllerOf(w))
}

// endpoints returns the EndpointSlice of the Service while it has no endpoints.
func (b *Backend) endpoints() *discoveryv1.EndpointSlice {
	return &discoveryv1.EndpointSlice{
		TypeMeta: metav1.TypeMeta{APIVersion: "discovery.k8s.io/v1", Kind: "EndpointSlice"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: b.Namespace,
			Name:      b.Name + "-abcde",
			Labels: map[string]string{
				discoveryv1.LabelServiceName: b.Name,
				discoveryv1.LabelManagedBy:   "endpointslice-controller.k8s.io",
			},
		},
		AddressType: discoveryv1.AddressTypeIPv4,
	}
}

var (
	podResource     = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	accountResource = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	sliceResource   = schema.GroupVersionResource{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices"}
)

// controllerOf returns the user who creates the pods of w.
func controllerOf(w *Workload) authenticationv1.UserInfo {
	names := map[string]string{
		"Deployment": "replicaset-controller", "ReplicaSet": "replicaset-controller", "StatefulSet": "statefulset-controller",
		"DaemonSet": "daemon-set-controller", "ReplicationController": "replication-controller",
	}
	if name, ok := names[w.Kind]; ok {
		return admission.Controller(name)
	}
	return admission.Administrator()
}

func account(pod *corev1.Pod) string {
	if pod.Spec.ServiceAccountName == "" {
		return "default"
	}
	return pod.Spec.ServiceAccountName
}

func request(op admissionv1.Operation, resource schema.GroupVersionResource, subresource string, object, old runtime.Object, user authenticationv1.UserInfo) admission.Request {
	m := object.(metav1.Object)
	return admission.Request{
		Operation:   op,
		Resource:    resource,
		Subresource: subresource,
		Kind:        object.GetObjectKind().GroupVersionKind(),
		Namespace:   m.GetNamespace(),
		Name:        m.GetName(),
		Object:      object,
		OldObject:   old,
		User:        user,
	}
}

// A Need says that a workload's pods do not come back unless a webhook answers.
type Need struct {
	Workload *Workload
	What     string   // the first request that the webhook can block
	Webhook  *Webhook // which fails closed
}

// needs returns the webhooks without which the pods of w, behind b, do not come back, without duplicates and each with
// the first request for which it is called.
func (g *Graph) needs(ctx context.Context, b *Backend, w *Workload) []Need {
	var needs []Need
	known := map[*Webhook]bool{}
	for _, step := range b.Recovery(w) {
		for _, hook := range g.webhooks {
			if hook.FailsClosed() && !known[hook] && hook.Intercepts(ctx, step.Request) {
				needs = append(needs, Need{Workload: w, What: step.What, Webhook: hook})
				known[hook] = true
			}
		}
	}
	return needs
}
