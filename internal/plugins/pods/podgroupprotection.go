package pods

import (
	"context"
	"slices"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

const podGroupFinalizer = "scheduling.k8s.io/podgroup-protection"

// PodGroupProtection adds a finalizer that keeps a deleted pod group until it has no pods left (PGP-01).
type PodGroupProtection struct{ enabled bool }

func NewPodGroupProtection(r *kubeversion.Release) PodGroupProtection {
	return PodGroupProtection{r.Enabled("GenericWorkload")}
}

func (p PodGroupProtection) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case !p.enabled:
		return plugin.Skip(step, "feature gate GenericWorkload is off"), nil
	case !plugin.Concerns(req, schedulingv1.GroupName, "podgroups"):
		return plugin.Skip(step, "not a pod group"), nil
	}
	group := req.Object.DeepCopyObject()
	m, err := meta.Accessor(group)
	if err != nil {
		return step, err
	}
	if slices.Contains(m.GetFinalizers(), podGroupFinalizer) {
		return plugin.Allow(step, "the group has the finalizer"), nil
	}
	m.SetFinalizers(append(m.GetFinalizers(), podGroupFinalizer))
	return plugin.Change(step, group, "the group had no finalizer"), nil
}
