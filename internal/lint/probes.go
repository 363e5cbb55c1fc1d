package lint

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// A probe is a request that is used to find out what a webhook would see.
type probe struct {
	about   Topic
	what    string // such as: update leases
	request admission.Request
}

// A Topic is what several probes are about.
type Topic string

const (
	Workloads     Topic = "workloads"   // in a namespace that nothing is known about
	KubeSystem    Topic = "kube-system" // what keeps a cluster running
	NodeLeases    Topic = "node leases"
	AccessReviews Topic = "access reviews"
	Nodes         Topic = "nodes"
	Status        Topic = "status"
	Connect       Topic = "connect"
	Events        Topic = "events"
	Recovery      Topic = "recovery" // how lost pods come back
)

// probes returns all probes.
func probes() []probe {
	return slices.Concat(workloadProbes(), systemProbes(), nodeProbes(), reviewProbes(), restProbes())
}

func workloadProbes() []probe {
	admin := admission.Administrator()
	m := metadata(OrdinaryNamespace, "web", map[string]string{"app": "web"})
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: m.Labels}, Spec: podSpec()}
	selector := &metav1.LabelSelector{MatchLabels: m.Labels}
	return []probe{
		created(Workloads, "pods", typed(&corev1.Pod{ObjectMeta: m, Spec: podSpec()}, "", "Pod"), admission.Controller("replicaset-controller")),
		created(Workloads, "deployments", typed(&appsv1.Deployment{ObjectMeta: m, Spec: appsv1.DeploymentSpec{Selector: selector, Template: template}}, "apps", "Deployment"), admin),
		created(Workloads, "statefulsets", typed(&appsv1.StatefulSet{ObjectMeta: m, Spec: appsv1.StatefulSetSpec{Selector: selector, Template: template}}, "apps", "StatefulSet"), admin),
		created(Workloads, "daemonsets", typed(&appsv1.DaemonSet{ObjectMeta: m, Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template}}, "apps", "DaemonSet"), admin),
		created(Workloads, "jobs", typed(&batchv1.Job{ObjectMeta: m, Spec: batchv1.JobSpec{Template: template}}, "batch", "Job"), admin),
		created(Workloads, "services", typed(&corev1.Service{ObjectMeta: m}, "", "Service"), admin),
		created(Workloads, "configmaps", typed(&corev1.ConfigMap{ObjectMeta: m}, "", "ConfigMap"), admin),
		created(Workloads, "secrets", typed(&corev1.Secret{ObjectMeta: m}, "", "Secret"), admin),
		created(Workloads, "serviceaccounts", typed(&corev1.ServiceAccount{ObjectMeta: m}, "", "ServiceAccount"), admin),
	}
}

func systemProbes() []probe {
	admin := admission.Administrator()
	const ns = metav1.NamespaceSystem
	dns := metadata(ns, "coredns-0", map[string]string{"k8s-app": "kube-dns"})
	proxy := metadata(ns, "kube-proxy-0", map[string]string{"k8s-app": "kube-proxy"})
	deployment := &appsv1.Deployment{ObjectMeta: metadata(ns, "coredns", dns.Labels), Spec: appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: dns.Labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: dns.Labels}, Spec: podSpec()},
	}}
	return []probe{
		created(KubeSystem, "pods", typed(&corev1.Pod{ObjectMeta: dns, Spec: podSpec()}, "", "Pod"), admission.Controller("replicaset-controller")),
		created(KubeSystem, "pods", typed(&corev1.Pod{ObjectMeta: proxy, Spec: podSpec()}, "", "Pod"), admission.Controller("daemon-set-controller")),
		updated(KubeSystem, "deployments", typed(deployment, "apps", "Deployment"), admission.Controller("deployment-controller")),
		created(KubeSystem, "services", typed(&corev1.Service{ObjectMeta: metadata(ns, "kube-dns", dns.Labels)}, "", "Service"), admin),
		updated(KubeSystem, "services", typed(&corev1.Service{ObjectMeta: metadata(ns, "kube-dns", dns.Labels)}, "", "Service"), admin),
		updated(KubeSystem, "configmaps", typed(&corev1.ConfigMap{ObjectMeta: metadata(ns, "coredns", nil)}, "", "ConfigMap"), admin),
		updated(KubeSystem, "leases", typed(&coordinationv1.Lease{ObjectMeta: metadata(ns, "kube-scheduler", nil)}, "coordination.k8s.io", "Lease"), admission.Scheduler()),
	}
}

func nodeProbes() []probe {
	kubelet := admission.Kubelet("node-1")
	lease := typed(&coordinationv1.Lease{ObjectMeta: metadata(corev1.NamespaceNodeLease, "node-1", nil)}, "coordination.k8s.io", "Lease")
	node := typed(&corev1.Node{ObjectMeta: metadata("", "node-1", nil)}, "", "Node")
	ready := updated(Nodes, "nodes", node, kubelet)
	ready.what, ready.request.Subresource = "update nodes/status", "status"
	return []probe{
		created(NodeLeases, "leases", lease, kubelet),
		updated(NodeLeases, "leases", lease, kubelet),
		created(Nodes, "nodes", node, kubelet),
		updated(Nodes, "nodes", node, kubelet),
		ready,
	}
}

func reviewProbes() []probe {
	const authn, authz = "authentication.k8s.io", "authorization.k8s.io"
	var m metav1.ObjectMeta
	anybody := authenticationv1.UserInfo{Username: "system:serviceaccount:shop:web", Groups: []string{"system:authenticated"}}
	return []probe{
		created(AccessReviews, "tokenreviews", typed(&authenticationv1.TokenReview{ObjectMeta: m}, authn, "TokenReview"), anybody),
		created(AccessReviews, "selfsubjectreviews", typed(&authenticationv1.SelfSubjectReview{ObjectMeta: m}, authn, "SelfSubjectReview"), anybody),
		created(AccessReviews, "subjectaccessreviews", typed(&authorizationv1.SubjectAccessReview{ObjectMeta: m}, authz, "SubjectAccessReview"), anybody),
		created(AccessReviews, "localsubjectaccessreviews", typed(&authorizationv1.LocalSubjectAccessReview{ObjectMeta: metav1.ObjectMeta{Namespace: OrdinaryNamespace}}, authz, "LocalSubjectAccessReview"), anybody),
		created(AccessReviews, "selfsubjectaccessreviews", typed(&authorizationv1.SelfSubjectAccessReview{ObjectMeta: m}, authz, "SelfSubjectAccessReview"), anybody),
		created(AccessReviews, "selfsubjectrulesreviews", typed(&authorizationv1.SelfSubjectRulesReview{ObjectMeta: m}, authz, "SelfSubjectRulesReview"), anybody),
	}
}

// restProbes returns probes for kinds of requests that are frequent, or that lost pods wait for.
func restProbes() []probe {
	admin := admission.Administrator()
	kubelet := admission.Kubelet("node-1")
	m := metadata(OrdinaryNamespace, "web-0", map[string]string{"app": "web"})
	pod := typed(&corev1.Pod{ObjectMeta: m, Spec: podSpec()}, "", "Pod")
	podStatus := updated(Status, "pods", pod, kubelet)
	podStatus.what, podStatus.request.Subresource = "update pods/status", "status"
	deployment := typed(&appsv1.Deployment{ObjectMeta: m}, "apps", "Deployment")
	deploymentStatus := updated(Status, "deployments", deployment, admission.Controller("deployment-controller"))
	deploymentStatus.what, deploymentStatus.request.Subresource = "update deployments/status", "status"
	exec := probe{about: Connect, what: "connect to pods/exec", request: admission.Request{
		Operation: admissionv1.Connect, Resource: core("pods"), Subresource: "exec",
		Kind: corev1.SchemeGroupVersion.WithKind("PodExecOptions"), Namespace: OrdinaryNamespace, Name: "web-0", User: admin,
		Object: typed(&corev1.PodExecOptions{}, "", "PodExecOptions"),
	}}
	binding := created(Recovery, "pods", typed(&corev1.Binding{ObjectMeta: m}, "", "Binding"), admission.Scheduler())
	binding.what, binding.request.Resource, binding.request.Subresource = "create pods/binding", core("pods"), "binding"
	token := created(Recovery, "serviceaccounts", typed(&authenticationv1.TokenRequest{ObjectMeta: metadata(OrdinaryNamespace, "default", nil)}, "authentication.k8s.io", "TokenRequest"), kubelet)
	token.what, token.request.Resource, token.request.Subresource = "create serviceaccounts/token", core("serviceaccounts"), "token"
	return []probe{
		podStatus, deploymentStatus, exec, binding, token,
		created(Events, "events", typed(&corev1.Event{ObjectMeta: m}, "", "Event"), kubelet),
		updated(Recovery, "endpointslices", typed(&discoveryv1.EndpointSlice{ObjectMeta: m}, "discovery.k8s.io", "EndpointSlice"), admission.Controller("endpointslice-controller")),
	}
}

// NewPod returns a controller's request for a new pod.
func NewPod(namespace, name string, labels map[string]string) admission.Request {
	pod := &corev1.Pod{ObjectMeta: metadata(namespace, name, labels), Spec: podSpec()}
	return created(Workloads, "pods", typed(pod, "", "Pod"), admission.Controller("replicaset-controller")).request
}

func core(resource string) schema.GroupVersionResource {
	return corev1.SchemeGroupVersion.WithResource(resource)
}

func created(about Topic, resource string, o runtime.Object, user authenticationv1.UserInfo) probe {
	kind := o.GetObjectKind().GroupVersionKind()
	m, _ := o.(metav1.Object)
	return probe{about: about, what: "create " + resource, request: admission.Request{
		Operation: admissionv1.Create, Resource: kind.GroupVersion().WithResource(resource), Kind: kind,
		Namespace: m.GetNamespace(), Name: m.GetName(), Object: o, User: user,
	}}
}

func updated(about Topic, resource string, o runtime.Object, user authenticationv1.UserInfo) probe {
	p := created(about, resource, o, user)
	p.what, p.request.Operation, p.request.OldObject = "update "+resource, admissionv1.Update, o.DeepCopyObject()
	return p
}

func typed(o runtime.Object, group, kind string) runtime.Object {
	o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: group, Version: "v1", Kind: kind})
	return o
}

func metadata(namespace, name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}
}

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example/web:1"}}}
}
