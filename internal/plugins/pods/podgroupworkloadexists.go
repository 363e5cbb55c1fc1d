package pods

import (
	"context"
	"fmt"
	"slices"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var workloadKind = schema.GroupKind{Group: schedulingv1.GroupName, Kind: "Workload"}

// PodGroupWorkloadExists refuses pod groups whose workload does not exist (PGW-01).
type PodGroupWorkloadExists struct{ enabled bool }

func NewPodGroupWorkloadExists(r *kubeversion.Release) PodGroupWorkloadExists {
	return PodGroupWorkloadExists{r.Enabled("GenericWorkload")}
}

func (p PodGroupWorkloadExists) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case !p.enabled:
		return plugin.Skip(step, "feature gate GenericWorkload is off"), nil
	case !plugin.Concerns(req, schedulingv1.GroupName, "podgroups"):
		return plugin.Skip(step, "not a pod group"), nil
	}
	group, err := plugin.ObjectOf[*builtin.PodGroup](req)
	if err != nil {
		return step, err
	}
	if group.Spec.PodGroupTemplateRef == nil || group.Spec.PodGroupTemplateRef.Workload == nil {
		return plugin.Skip(step, "the group is of no workload"), nil
	}
	ref := group.Spec.PodGroupTemplateRef.Workload
	found, _ := s.Find(cluster.Key{GroupKind: workloadKind, Namespace: req.Namespace, Name: ref.WorkloadName})
	workload, ok := found.Object.(*builtin.WorkloadV1alpha2)
	if !ok {
		step.LookUp(req.Elapsed, schema.GroupVersionResource{Group: schedulingv1.GroupName, Version: "v1alpha2", Resource: "workloads"}, req.Namespace, ref.WorkloadName, false)
		step = plugin.Lacking(step, "Workload", req.Namespace, ref.WorkloadName)
		return plugin.Forbid(step, req, fmt.Sprintf("PodGroup rejected: Workload %q not found", ref.WorkloadName)), nil
	}
	step = plugin.DecidedBy(step, found)
	if workload.DeletionTimestamp != nil {
		return plugin.Forbid(step, req, fmt.Sprintf("PodGroup rejected: Workload %q is being deleted", ref.WorkloadName)), nil
	}
	if !slices.ContainsFunc(workload.Spec.PodGroupTemplates, func(t builtin.PodGroupTemplate) bool {
		return t.Name == ref.PodGroupTemplateName
	}) {
		return plugin.Forbid(step, req, fmt.Sprintf("PodGroup rejected: PodGroupTemplate %q not found in Workload %q", ref.PodGroupTemplateName, ref.WorkloadName)), nil
	}
	return plugin.Allow(step, "the workload has the template of the group"), nil
}
