// kubernetes/kubernetes:pkg/registry/batch/job/strategy.go
// kubernetes/kubernetes:pkg/registry/batch/cronjob/strategy.go
// kubernetes/kubernetes:pkg/apis/batch/v1/defaults.go

package batch

import (
	"maps"
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var job = rules.Of[*batchv1.Job]{
	DeclaredAlone: true,

	Name:             rules.DNSSubdomain,
	Spec:             func(j *batchv1.Job) any { return &j.Spec },
	Counted:          kubeversion.JobGenerations,
	Status:           func(j *batchv1.Job) any { return &j.Status },
	Defaults:         defaultJob,
	Normalise:        func(j *batchv1.Job, r *kubeversion.Release) { pod.NormaliseTemplate(&j.Spec.Template, r) },
	DefaultsIn:       defaultSelector,
	PrepareForCreate: prepareJob,
	PrepareForUpdate: func(j, old *batchv1.Job, r rules.Request) {
		if _, tracked := old.Annotations[trackedAnnotation]; r.Subresource == "" && tracked && tracksJobs(r.Release) {
			j.Annotations = rules.With(j.Annotations, trackedAnnotation, "")
		}
	},
	Validate:       validateJob,
	ValidateUpdate: validateJobUpdate,
	Warnings:       jobWarnings,

	DropGated: pod.DropGatedTemplate,
}

func defaultJob(j *batchv1.Job) {
	s := &j.Spec
	if s.Completions == nil && s.Parallelism == nil {
		rules.SetDefault(&s.Completions, 1)
	}
	rules.SetDefault(&s.Parallelism, 1)
	if s.BackoffLimitPerIndex != nil {
		rules.SetDefault(&s.BackoffLimit, math.MaxInt32)
	}
	rules.SetDefault(&s.BackoffLimit, 6)
	if len(j.Labels) == 0 {
		j.Labels = maps.Clone(s.Template.Labels)
	}
	rules.SetDefault(&s.CompletionMode, batchv1.NonIndexedCompletion)
	rules.SetDefault(&s.Suspend, false)
	if s.PodFailurePolicy != nil {
		rules.SetDefault(&s.PodReplacementPolicy, batchv1.Failed)
	}
	rules.SetDefault(&s.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	defaultJobParts(s)
}

func defaultSelector(j *batchv1.Job, o rules.Options) {
	if o.Release.Has(kubeversion.ManualSelectorDefault) {
		rules.SetDefault(&j.Spec.ManualSelector, false)
	}
}

// defaultJobParts sets the defaults that the job template of a cron job gets, too.
func defaultJobParts(s *batchv1.JobSpec) {
	if p := s.PodFailurePolicy; p != nil {
		for i := range p.Rules {
			for j := range p.Rules[i].OnPodConditions {
				rules.SetZero(&p.Rules[i].OnPodConditions[j].Status, corev1.ConditionTrue)
			}
		}
	}
	pod.DefaultTemplate(&s.Template)
}

// trackedAnnotation marks a job whose controller tracks pods by their finalizers.
const trackedAnnotation = "batch.kubernetes.io/job-tracking"

// prepareJob labels the pods of a new job, and marks how they are tracked (PC-03, PC-12).
func prepareJob(j *batchv1.Job, r rules.Request) {
	selectOwnPods(j, r.Release)
	switch {
	case tracksJobs(r.Release):
		j.Annotations = rules.With(j.Annotations, trackedAnnotation, "")
	case rules.Has(j.Annotations, trackedAnnotation) && marksJobs(r.Release):
		j.Annotations = maps.Clone(j.Annotations)
		delete(j.Annotations, trackedAnnotation)
	}
}

// tracksJobs reports whether new jobs are marked.
func tracksJobs(r *kubeversion.Release) bool {
	return marksJobs(r) && r.Enabled("JobTrackingWithFinalizers")
}

// marksJobs reports whether only the server may mark jobs. Later releases track all of them.
func marksJobs(r *kubeversion.Release) bool {
	return r.Has(kubeversion.JobTrackingMarks) && !r.Has(kubeversion.JobTrackingOfAll)
}

// selectOwnPods labels the pods of a job so that the job finds them, unless its author selects them (PC-03).
func selectOwnPods(j *batchv1.Job, r *kubeversion.Release) {
	if rules.IsTrue(j.Spec.ManualSelector) {
		return
	}
	uid := string(j.UID)
	labels := maps.Clone(j.Spec.Template.Labels)
	own := map[string]string{"job-name": j.Name, "controller-uid": uid}
	selected := "controller-uid"
	if r.Has(kubeversion.PrefixedJobLabels) {
		own[batchv1.JobNameLabel], own[batchv1.ControllerUidLabel] = j.Name, uid
		selected = batchv1.ControllerUidLabel
	}
	for key, value := range rules.Sorted(own) {
		if !rules.Has(labels, key) {
			labels = rules.With(labels, key, value)
		}
	}
	// If the job got its labels from its template by default, the server has both in one map, and labels the job as well.
	// Here, equal labels are taken for such defaults.
	if j.Labels != nil && j.Spec.Template.Labels != nil && maps.Equal(j.Labels, j.Spec.Template.Labels) {
		j.Labels = maps.Clone(labels)
	}
	j.Spec.Template.Labels = labels
	rules.SetDefault(&j.Spec.Selector, metav1.LabelSelector{})
	if s := j.Spec.Selector; !rules.Has(s.MatchLabels, selected) {
		s.MatchLabels = rules.With(s.MatchLabels, selected, uid)
	}
}

var cronJob = rules.Of[*batchv1.CronJob]{
	DeclaredAlone: true,

	OnUpdate: rules.CheckKind,
	Name:     rules.DNSSubdomain,
	Spec:     func(c *batchv1.CronJob) any { return &c.Spec },
	Counted:  kubeversion.JobGenerations,
	Status:   func(c *batchv1.CronJob) any { return &c.Status },
	Defaults: func(c *batchv1.CronJob) {
		rules.SetZero(&c.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
		rules.SetDefault(&c.Spec.Suspend, false)
		rules.SetDefault(&c.Spec.SuccessfulJobsHistoryLimit, 3)
		rules.SetDefault(&c.Spec.FailedJobsHistoryLimit, 1)
		defaultJobParts(&c.Spec.JobTemplate.Spec)
	},
	Normalise: func(c *batchv1.CronJob, r *kubeversion.Release) {
		pod.NormaliseTemplate(&c.Spec.JobTemplate.Spec.Template, r)
	},
	Validate:  validateCronJob,
	Warnings:  cronJobWarnings,
	AnyStatus: true,

	DropGated: pod.DropGatedTemplate,
}
