package plugins

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

var podGroupKind = schema.GroupKind{Group: schedulingv1.GroupName, Kind: "PodGroup"}

// jobValidation keeps a job that is scheduled as a gang at the size that it has (JV-01,
// JV-02).
type jobValidation struct{ enabled bool }

func newJobValidation(o Options) (any, error) {
	return jobValidation{o.Release.Enabled("GenericWorkload") && o.Release.Enabled("WorkloadWithJob")}, nil
}

func (p jobValidation) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := begin(req)
	switch {
	case !p.enabled:
		return skip(step, "feature gate GenericWorkload or WorkloadWithJob is off"), nil
	case !concerns(req, batchv1.GroupName, "jobs"):
		return skip(step, "not a job"), nil
	}
	job, err := objectOf[*batchv1.Job](req)
	if err != nil {
		return step, err
	}
	old, err := oldObjectOf[*batchv1.Job](req)
	if err != nil {
		return step, err
	}
	if semantic.DeepEqual(job.Spec.Parallelism, old.Spec.Parallelism) {
		return skip(step, "parallelism stays as it is"), nil
	}
	found := podGroupOf(s, req.Namespace, old)
	group, ok := found.Object.(*builtin.PodGroup)
	if !ok || group.Spec.SchedulingPolicy.Gang == nil {
		return allow(step, "the job is not scheduled as a gang"), nil
	}
	return forbid(decidedBy(step, found), req, fmt.Sprintf("cannot change parallelism for a Job referencing gang-scheduled PodGroup %q", group.Name)), nil
}

// podGroupOf is the group that the pods of a job name, or else one that the job controls.
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
