package plugins

import (
	"context"
	"fmt"
	"slices"

	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

var workloadKind = schema.GroupKind{Group: schedulingv1.GroupName, Kind: "Workload"}

// podGroupWorkloadExists refuses pod groups that are of a workload which is not there
// (PGW-01).
type podGroupWorkloadExists struct{ enabled bool }

func newPodGroupWorkloadExists(o Options) (any, error) {
	return podGroupWorkloadExists{o.Release.Enabled("GenericWorkload")}, nil
}

func (p podGroupWorkloadExists) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	switch {
	case !p.enabled:
		return skip(step, "feature gate GenericWorkload is off"), nil
	case !concerns(req, schedulingv1.GroupName, "podgroups"):
		return skip(step, "not a pod group"), nil
	}
	group, err := objectOf[*builtin.PodGroup](req)
	if err != nil {
		return step, err
	}
	if group.Spec.PodGroupTemplateRef == nil || group.Spec.PodGroupTemplateRef.Workload == nil {
		return skip(step, "the group is of no workload"), nil
	}
	ref := group.Spec.PodGroupTemplateRef.Workload
	found, _ := s.Find(cluster.Key{GroupKind: workloadKind, Namespace: req.Namespace, Name: ref.WorkloadName})
	workload, ok := found.Object.(*builtin.WorkloadV1alpha2)
	if !ok {
		step = lacking(step, "Workload", req.Namespace, ref.WorkloadName)
		return forbid(step, req, fmt.Sprintf("PodGroup rejected: Workload %q not found", ref.WorkloadName)), nil
	}
	step = decidedBy(step, found)
	if workload.DeletionTimestamp != nil {
		return forbid(step, req, fmt.Sprintf("PodGroup rejected: Workload %q is being deleted", ref.WorkloadName)), nil
	}
	if !slices.ContainsFunc(workload.Spec.PodGroupTemplates, func(t builtin.PodGroupTemplate) bool {
		return t.Name == ref.PodGroupTemplateName
	}) {
		return forbid(step, req, fmt.Sprintf("PodGroup rejected: PodGroupTemplate %q not found in Workload %q", ref.PodGroupTemplateName, ref.WorkloadName)), nil
	}
	return allow(step, "the workload has the template of the group"), nil
}
