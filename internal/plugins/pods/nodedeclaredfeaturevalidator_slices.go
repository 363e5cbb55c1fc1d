package pods

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

var resourceSlices = schema.GroupResource{Group: resourcev1.GroupName, Resource: "resourceslices"}

// allocatable is the feature of nodes that account for the node resources that devices take.
const allocatable = "DRANodeAllocatableResources"

// devicesOnNodes refuses devices that take resources of nodes which do not account for them (NDF-04, NDF-05).
func devicesOnNodes(step trace.Step, s *cluster.State, req admission.Request) (trace.Step, error) {
	slice, err := plugin.ObjectOf[*resourcev1.ResourceSlice](req)
	if err != nil {
		return step, err
	}
	asked := false
	for i := range slice.Spec.Devices {
		d := &slice.Spec.Devices[i]
		if len(d.NodeAllocatableResources) == 0 {
			continue
		}
		asked = true
		place := placeOf(slice, d)
		switch {
		case place.node != "":
			node, found := nodeNamed(s, place.node)
			if !found {
				step = plugin.Lacking(step, "Node", "", place.node)
				return plugin.Forbid(step, req, fmt.Sprintf("node %q not found for device %q", place.node, d.Name)), nil
			}
			if step = countsOn(step, req, node); step.Outcome.Ends() {
				return step, nil
			}
		case !place.all && place.selector == nil:
			return plugin.Forbid(step, req, fmt.Sprintf("device %q in ResourceSlice has NodeAllocatableResources but does not map to any nodes", d.Name)), nil
		}
		for node := range s.List(plugin.NodeKind, "") {
			if !place.holds(node.Object.(*corev1.Node)) {
				continue
			}
			if step = countsOn(step, req, node); step.Outcome.Ends() {
				return step, nil
			}
		}
	}
	if !asked {
		return plugin.Skip(step, "no device takes resources of its node"), nil
	}
	return plugin.Allow(step, "the nodes of the devices count what they take"), nil
}

// countsOn refuses a device on a node that does not declare the feature.
func countsOn(step trace.Step, req admission.Request, found cluster.Object) trace.Step {
	node := found.Object.(*corev1.Node)
	if slices.Contains(node.Status.DeclaredFeatures, allocatable) {
		return step
	}
	return plugin.Forbid(plugin.DecidedBy(step, found), req, fmt.Sprintf("node %q does not support %s feature", node.Name, allocatable))
}

func nodeNamed(s *cluster.State, name string) (cluster.Object, bool) {
	found, ok := s.Find(cluster.Key{GroupKind: plugin.NodeKind, Name: name})
	if !ok {
		return found, false
	}
	_, ok = found.Object.(*corev1.Node)
	return found, ok
}

// A place says where a device can be used: on the named node, on the nodes that a selector matches, or on all.
type place struct {
	node     string
	selector *corev1.NodeSelector
	all      bool
}

// placeOf returns the place of a device. It is that of its slice, unless each device has its own.
func placeOf(s *resourcev1.ResourceSlice, d *resourcev1.Device) place {
	node, selector, all := s.Spec.NodeName, s.Spec.NodeSelector, s.Spec.AllNodes
	if own := s.Spec.PerDeviceNodeSelection; own != nil && *own {
		node, selector, all = d.NodeName, d.NodeSelector, d.AllNodes
	}
	switch {
	case node != nil && *node != "":
		return place{node: *node}
	case selector != nil:
		return place{selector: selector}
	}
	return place{all: all != nil && *all}
}

// holds reports whether the place includes a node by its selector or because it is all nodes.
func (p place) holds(node *corev1.Node) bool {
	return p.all || p.selector != nil && slices.ContainsFunc(p.selector.NodeSelectorTerms, func(t corev1.NodeSelectorTerm) bool {
		return matchesNode(t, node)
	})
}

// matchesNode reports whether a valid term of a node selector matches a node:
// kubernetes/component-helpers:scheduling/corev1/nodeaffinity/nodeaffinity.go. An empty term matches no node.
func matchesNode(t corev1.NodeSelectorTerm, node *corev1.Node) bool {
	if len(t.MatchExpressions)+len(t.MatchFields) == 0 {
		return false
	}
	for _, e := range t.MatchExpressions {
		r, err := labels.NewRequirement(e.Key, labelOperators[e.Operator], e.Values)
		if err != nil || !r.Matches(labels.Set(node.Labels)) {
			return false
		}
	}
	for _, f := range t.MatchFields {
		named := len(f.Values) == 1 && fields.Set{"metadata.name": node.Name}.Get(f.Key) == f.Values[0]
		if named != (f.Operator == corev1.NodeSelectorOpIn) {
			return false
		}
	}
	return true
}

var labelOperators = map[corev1.NodeSelectorOperator]selection.Operator{
	corev1.NodeSelectorOpIn:           selection.In,
	corev1.NodeSelectorOpNotIn:        selection.NotIn,
	corev1.NodeSelectorOpExists:       selection.Exists,
	corev1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	corev1.NodeSelectorOpGt:           selection.GreaterThan,
	corev1.NodeSelectorOpLt:           selection.LessThan,
}
