// kubernetes/kubernetes:pkg/apis/batch/validation/validation.go

package batch

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A jobChange is a change of the status of a job. Most parts are only checked if they change
// (kubernetes/kubernetes:pkg/registry/batch/job/strategy.go).
type jobChange struct {
	after, before *batchv1.Job
	finished      bool
	errs          rules.Errors
}

var jobStatusPath = field.NewPath("status")

// jobStatusUpdate checks a change of the status of a job. Since jobs may be managed by other controllers, the server
// checks much more of it.
func jobStatusUpdate(j, old *batchv1.Job, r *kubeversion.Release) field.ErrorList {
	c := &jobChange{after: j, before: old, finished: isFinished(j)}
	c.errs.Add(jobCounts(&j.Status))
	strict := r.Has(kubeversion.JobStatusesChecked)
	if strict {
		c.times()
		c.ends()
		c.pods()
		c.indexes()
	}
	if r.Has(kubeversion.JobSuccessPolicies) {
		extended := r.Enabled("JobPodReplacementPolicy") || jobCondition(old, batchv1.JobSuccessCriteriaMet)
		if !strict && !(extended && r.Has(kubeversion.JobSuccessExtended)) {
			c.onlyByPolicy()
		}
		c.success()
	}
	if strict {
		c.staysSo()
	}
	if r.Has(kubeversion.JobSuccessPolicies) {
		c.staysSuccessful()
	}
	return c.errs.List()
}

func isFinished(j *batchv1.Job) bool {
	return jobCondition(j, batchv1.JobComplete) || jobCondition(j, batchv1.JobFailed)
}

// changed reports whether the job gains or loses a condition.
func (c *jobChange) changed(t batchv1.JobConditionType) bool {
	return jobCondition(c.after, t) != jobCondition(c.before, t)
}

func (c *jobChange) has(t batchv1.JobConditionType) bool { return jobCondition(c.after, t) }

func differs[T any](a, b T) bool { return !semantic.DeepEqual(a, b) }

func (c *jobChange) refuse(where bool, name string, value any, message string) {
	if where {
		c.errs.Invalid(jobStatusPath.Child(name), value, message)
	}
}

func (c *jobChange) conditions(where bool, message string) {
	c.refuse(where, "conditions", field.OmitValueType{}, message)
}

func jobCounts(s *batchv1.JobStatus) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.NotNegative(s.Active, jobStatusPath.Child("active")))
	errs.Add(rules.NotNegative(s.Succeeded, jobStatusPath.Child("succeeded")))
	errs.Add(rules.NotNegative(s.Failed, jobStatusPath.Child("failed")))
	errs.Add(rules.NotNegativePointer(s.Ready, jobStatusPath.Child("ready")))
	errs.Add(rules.NotNegativePointer(s.Terminating, jobStatusPath.Child("terminating")))
	if s.UncountedTerminatedPods == nil {
		return errs.List()
	}
	seen := map[types.UID]bool{}
	uid := func(uid types.UID, at *field.Path) field.ErrorList {
		if uid != "" && seen[uid] {
			return field.ErrorList{field.Duplicate(at, uid)}
		}
		seen[uid] = true
		return rules.Unless(uid != "", at, uid, "must not be empty")
	}
	at := jobStatusPath.Child("uncountedTerminatedPods")
	errs.Add(rules.EachOf(s.UncountedTerminatedPods.Succeeded, -1, at.Child("succeeded"), uid))
	errs.Add(rules.EachOf(s.UncountedTerminatedPods.Failed, -1, at.Child("failed"), uid))
	return errs.List()
}

func (c *jobChange) times() {
	complete := c.has(batchv1.JobComplete)
	after, before := &c.after.Status, &c.before.Status
	completion := differs(after.CompletionTime, before.CompletionTime)
	c.conditions((c.changed(batchv1.JobComplete) || c.changed(batchv1.JobFailed)) && complete && c.has(batchv1.JobFailed), "cannot set Complete=True and Failed=true conditions")
	c.conditions((c.changed(batchv1.JobComplete) || c.changed(batchv1.JobFailureTarget)) && complete && c.has(batchv1.JobFailureTarget), "cannot set Complete=True and FailureTarget=true conditions")
	if c.changed(batchv1.JobComplete) || completion {
		c.refuse(after.CompletionTime != nil && !complete, "completionTime", after.CompletionTime, "cannot set completionTime when there is no Complete=True condition")
		if after.CompletionTime == nil && complete {
			c.errs.Required(jobStatusPath.Child("completionTime"), "completionTime is required for Complete jobs")
		}
	}
	if completion || differs(after.StartTime, before.StartTime) {
		c.refuse(after.StartTime != nil && after.CompletionTime != nil && after.CompletionTime.Before(after.StartTime), "completionTime", after.CompletionTime, "must be equal to or after `startTime`")
	}
}

// ends checks that a finished job was about to finish.
func (c *jobChange) ends() {
	after, before := &c.after.Status, &c.before.Status
	if c.changed(batchv1.JobFailed) || differs(after.FailedIndexes, before.FailedIndexes) {
		c.conditions(c.has(batchv1.JobFailed) && !c.has(batchv1.JobFailureTarget), "cannot set Failed=True condition without the FailureTarget=true condition")
	}
	if c.changed(batchv1.JobComplete) || c.changed(batchv1.JobSuccessCriteriaMet) {
		c.conditions(c.has(batchv1.JobComplete) && !c.has(batchv1.JobSuccessCriteriaMet), "cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
	}
	changed := c.finished != isFinished(c.before)
	c.refuse((changed || after.Active != before.Active) && c.finished && after.Active > 0, "active", after.Active, "active>0 is invalid for finished job")
	nothingToDo := rules.IsTrue(c.after.Spec.Suspend) && c.after.Spec.Completions != nil && *c.after.Spec.Completions == 0
	if (changed || differs(after.StartTime, before.StartTime)) && !nothingToDo && c.finished && after.StartTime == nil {
		c.errs.Required(jobStatusPath.Child("startTime"), "startTime is required for finished job")
	}
	u := after.UncountedTerminatedPods
	c.refuse((changed || differs(u, before.UncountedTerminatedPods)) && c.finished && u != nil && len(u.Succeeded)+len(u.Failed) > 0,
		"uncountedTerminatedPods", rules.AsInternal(u), "must be empty for finished job")
}

func (c *jobChange) indexes() {
	s, after, before := &c.after.Spec, &c.after.Status, &c.before.Status
	completed, failed := after.CompletedIndexes != before.CompletedIndexes, differs(after.FailedIndexes, before.FailedIndexes)
	if completed && s.Completions != nil {
		_, err := countIndexes(after.CompletedIndexes, *s.Completions)
		c.refuse(err != nil, "completedIndexes", after.CompletedIndexes, fmt.Sprintf("error parsing completedIndexes: %v", err))
	}
	if failed && s.Completions != nil && s.BackoffLimitPerIndex != nil && after.FailedIndexes != nil {
		_, err := countIndexes(*after.FailedIndexes, *s.Completions)
		c.refuse(err != nil, "failedIndexes", after.FailedIndexes, fmt.Sprintf("error parsing failedIndexes: %v", err))
	}
	c.refuse(completed && after.CompletedIndexes != "" && !isIndexed(s), "completedIndexes", after.CompletedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode")
	if after.FailedIndexes == nil {
		return
	}
	c.refuse(failed && s.BackoffLimitPerIndex == nil, "failedIndexes", *after.FailedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")
	if (completed || failed) && s.Completions != nil {
		index, both := commonIndex(after.CompletedIndexes, *after.FailedIndexes, *s.Completions)
		c.refuse(both, "failedIndexes", *after.FailedIndexes, fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d", index))
	}
}

// commonIndex returns the first index that is in both lists. Invalid parts are skipped.
func commonIndex(a, b string, completions int32) (index int32, ok bool) {
	for _, part := range strings.Split(a, ",") {
		from, to, err := indexInterval(part, completions)
		if err != nil {
			continue
		}
		for _, other := range strings.Split(b, ",") {
			otherFrom, otherTo, err := indexInterval(other, completions)
			if err == nil && from <= otherTo && otherFrom <= to {
				return max(from, otherFrom), true
			}
		}
	}
	return 0, false
}

func (c *jobChange) pods() {
	after, before := &c.after.Status, &c.before.Status
	if c.finished != isFinished(c.before) || differs(after.Terminating, before.Terminating) {
		c.refuse(c.finished && after.Terminating != nil && *after.Terminating > 0, "terminating", after.Terminating, "terminating>0 is invalid for finished job")
	}
	if after.Ready != nil && (differs(after.Ready, before.Ready) || after.Active != before.Active) {
		c.refuse(*after.Ready > after.Active, "ready", *after.Ready, "cannot set more ready pods than active")
	}
}

func (c *jobChange) success() {
	met := c.has(batchv1.JobSuccessCriteriaMet)
	c.conditions(met && c.has(batchv1.JobFailed), "cannot set SuccessCriteriaMet=True and Failed=true conditions")
	c.conditions(met && c.has(batchv1.JobFailureTarget), "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
	c.conditions(c.after.Spec.SuccessPolicy != nil && !met && c.has(batchv1.JobComplete), "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
}

// staysSo checks what must never change back.
func (c *jobChange) staysSo() {
	after, before := &c.after.Status, &c.before.Status
	for _, t := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget} {
		c.conditions(jobCondition(c.before, t) && !c.has(t), fmt.Sprintf("cannot disable the terminal %s=True condition", t))
	}
	c.refuse(after.Failed < before.Failed, "failed", after.Failed, "cannot decrease the failed counter")
	elastic := isIndexed(&c.after.Spec) && semantic.DeepEqual(c.after.Spec.Completions, c.after.Spec.Parallelism)
	c.refuse(!elastic && after.Succeeded < before.Succeeded, "succeeded", after.Succeeded, "cannot decrease the succeeded counter")
	c.refuse(after.CompletionTime != nil && before.CompletionTime != nil && !after.CompletionTime.Equal(before.CompletionTime), "completionTime", after.CompletionTime, "field is immutable")
	runsAgain := slices.ContainsFunc(after.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobSuspended && c.Status == corev1.ConditionFalse
	})
	resumes := jobCondition(c.before, batchv1.JobSuspended) && runsAgain
	c.refuse(!resumes && before.StartTime != nil && !before.StartTime.Equal(after.StartTime) && !rules.IsTrue(c.after.Spec.Suspend), "startTime", after.StartTime, "field is immutable for unsuspended job once set")
}

// onlyByPolicy requires a success policy for the condition that its criteria are met.
func (c *jobChange) onlyByPolicy() {
	met := c.has(batchv1.JobSuccessCriteriaMet)
	c.conditions(met && !isIndexed(&c.after.Spec), "cannot set SuccessCriteriaMet to NonIndexed Job")
	c.conditions(met && c.after.Spec.SuccessPolicy == nil, "cannot set SuccessCriteriaMet=True for Job without SuccessPolicy")
}

// staysSuccessful checks that a job does not change whether its criteria were met when it was complete.
func (c *jobChange) staysSuccessful() {
	met, wasMet := c.has(batchv1.JobSuccessCriteriaMet), jobCondition(c.before, batchv1.JobSuccessCriteriaMet)
	c.conditions(wasMet && !met, "cannot disable the SuccessCriteriaMet=True condition")
	c.conditions(jobCondition(c.before, batchv1.JobComplete) && !wasMet && met, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
}
