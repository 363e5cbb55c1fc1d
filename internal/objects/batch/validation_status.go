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
)

// A jobChange is what an update does to the status of a job: most of it is checked only where
// it changes (kubernetes/kubernetes:pkg/registry/batch/job/strategy.go).
type jobChange struct {
	is, was  *batchv1.Job
	finished bool
	errs     rules.Errors
}

var jobStatusPath = field.NewPath("status")

func jobStatusUpdate(j, old *batchv1.Job) field.ErrorList {
	c := &jobChange{is: j, was: old, finished: isFinished(j)}
	c.errs.Add(jobCounts(&j.Status))
	c.times()
	c.ends()
	c.pods()
	c.indexes()
	c.success()
	c.staysSo()
	return c.errs.List()
}

func isFinished(j *batchv1.Job) bool {
	return jobCondition(j, batchv1.JobComplete) || jobCondition(j, batchv1.JobFailed)
}

// changed tells whether the job comes to have a condition, or no longer has it.
func (c *jobChange) changed(t batchv1.JobConditionType) bool {
	return jobCondition(c.is, t) != jobCondition(c.was, t)
}

func (c *jobChange) has(t batchv1.JobConditionType) bool { return jobCondition(c.is, t) }

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
	is, was := &c.is.Status, &c.was.Status
	completion := differs(is.CompletionTime, was.CompletionTime)
	c.conditions((c.changed(batchv1.JobComplete) || c.changed(batchv1.JobFailed)) && complete && c.has(batchv1.JobFailed), "cannot set Complete=True and Failed=true conditions")
	c.conditions((c.changed(batchv1.JobComplete) || c.changed(batchv1.JobFailureTarget)) && complete && c.has(batchv1.JobFailureTarget), "cannot set Complete=True and FailureTarget=true conditions")
	if c.changed(batchv1.JobComplete) || completion {
		c.refuse(is.CompletionTime != nil && !complete, "completionTime", is.CompletionTime, "cannot set completionTime when there is no Complete=True condition")
		if is.CompletionTime == nil && complete {
			c.errs.Required(jobStatusPath.Child("completionTime"), "completionTime is required for Complete jobs")
		}
	}
	if completion || differs(is.StartTime, was.StartTime) {
		c.refuse(is.StartTime != nil && is.CompletionTime != nil && is.CompletionTime.Before(is.StartTime), "completionTime", is.CompletionTime, "must be equal to or after `startTime`")
	}
}

// ends checks that a job that is done was going to be.
func (c *jobChange) ends() {
	is, was := &c.is.Status, &c.was.Status
	if c.changed(batchv1.JobFailed) || differs(is.FailedIndexes, was.FailedIndexes) {
		c.conditions(c.has(batchv1.JobFailed) && !c.has(batchv1.JobFailureTarget), "cannot set Failed=True condition without the FailureTarget=true condition")
	}
	if c.changed(batchv1.JobComplete) || c.changed(batchv1.JobSuccessCriteriaMet) {
		c.conditions(c.has(batchv1.JobComplete) && !c.has(batchv1.JobSuccessCriteriaMet), "cannot set Complete=True condition without the SuccessCriteriaMet=true condition")
	}
	changed := c.finished != isFinished(c.was)
	c.refuse((changed || is.Active != was.Active) && c.finished && is.Active > 0, "active", is.Active, "active>0 is invalid for finished job")
	nothingToDo := rules.IsTrue(c.is.Spec.Suspend) && c.is.Spec.Completions != nil && *c.is.Spec.Completions == 0
	if (changed || differs(is.StartTime, was.StartTime)) && !nothingToDo && c.finished && is.StartTime == nil {
		c.errs.Required(jobStatusPath.Child("startTime"), "startTime is required for finished job")
	}
	u := is.UncountedTerminatedPods
	c.refuse((changed || differs(u, was.UncountedTerminatedPods)) && c.finished && u != nil && len(u.Succeeded)+len(u.Failed) > 0,
		"uncountedTerminatedPods", rules.AsInternal(u), "must be empty for finished job")
}

func (c *jobChange) indexes() {
	s, is, was := &c.is.Spec, &c.is.Status, &c.was.Status
	completed, failed := is.CompletedIndexes != was.CompletedIndexes, differs(is.FailedIndexes, was.FailedIndexes)
	if completed && s.Completions != nil {
		_, err := countIndexes(is.CompletedIndexes, *s.Completions)
		c.refuse(err != nil, "completedIndexes", is.CompletedIndexes, fmt.Sprintf("error parsing completedIndexes: %v", err))
	}
	if failed && s.Completions != nil && s.BackoffLimitPerIndex != nil && is.FailedIndexes != nil {
		_, err := countIndexes(*is.FailedIndexes, *s.Completions)
		c.refuse(err != nil, "failedIndexes", is.FailedIndexes, fmt.Sprintf("error parsing failedIndexes: %v", err))
	}
	c.refuse(completed && is.CompletedIndexes != "" && !isIndexed(s), "completedIndexes", is.CompletedIndexes, "cannot set non-empty completedIndexes when non-indexed completion mode")
	if is.FailedIndexes == nil {
		return
	}
	c.refuse(failed && s.BackoffLimitPerIndex == nil, "failedIndexes", *is.FailedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")
	if (completed || failed) && s.Completions != nil {
		index, both := commonIndex(is.CompletedIndexes, *is.FailedIndexes, *s.Completions)
		c.refuse(both, "failedIndexes", *is.FailedIndexes, fmt.Sprintf("failedIndexes and completedIndexes overlap at index: %d", index))
	}
}

// commonIndex is the first index in both of two lists, whose parts that cannot be read are
// left out.
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
	is, was := &c.is.Status, &c.was.Status
	if c.finished != isFinished(c.was) || differs(is.Terminating, was.Terminating) {
		c.refuse(c.finished && is.Terminating != nil && *is.Terminating > 0, "terminating", is.Terminating, "terminating>0 is invalid for finished job")
	}
	if is.Ready != nil && (differs(is.Ready, was.Ready) || is.Active != was.Active) {
		c.refuse(*is.Ready > is.Active, "ready", *is.Ready, "cannot set more ready pods than active")
	}
}

func (c *jobChange) success() {
	met := c.has(batchv1.JobSuccessCriteriaMet)
	c.conditions(met && c.has(batchv1.JobFailed), "cannot set SuccessCriteriaMet=True and Failed=true conditions")
	c.conditions(met && c.has(batchv1.JobFailureTarget), "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
	c.conditions(c.is.Spec.SuccessPolicy != nil && !met && c.has(batchv1.JobComplete), "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")
}

// staysSo checks what never changes back.
func (c *jobChange) staysSo() {
	is, was := &c.is.Status, &c.was.Status
	for _, t := range []batchv1.JobConditionType{batchv1.JobFailed, batchv1.JobComplete, batchv1.JobFailureTarget} {
		c.conditions(jobCondition(c.was, t) && !c.has(t), fmt.Sprintf("cannot disable the terminal %s=True condition", t))
	}
	c.refuse(is.Failed < was.Failed, "failed", is.Failed, "cannot decrease the failed counter")
	elastic := isIndexed(&c.is.Spec) && semantic.DeepEqual(c.is.Spec.Completions, c.is.Spec.Parallelism)
	c.refuse(!elastic && is.Succeeded < was.Succeeded, "succeeded", is.Succeeded, "cannot decrease the succeeded counter")
	c.refuse(is.CompletionTime != nil && was.CompletionTime != nil && !is.CompletionTime.Equal(was.CompletionTime), "completionTime", is.CompletionTime, "field is immutable")
	runsAgain := slices.ContainsFunc(is.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == batchv1.JobSuspended && c.Status == corev1.ConditionFalse
	})
	resumes := jobCondition(c.was, batchv1.JobSuspended) && runsAgain
	c.refuse(!resumes && was.StartTime != nil && !was.StartTime.Equal(is.StartTime) && !rules.IsTrue(c.is.Spec.Suspend), "startTime", is.StartTime, "field is immutable for unsuspended job once set")
	met, wasMet := c.has(batchv1.JobSuccessCriteriaMet), jobCondition(c.was, batchv1.JobSuccessCriteriaMet)
	c.conditions(wasMet && !met, "cannot disable the SuccessCriteriaMet=True condition")
	c.conditions(jobCondition(c.was, batchv1.JobComplete) && !wasMet && met, "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
}
