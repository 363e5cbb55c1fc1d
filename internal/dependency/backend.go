package dependency

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// A Backend is a Service that answers for webhooks, with the workloads behind it.
type Backend struct {
	Namespace, Name string
	Service         *corev1.Service // nil if the cluster has none of that name
	Workloads       []*Workload     // whose pods the Service selects
	Webhooks        []*Webhook      // that it answers for
}

// String returns the namespace and name of the Service.
func (b *Backend) String() string { return b.Namespace + "/" + b.Name }

// Replicas returns the number of pods behind the Service.
func (b *Backend) Replicas() int {
	n := 0
	for _, w := range b.Workloads {
		n += w.Replicas
	}
	return n
}

type serviceKey struct{ namespace, name string }

// Backend returns the backend of w; nil if w has a URL.
func (g *Graph) Backend(w *Webhook) *Backend {
	s := w.ClientConfig.Service
	if s == nil {
		return nil
	}
	return g.backends[serviceKey{s.Namespace, s.Name}]
}

// readBackend returns the backend of w, and reads it if it is not known yet; nil if w has a URL.
func (g *Graph) readBackend(w *Webhook) *Backend {
	s := w.ClientConfig.Service
	if s == nil {
		return nil
	}
	key := serviceKey{s.Namespace, s.Name}
	b := g.backends[key]
	if b == nil {
		b = g.BackendOf(s.Namespace, s.Name)
		g.backends[key] = b
	}
	return b
}

// BackendOf returns a Service that answers for something other than a webhook of the graph, with the workloads behind
// it.
func (g *Graph) BackendOf(namespace, service string) *Backend {
	b := &Backend{Namespace: namespace, Name: service}
	b.Service, _ = cluster.Get[*corev1.Service](g.cluster.State, schema.GroupKind{Kind: "Service"}, namespace, service)
	b.Workloads = selected(b.Service, g.workloads)
	return b
}

// selected returns the workloads whose pods are behind s. The endpoints of a Service without a selector are maintained
// by someone else.
func selected(s *corev1.Service, workloads []*Workload) []*Workload {
	if s == nil || len(s.Spec.Selector) == 0 {
		return nil
	}
	selector := labels.SelectorFromSet(s.Spec.Selector)
	var found []*Workload
	for _, w := range workloads {
		if w.Namespace == s.Namespace && selector.Matches(labels.Set(w.Pod.Labels)) {
			found = append(found, w)
		}
	}
	return found
}

// A Workload is an object that keeps pods running.
type Workload struct {
	Kind, Namespace, Name string
	Replicas              int
	Pod                   *corev1.Pod // one of its pods, as its controller creates it
	Source                string
}

// String returns the kind, namespace and name of the workload.
func (w *Workload) String() string { return fmt.Sprintf("%s %s/%s", w.Kind, w.Namespace, w.Name) }

// workloadsOf returns the workloads of a cluster. Objects that a workload controls, such as the ReplicaSets of a
// Deployment, are left out.
func workloadsOf(s *cluster.State) []*Workload {
	var all []*Workload
	for _, kind := range []schema.GroupKind{
		{Group: "apps", Kind: "Deployment"}, {Group: "apps", Kind: "StatefulSet"}, {Group: "apps", Kind: "DaemonSet"},
		{Group: "apps", Kind: "ReplicaSet"}, {Kind: "ReplicationController"}, {Kind: "Pod"},
	} {
		for o := range s.List(kind, "") {
			if w := workloadOf(o); w != nil {
				w.Kind, w.Source = kind.Kind, o.Source
				all = append(all, w)
			}
		}
	}
	return all
}

func workloadOf(o cluster.Object) *Workload {
	switch x := o.Object.(type) {
	case *appsv1.Deployment:
		return templated(x.ObjectMeta, x.Spec.Replicas, &x.Spec.Template)
	case *appsv1.StatefulSet:
		return templated(x.ObjectMeta, x.Spec.Replicas, &x.Spec.Template)
	case *appsv1.DaemonSet:
		// One pod for each node, of which several are assumed.
		several := int32(2)
		return templated(x.ObjectMeta, &several, &x.Spec.Template)
	case *appsv1.ReplicaSet:
		return templated(x.ObjectMeta, x.Spec.Replicas, &x.Spec.Template)
	case *corev1.ReplicationController:
		return templated(x.ObjectMeta, x.Spec.Replicas, x.Spec.Template)
	case *corev1.Pod:
		if metav1.GetControllerOfNoCopy(x) != nil {
			return nil
		}
		return &Workload{Namespace: x.Namespace, Name: x.Name, Replicas: 1, Pod: x}
	}
	return nil
}

// templated returns a workload that creates pods from a template; nil if another workload controls it.
func templated(m metav1.ObjectMeta, replicas *int32, template *corev1.PodTemplateSpec) *Workload {
	if metav1.GetControllerOfNoCopy(&m) != nil || template == nil {
		return nil
	}
	w := &Workload{Namespace: m.Namespace, Name: m.Name, Replicas: 1, Pod: &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: *template.ObjectMeta.DeepCopy(),
		Spec:       *template.Spec.DeepCopy(),
	}}
	if replicas != nil {
		w.Replicas = int(*replicas)
	}
	w.Pod.Namespace = m.Namespace
	w.Pod.GenerateName = m.Name + "-"
	return w
}
