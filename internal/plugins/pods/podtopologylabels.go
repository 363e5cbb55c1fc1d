package pods

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// PodTopologyLabels copies the zone and region of a node to the pods that are bound to it.
type PodTopologyLabels struct{ enabled bool }

func NewPodTopologyLabels(r *kubeversion.Release) PodTopologyLabels {
	return PodTopologyLabels{r.Enabled("PodTopologyLabelsAdmission")}
}

func (p PodTopologyLabels) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !p.enabled {
		return plugin.Skip(step, "the feature gate PodTopologyLabelsAdmission is off"), nil
	}
	if req.Resource.Group != "" || req.Resource.Resource != "pods" {
		return plugin.Skip(step, "not a pod"), nil
	}
	name := nodeOf(req.Object)
	if name == "" {
		return plugin.Skip(step, "the pod is not put on a node"), nil
	}
	found, _ := s.Find(cluster.Key{GroupKind: plugin.NodeKind, Name: name})
	node, ok := found.Object.(*corev1.Node)
	if !ok {
		return plugin.Allow(step, "there is no node "+name), nil // PTL-03
	}
	return plugin.DecidedBy(copyTopology(step, req.Object, node), found), nil
}

// nodeOf returns the node that the object, a pod or a binding, assigns a pod to (PTL-01, PTL-02).
func nodeOf(object runtime.Object) string {
	switch o := object.(type) {
	case *corev1.Pod:
		return o.Spec.NodeName
	case *corev1.Binding:
		if o.Target.Kind == "Node" {
			return o.Target.Name
		}
	}
	return ""
}

func copyTopology(step trace.Step, object runtime.Object, node *corev1.Node) trace.Step {
	m, err := meta.Accessor(object)
	if err != nil {
		panic(err) // a pod or a binding
	}
	labels := map[string]string{}
	maps.Copy(labels, m.GetLabels())
	for _, key := range []string{corev1.LabelTopologyZone, corev1.LabelTopologyRegion} {
		if value, ok := node.Labels[key]; ok {
			labels[key] = value
		}
	}
	if maps.Equal(labels, m.GetLabels()) {
		return plugin.Allow(step, "nothing to copy from node "+node.Name)
	}
	labelled := object.DeepCopyObject()
	if m, err = meta.Accessor(labelled); err != nil {
		panic(err)
	}
	m.SetLabels(labels)
	return plugin.Change(step, labelled, "the zone and region are those of node "+node.Name)
}
