package objects

import (
	"maps"
	"math"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var job = rules[*batchv1.Job]{
	name:             dnsSubdomain,
	spec:             func(j *batchv1.Job) any { return &j.Spec },
	status:           func(j *batchv1.Job) any { return &j.Status },
	defaults:         defaultJob,
	normalise:        func(j *batchv1.Job) { normaliseTemplate(&j.Spec.Template) },
	prepareForCreate: func(j *batchv1.Job, _ request) { selectOwnPods(j) },
	validate:         validateJob,
	validateUpdate:   validateJobUpdate,
	warnings:         jobWarnings,

	dropGated: dropGatedTemplate,
}

func defaultJob(j *batchv1.Job) {
	s := &j.Spec
	if s.Completions == nil && s.Parallelism == nil {
		setDefault(&s.Completions, 1)
	}
	setDefault(&s.Parallelism, 1)
	if s.BackoffLimitPerIndex != nil {
		setDefault(&s.BackoffLimit, math.MaxInt32)
	}
	setDefault(&s.BackoffLimit, 6)
	if len(j.Labels) == 0 {
		j.Labels = maps.Clone(s.Template.Labels)
	}
	setDefault(&s.CompletionMode, batchv1.NonIndexedCompletion)
	setDefault(&s.Suspend, false)
	if s.PodFailurePolicy != nil {
		setDefault(&s.PodReplacementPolicy, batchv1.Failed)
	}
	setDefault(&s.PodReplacementPolicy, batchv1.TerminatingOrFailed)
	setDefault(&s.ManualSelector, false)
	defaultJobParts(s)
}

// defaultJobParts are the defaults that the template of a cron job gets too.
func defaultJobParts(s *batchv1.JobSpec) {
	if p := s.PodFailurePolicy; p != nil {
		for i := range p.Rules {
			for j := range p.Rules[i].OnPodConditions {
				setZero(&p.Rules[i].OnPodConditions[j].Status, corev1.ConditionTrue)
			}
		}
	}
	defaultTemplate(&s.Template)
}

// selectOwnPods labels the pods of a job so that it finds them, unless told not to (PC-03).
func selectOwnPods(j *batchv1.Job) {
	if isTrue(j.Spec.ManualSelector) {
		return
	}
	uid := string(j.UID)
	labels := maps.Clone(j.Spec.Template.Labels)
	for key, value := range sorted(map[string]string{
		batchv1.JobNameLabel: j.Name, "job-name": j.Name,
		batchv1.ControllerUidLabel: uid, "controller-uid": uid,
	}) {
		if !has(labels, key) {
			labels = with(labels, key, value)
		}
	}
	// Where the labels of the job are those of its template by default, the server has both
	// in one map, and labels the job as well. Equal labels count as such here.
	if j.Labels != nil && j.Spec.Template.Labels != nil && maps.Equal(j.Labels, j.Spec.Template.Labels) {
		j.Labels = maps.Clone(labels)
	}
	j.Spec.Template.Labels = labels
	setDefault(&j.Spec.Selector, metav1.LabelSelector{})
	if s := j.Spec.Selector; !has(s.MatchLabels, batchv1.ControllerUidLabel) {
		s.MatchLabels = with(s.MatchLabels, batchv1.ControllerUidLabel, uid)
	}
}

var cronJob = rules[*batchv1.CronJob]{
	onUpdate: checkKind,
	name:     dnsSubdomain,
	spec:     func(c *batchv1.CronJob) any { return &c.Spec },
	status:   func(c *batchv1.CronJob) any { return &c.Status },
	defaults: func(c *batchv1.CronJob) {
		setZero(&c.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent)
		setDefault(&c.Spec.Suspend, false)
		setDefault(&c.Spec.SuccessfulJobsHistoryLimit, 3)
		setDefault(&c.Spec.FailedJobsHistoryLimit, 1)
		defaultJobParts(&c.Spec.JobTemplate.Spec)
	},
	normalise: func(c *batchv1.CronJob) { normaliseTemplate(&c.Spec.JobTemplate.Spec.Template) },
	validate:  validateCronJob,
	warnings:  cronJobWarnings,
	anyStatus: true,

	dropGated: dropGatedTemplate,
}
