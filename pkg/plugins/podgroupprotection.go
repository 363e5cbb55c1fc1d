package plugins

import (
	"context"
	"slices"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

const podGroupFinalizer = "scheduling.k8s.io/podgroup-protection"

// podGroupProtection holds pod groups that are deleted until no pod is left in them
// (PGP-01).
type podGroupProtection struct{ enabled bool }

func newPodGroupProtection(o Options) (any, error) {
	return podGroupProtection{o.Release.Enabled("GenericWorkload")}, nil
}

func (p podGroupProtection) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := begin(req)
	switch {
	case !p.enabled:
		return skip(step, "feature gate GenericWorkload is off"), nil
	case !concerns(req, schedulingv1.GroupName, "podgroups"):
		return skip(step, "not a pod group"), nil
	}
	group := req.Object.DeepCopyObject()
	m, err := meta.Accessor(group)
	if err != nil {
		return step, err
	}
	if slices.Contains(m.GetFinalizers(), podGroupFinalizer) {
		return allow(step, "the group has the finalizer"), nil
	}
	m.SetFinalizers(append(m.GetFinalizers(), podGroupFinalizer))
	return change(step, group, "the group had no finalizer"), nil
}
