// kubernetes/kubernetes:pkg/registry/batch/job/strategy.go
// kubernetes/kubernetes:pkg/apis/batch/validation/validation.go

package batch

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// generatedSelector requires that a job with a generated selector finds the pods that the server labelled for it, and
// no others.
func generatedSelector(j *batchv1.Job, r rules.Request) field.ErrorList {
	old := rules.OldOf[*batchv1.Job](r)
	if rules.IsTrue(j.Spec.ManualSelector) || j.Spec.Selector == nil || old != nil && r.Release.Has(kubeversion.JobUpdatesApart) {
		return nil
	}
	expected := []struct{ key, value string }{
		{"controller-uid", string(j.UID)}, {"job-name", j.Name},
		{batchv1.ControllerUidLabel, string(j.UID)}, {batchv1.JobNameLabel, j.Name},
	}
	if !r.Release.Has(kubeversion.PrefixedJobLabels) {
		expected = expected[:2]
	} else if old != nil { // jobs from before 1.27 do not have the last two
		if had := old.Spec.Template.Labels; !rules.Has(had, batchv1.ControllerUidLabel) || !rules.Has(had, batchv1.JobNameLabel) {
			expected = expected[:2]
		}
	}
	var errs rules.Errors
	at, set := rules.SpecPath.Child("template", "metadata", "labels"), labels.Set{}
	for _, e := range expected {
		set[e.key] = e.value
		switch value, ok := j.Spec.Template.Labels[e.key]; {
		case !ok:
			errs.Required(at.Key(e.key), "must be '"+e.value+"'")
		case value != e.value:
			errs.Invalid(at.Key(e.key), j.Spec.Template.Labels, "must be '"+e.value+"'")
		}
	}
	if selector, err := metav1.LabelSelectorAsSelector(j.Spec.Selector); err == nil {
		errs.Add(rules.Unless(selector.Matches(set), rules.SpecPath.Child("selector"), j.Spec.Selector, "`selector` not auto-generated"))
	}
	return errs.List()
}

// unmarked requires that an update does not mark a job as tracked.
func unmarked(j *batchv1.Job, r rules.Request) field.ErrorList {
	old := rules.OldOf[*batchv1.Job](r)
	if old == nil || !rules.Has(j.Annotations, trackedAnnotation) || rules.Has(old.Annotations, trackedAnnotation) || !marksJobs(r.Release) {
		return nil
	}
	return field.ErrorList{field.Forbidden(rules.MetadataPath.Child("annotations").Key(trackedAnnotation), "cannot add this annotation")}
}

// validateJobUpdate checks the spec again, as the server does, and requires the pod template to stay the same, unless
// the job is suspended and runs no pods.
func validateJobUpdate(j, old *batchv1.Job, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return jobStatusUpdate(j, old, r.Release)
	}
	s, before := &j.Spec, &old.Spec
	var errs rules.Errors
	errs.Add(selectedJobSpec(&j.Spec, r))
	errs.Add(jobCompletions(s, before, r.Release))
	errs.Add(validation.ValidateImmutableField(s.Selector, before.Selector, rules.SpecPath.Child("selector")))
	errs.Add(jobTemplate(j, old, r))
	errs.Add(rules.ImmutableInternal(s.CompletionMode, before.CompletionMode, rules.SpecPath.Child("completionMode")))
	errs.Add(rules.ImmutableInternal(s.PodFailurePolicy, before.PodFailurePolicy, rules.SpecPath.Child("podFailurePolicy")))
	errs.Add(rules.ImmutableInternal(s.BackoffLimitPerIndex, before.BackoffLimitPerIndex, rules.SpecPath.Child("backoffLimitPerIndex")))
	errs.Add(rules.ImmutableInternal(s.ManagedBy, before.ManagedBy, rules.SpecPath.Child("managedBy")))
	errs.Add(rules.ImmutableInternal(s.SuccessPolicy, before.SuccessPolicy, rules.SpecPath.Child("successPolicy")))
	errs.Add(jobSchedulingChange(s.Scheduling, before.Scheduling))
	return errs.List()
}

func jobCompletions(s, before *batchv1.JobSpec, r *kubeversion.Release) field.ErrorList {
	at := rules.SpecPath.Child("completions")
	switch {
	case !isIndexed(s), !r.Has(kubeversion.ElasticJobs):
		return validation.ValidateImmutableField(s.Completions, before.Completions, at)
	case s.Completions == nil || semantic.DeepEqual(s.Completions, before.Completions):
		return nil
	}
	return rules.Unless(*s.Completions == *s.Parallelism, at, *s.Completions, "can only be modified in tandem with spec.parallelism")
}

// jobTemplate checks the changes of the template: since 1.36, a suspended job without pods may get other resources,
// even if it ran before.
func jobTemplate(j, old *batchv1.Job, r rules.Request) field.ErrorList {
	after, before := j.Spec.Template, *old.Spec.Template.DeepCopy()
	suspended := rules.IsTrue(old.Spec.Suspend)
	idle := suspended && old.Status.StartTime == nil
	resources := false
	if r.Release.Has(kubeversion.SuspendedJobResources) {
		idle = suspended && (old.Status.StartTime == nil || jobCondition(old, batchv1.JobSuspended)) && old.Status.Active == 0
		resources = idle
	}
	if idle {
		keepScheduling(&before, &after)
	}
	if !resources {
		return rules.ImmutableInternal(after, before, rules.SpecPath.Child("template"))
	}
	keepResources(before.Spec.Containers, after.Spec.Containers)
	keepResources(before.Spec.InitContainers, after.Spec.InitContainers)
	return rules.ImmutableInternal(after.Spec, before.Spec, rules.SpecPath.Child("template.spec"))
}

// keepScheduling copies to before the scheduling fields that may change.
func keepScheduling(before, after *corev1.PodTemplateSpec) {
	switch a := after.Spec.Affinity; {
	case a == nil && before.Spec.Affinity != nil:
		before.Spec.Affinity.NodeAffinity = nil
		if *before.Spec.Affinity == (corev1.Affinity{}) {
			before.Spec.Affinity = nil
		}
	case a != nil && before.Spec.Affinity == nil:
		before.Spec.Affinity = &corev1.Affinity{NodeAffinity: a.NodeAffinity}
	case a != nil:
		before.Spec.Affinity.NodeAffinity = a.NodeAffinity
	}
	before.Labels, before.Annotations = after.Labels, after.Annotations
	before.Spec.NodeSelector, before.Spec.Tolerations, before.Spec.SchedulingGates = after.Spec.NodeSelector, after.Spec.Tolerations, after.Spec.SchedulingGates
}

func keepResources(before, after []corev1.Container) {
	for i := range before {
		if len(after) == len(before) && after[i].Name == before[i].Name {
			before[i].Resources = after[i].Resources
		}
	}
}

func jobWarnings(j, old *batchv1.Job, r rules.Request) []string {
	if r.Subresource == "status" || old != nil && j.Generation == old.Generation {
		return nil
	}
	var warnings []string
	if old == nil {
		warnings = pod.HostnameWarnings(j.Name, pod.Names, r)
	}
	return append(warnings, jobSpecWarnings(&j.Spec, rules.SpecPath, r)...)
}

// jobSpecWarnings returns warnings about a job, or a job template, at that path:
// kubernetes/kubernetes:pkg/api/job/warnings.go.
func jobSpecWarnings(s *batchv1.JobSpec, at *field.Path, r rules.Request) []string {
	const many = "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail"
	w := &pod.Warner{}
	if r.Release.Has(kubeversion.CompletionWarnings) && isIndexed(s) && s.Completions != nil && *s.Completions > manyCompletions && s.Parallelism != nil && *s.Parallelism > parallelismOfMany {
		w.At(at, many)
	}
	w.Template(&s.Template, at.Child("template"), r)
	return w.Texts
}

func cronJobWarnings(c, old *batchv1.CronJob, r rules.Request) []string {
	var warnings []string
	if r.Subresource == "status" {
		return nil
	}
	if old == nil {
		warnings = pod.HostnameWarnings(c.Name, pod.Names, r)
	}
	if old == nil || c.Generation != old.Generation {
		warnings = append(warnings, jobSpecWarnings(&c.Spec.JobTemplate.Spec, rules.SpecPath.Child("jobTemplate", "spec"), r)...)
	}
	const see = ", see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
	switch zoned := strings.Contains(c.Spec.Schedule, "TZ"); {
	case !zoned || !r.Release.Has(kubeversion.ScheduleZoneWarnings):
	case !r.Release.Has(kubeversion.ScheduleZoneRefused):
		warnings = append(warnings, "CRON_TZ or TZ used in spec.spec.schedule is not officially supported"+see)
	case old != nil:
		warnings = append(warnings, "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead"+see)
	}
	return warnings
}

func jobCondition(j *batchv1.Job, t batchv1.JobConditionType) bool {
	return slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == t && c.Status == corev1.ConditionTrue
	})
}
