package resources

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// TaintNodesByCondition taints new nodes, which are not ready until the kubelet says so (TN-01).
type TaintNodesByCondition struct{ off bool }

// NewTaintNodesByCondition returns the plugin, which does nothing if its gate is off.
func NewTaintNodesByCondition(r *kubeversion.Release) TaintNodesByCondition {
	return TaintNodesByCondition{off: r.Disabled("TaintNodesByCondition")}
}

var notReadyTaint = corev1.Taint{Key: corev1.TaintNodeNotReady, Effect: corev1.TaintEffectNoSchedule}

func (p TaintNodesByCondition) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if p.off {
		return plugin.Skip(step, "the feature gate TaintNodesByCondition is off"), nil
	}
	if !plugin.Concerns(req, "", "nodes") {
		return plugin.Skip(step, "not a node"), nil
	}
	node, err := plugin.ObjectOf[*corev1.Node](req)
	if err != nil {
		return step, err
	}
	same := func(t corev1.Taint) bool { return t.MatchTaint(&notReadyTaint) }
	if slices.ContainsFunc(node.Spec.Taints, same) {
		return plugin.Allow(step, "the node has the taint "+notReadyTaint.ToString()), nil
	}
	tainted := *node
	tainted.Spec.Taints = append(slices.Clip(node.Spec.Taints), notReadyTaint)
	return plugin.Change(step, &tainted, "a new node gets the taint "+notReadyTaint.ToString()), nil
}
