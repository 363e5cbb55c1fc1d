package pods

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var podGroupKind = schema.GroupKind{Group: schedulingv1.GroupName, Kind: "PodGroup"}

// JobValidation refuses to resize a job that is scheduled as a gang (JV-01, JV-02).
type JobValidation struct{ enabled bool }

func NewJobValidation(r *kubeversion.Release) JobValidation {
	return JobValidation{r.Enabled("GenericWorkload") && r.Enabled("WorkloadWithJob")}
}

func (p JobValidation) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	switch {
	case !p.enabled:
		return plugin.Skip(step, "feature gate GenericWorkload or WorkloadWithJob is off"), nil
	case !plugin.Concerns(req, batchv1.GroupName, "jobs"):
		return plugin.Skip(step, "not a job"), nil
	}
	job, err := plugin.ObjectOf[*batchv1.Job](req)
	if err != nil {
		return step, err
	}
	old, err := plugin.OldObjectOf[*batchv1.Job](req)
	if err != nil {
		return step, err
	}
	if semantic.DeepEqual(job.Spec.Parallelism, old.Spec.Parallelism) {
		return plugin.Skip(step, "parallelism stays as it is"), nil
	}
	found := podGroupOf(s, req.Namespace, old)
	group, ok := found.Object.(*builtin.PodGroup)
	if !ok || group.Spec.SchedulingPolicy.Gang == nil {
		return plugin.Allow(step, "the job is not scheduled as a gang"), nil
	}
	return plugin.Forbid(plugin.DecidedBy(step, found), req, fmt.Sprintf("cannot change parallelism for a Job referencing gang-scheduled PodGroup %q", group.Name)), nil
}

// podGroupOf returns the group that the pods of a job name, or else a group that the job controls.
func podGroupOf(s *cluster.State, namespace string, job *batchv1.Job) cluster.Object {
	if named := job.Spec.Template.Spec.SchedulingGroup; named != nil && named.PodGroupName != nil {
		found, _ := s.Find(cluster.Key{GroupKind: podGroupKind, Namespace: namespace, Name: *named.PodGroupName})
		return found
	}
	for o := range s.List(podGroupKind, namespace) {
		group, ok := o.Object.(*builtin.PodGroup)
		if ok && metav1.IsControlledBy(group, job) {
			return o
		}
	}
	return cluster.Object{}
}
