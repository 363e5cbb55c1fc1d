package plugins

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// taintNodesByCondition taints new nodes, which are not ready before the kubelet said so
// (TN-01).
type taintNodesByCondition struct{}

var notReadyTaint = corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}

func (taintNodesByCondition) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := begin(req)
	if !concerns(req, "", "nodes") {
		return skip(step, "not a node"), nil
	}
	node, err := objectOf[*corev1.Node](req)
	if err != nil {
		return step, err
	}
	same := func(t corev1.Taint) bool { return t.MatchTaint(&notReadyTaint) }
	if slices.ContainsFunc(node.Spec.Taints, same) {
		return allow(step, "the node has the taint "+notReadyTaint.ToString()), nil
	}
	tainted := *node
	tainted.Spec.Taints = append(slices.Clip(node.Spec.Taints), notReadyTaint)
	return change(step, &tainted, "a new node gets the taint "+notReadyTaint.ToString()), nil
}
