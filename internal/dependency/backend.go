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

// A Backend is the Service that answers for webhooks, and what is behind it.
type Backend struct {
	Namespace, Name string
	Service         *corev1.Service // nil if the cluster has none of that name
	Workloads       []*Workload     // whose pods the Service selects
	Webhooks        []*Webhook      // that call it
}

// String is the Service's namespace and name.
func (b *Backend) String() string { return b.Namespace + "/" + b.Name }

// Replicas is how many pods are behind the Service.
func (b *Backend) Replicas() int {
	n := 0
	for _, w := range b.Workloads {
		n += w.Replicas
	}
	return n
}

type serviceKey struct{ namespace, name string }

// Backend is what answers for w; nil if that is a URL.
func (g *Graph) Backend(w *Webhook) *Backend {
	s := w.ClientConfig.Service
	if s == nil {
		return nil
	}
	return g.backends[serviceKey{s.Namespace, s.Name}]
}

// readBackend returns what answers for w, which is read if it is not known yet; nil if that is a URL.
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

// BackendOf is a Service that answers for something else than a webhook of the graph, and what is behind it.
func (g *Graph) BackendOf(namespace, service string) *Backend {
	b := &Backend{Namespace: namespace, Name: service}
	b.Service, _ = cluster.Get[*corev1.Service](g.cluster.State, schema.GroupKind{Kind: "Service"}, namespace, service)
	b.Workloads = selected(b.Service, g.workloads)
	return b
}

// selected are the workloads whose pods are behind s. One without a selector has endpoints
// that somebody else keeps.
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

// A Workload is what keeps pods running.
type Workload struct {
	Kind, Namespace, Name string
	Replicas              int
	Pod                   *corev1.Pod // one of its pods, as its controller asks for it
	Source                string
}

// String is the workload's kind, namespace and name.
func (w *Workload) String() string { return fmt.Sprintf("%s %s/%s", w.Kind, w.Namespace, w.Name) }

// workloadsOf are the workloads of a cluster. What one of them controls, such as the
// ReplicaSets of a Deployment, is not counted again.
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
		// One a node, of which there are several.
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

// templated is a workload that makes pods of a template; nil if another one controls it.
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
