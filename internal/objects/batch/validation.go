// kubernetes/kubernetes:pkg/apis/batch/validation/validation.go

package batch

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The rules of jobs follow kubernetes/kubernetes:pkg/apis/batch/validation/validation.go.

func validateJob(j *batchv1.Job, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(generatedSelector(j, r))
	errs.Add(selectedJobSpec(&j.Spec, r))
	errs.Add(unmarked(j, r))
	errs.Add(podNameFits(j))
	return errs.List()
}

// selectedJobSpec checks a spec, and that its selector matches the pods of its template.
func selectedJobSpec(s *batchv1.JobSpec, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(validateJobSpec(s, rules.SpecPath, r))
	if s.Selector == nil {
		errs.Required(rules.SpecPath.Child("selector"), "")
	} else {
		errs.Add(rules.LabelValues.Selector(s.Selector, rules.SpecPath.Child("selector")))
	}
	if selector, err := metav1.LabelSelectorAsSelector(s.Selector); err == nil {
		errs.Add(rules.Unless(selector.Matches(labels.Set(s.Template.Labels)), rules.SpecPath.Child("template", "metadata", "labels"),
			s.Template.Labels, "`selector` does not match template `labels`"))
	}
	return errs.List()
}

// podNameFits requires that the name of an indexed job's last pod is not too long.
func podNameFits(j *batchv1.Job) field.ErrorList {
	n := j.Spec.Completions
	if j.Spec.CompletionMode == nil || *j.Spec.CompletionMode != batchv1.IndexedCompletion || n == nil || *n <= 0 {
		return nil
	}
	last := fmt.Sprintf("%s-%d", j.Name, *n-1)
	return rules.Unless(len(rules.DNS1123Label(last)) == 0, rules.MetadataPath.Child("name"), j.Name,
		"will not able to create pod with invalid DNS label: "+last)
}

func validateJobSpec(s *batchv1.JobSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.NotNegativePointer(s.Parallelism, at.Child("parallelism")))
	errs.Add(rules.NotNegativePointer(s.Completions, at.Child("completions")))
	errs.Add(rules.NotNegativePointer(s.ActiveDeadlineSeconds, at.Child("activeDeadlineSeconds")))
	errs.Add(rules.NotNegativePointer(s.BackoffLimit, at.Child("backoffLimit")))
	errs.Add(rules.NotNegativePointer(s.TTLSecondsAfterFinished, at.Child("ttlSecondsAfterFinished")))
	if m := s.CompletionMode; m != nil {
		errs.Add(rules.Choice(*m, at.Child("completionMode"), batchv1.NonIndexedCompletion, batchv1.IndexedCompletion))
		if *m == batchv1.IndexedCompletion && s.Completions == nil {
			errs.Required(at.Child("completions"), fmt.Sprintf("when completion mode is %s", batchv1.IndexedCompletion))
		}
	}
	errs.Add(jobLimits(s, at))
	errs.Add(failurePolicy(s, at.Child("podFailurePolicy"), r.Release))
	errs.Add(successPolicy(s, at.Child("successPolicy")))
	errs.Add(podReplacement(s, at.Child("podReplacementPolicy")))
	errs.Add(jobScheduling(s, at.Child("scheduling")))
	errs.Add(pod.ValidateTemplate(&s.Template, at.Child("template"), r))
	errs.Add(runsToEnd(s, at.Child("template", "spec", "restartPolicy"), r.Release))
	return errs.List()
}

// runsToEnd requires that pods are not restarted after they ended. The default, Always, counts as missing.
func runsToEnd(s *batchv1.JobSpec, at *field.Path, r *kubeversion.Release) field.ErrorList {
	switch p := s.Template.Spec.RestartPolicy; p {
	case "", corev1.RestartPolicyAlways:
		if !r.Has(kubeversion.JobRestartsRequired) {
			return field.ErrorList{field.NotSupported(at, p, []string{"OnFailure", "Never"})}
		}
		return field.ErrorList{field.Required(at, `valid values: "OnFailure", "Never"`)}
	case corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever:
		if s.PodFailurePolicy != nil && p != corev1.RestartPolicyNever {
			return field.ErrorList{field.Invalid(at, p, `only "Never" is supported when podFailurePolicy is specified`)}
		}
		return nil
	default:
		return field.ErrorList{field.NotSupported(at, p, []corev1.RestartPolicy{corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever})}
	}
}

func failureAction(action batchv1.PodFailurePolicyAction, s *batchv1.JobSpec, at *field.Path, r *kubeversion.Release) field.ErrorList {
	const count, index, job, ignore = batchv1.PodFailurePolicyActionCount, batchv1.PodFailurePolicyActionFailIndex, batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionIgnore
	known := []batchv1.PodFailurePolicyAction{count, index, job, ignore}
	if !r.Has(kubeversion.JobIndexesFail) {
		known = []batchv1.PodFailurePolicyAction{count, job, ignore}
	}
	switch {
	case action == "":
		return field.ErrorList{field.Required(at, fmt.Sprintf("valid values: %q", known))}
	case action == index && slices.Contains(known, index) && s.BackoffLimitPerIndex == nil:
		return field.ErrorList{field.Invalid(at, action, "requires the backoffLimitPerIndex to be set")}
	}
	return rules.Choice(action, at, known...)
}

func failurePolicy(s *batchv1.JobSpec, at *field.Path, release *kubeversion.Release) field.ErrorList {
	if s.PodFailurePolicy == nil {
		return nil
	}
	var errs rules.Errors
	if n := len(s.PodFailurePolicy.Rules); n > maxFailureRules {
		errs.TooMany(at.Child("rules"), n, maxFailureRules)
	}
	for i, r := range s.PodFailurePolicy.Rules {
		at := at.Child("rules").Index(i)
		errs.Add(failureAction(r.Action, s, at.Child("action"), release))
		if r.OnExitCodes != nil {
			errs.Add(exitCodes(r.OnExitCodes, &s.Template.Spec, at.Child("onExitCodes")))
		}
		if n := len(r.OnPodConditions); n > maxFailureConditions {
			errs.TooMany(at.Child("onPodConditions"), n, maxFailureConditions)
		}
		for j, c := range r.OnPodConditions {
			at := at.Child("onPodConditions").Index(j)
			errs.Add(rules.QualifiedName(string(c.Type), at.Child("type")))
			if c.Status == "" {
				errs.Required(at.Child("status"), `valid values: ["False" "True" "Unknown"]`)
				continue
			}
			errs.Add(rules.Choice(c.Status, at.Child("status"), corev1.ConditionFalse, corev1.ConditionTrue, corev1.ConditionUnknown))
		}
		switch codes, conditions := r.OnExitCodes != nil, len(r.OnPodConditions) > 0; {
		case codes && conditions:
			errs.Invalid(at, field.OmitValueType{}, "specifying both OnExitCodes and OnPodConditions is not supported")
		case !codes && !conditions:
			errs.Invalid(at, field.OmitValueType{}, "specifying one of OnExitCodes and OnPodConditions is required")
		}
	}
	return errs.List()
}

const (
	maxFailureRules      = 20
	maxFailureConditions = 20
	maxExitCodes         = 255
)

func exitCodes(c *batchv1.PodFailurePolicyOnExitCodesRequirement, s *corev1.PodSpec, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if c.Operator == "" {
		errs.Required(at.Child("operator"), `valid values: ["In" "NotIn"]`)
	} else {
		errs.Add(rules.Choice(c.Operator, at.Child("operator"), batchv1.PodFailurePolicyOnExitCodesOpIn, batchv1.PodFailurePolicyOnExitCodesOpNotIn))
	}
	if name := c.ContainerName; name != nil {
		errs.Add(rules.Unless(pod.HasContainer(s, *name), at.Child("containerName"), *name, "must be one of the container or initContainer names in the pod template"))
	}
	if len(c.Values) == 0 {
		errs.Invalid(at.Child("values"), c.Values, "at least one value is required")
	}
	if len(c.Values) > maxExitCodes {
		errs.TooMany(at.Child("values"), len(c.Values), maxExitCodes)
	}
	seen := map[int32]bool{}
	for i, v := range c.Values {
		if seen[v] {
			errs.Duplicate(at.Child("values").Index(i), v)
		}
		seen[v] = true
		if v == 0 && c.Operator == batchv1.PodFailurePolicyOnExitCodesOpIn {
			errs.Invalid(at.Child("values").Index(i), v, "must not be 0 for the In operator")
		}
	}
	errs.Add(rules.Unless(slices.IsSorted(c.Values), at.Child("values"), c.Values, "must be ordered"))
	return errs.List()
}

// Jobs are named after their cron job, followed by a number with this many digits.
const longestCronJobName = 63 - 11

func validateCronJob(c *batchv1.CronJob, r rules.Request) field.ErrorList {
	at, s := field.NewPath("spec"), &c.Spec
	var errs rules.Errors
	var old *batchv1.CronJobSpec
	if before := rules.OldOf[*batchv1.CronJob](r); before != nil {
		old = &before.Spec
	}
	if s.Schedule == "" {
		errs.Required(at.Child("schedule"), "")
	} else {
		errs.Add(rules.Faults(at.Child("schedule"), s.Schedule, scheduleFaults(s, old, r)))
	}
	errs.Add(rules.NotNegativePointer(s.StartingDeadlineSeconds, at.Child("startingDeadlineSeconds")))
	if s.TimeZone != nil && (old == nil || old.TimeZone == nil || *old.TimeZone != *s.TimeZone) {
		errs.Add(timeZone(*s.TimeZone, at.Child("timeZone")))
	}
	errs.Add(rules.Choice(s.ConcurrencyPolicy, at.Child("concurrencyPolicy"), "", batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent))
	template := at.Child("jobTemplate", "spec")
	errs.Add(validateJobSpec(&s.JobTemplate.Spec, template, r))
	if selector := s.JobTemplate.Spec.Selector; selector != nil {
		errs.Invalid(template.Child("selector"), selector, "`selector` will be auto-generated")
	}
	if rules.IsTrue(s.JobTemplate.Spec.ManualSelector) {
		errs.Append(field.NotSupported(template.Child("manualSelector"), true, []string{"nil", "false"}))
	}
	errs.Add(rules.NotNegativePointer(s.SuccessfulJobsHistoryLimit, at.Child("successfulJobsHistoryLimit")))
	errs.Add(rules.NotNegativePointer(s.FailedJobsHistoryLimit, at.Child("failedJobsHistoryLimit")))
	if c.ResourceVersion == "" && len(c.Name) > longestCronJobName {
		errs.Invalid(rules.MetadataPath.Child("name"), c.Name, fmt.Sprintf("must be no more than %d characters", longestCronJobName))
	}
	return errs.List()
}

var timeZoneCharacters = regexp.MustCompile(`^[A-Za-z\.\-_0-9+]{1,14}$`)

func timeZone(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Invalid(at, name, "timeZone must be nil or non-empty string")}
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "." || part == ".." || strings.HasPrefix(part, "-") || !timeZoneCharacters.MatchString(part) {
			return field.ErrorList{field.Invalid(at, name, "unknown time zone "+name)}
		}
	}
	var errs rules.Errors
	errs.Add(rules.Unless(!strings.EqualFold(name, "Local"), at, name, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"))
	_, err := time.LoadLocation(name) // the error may contain names of local files
	errs.Add(rules.Unless(err == nil, at, name, "unknown time zone "+name))
	return errs.List()
}

// scheduleFaults returns what is wrong with a schedule. It may include a time zone if it did before, or in any case up
// to 1.28, provided that the spec has no time zone itself.
func scheduleFaults(s, old *batchv1.CronJobSpec, r rules.Request) []string {
	var all []string
	if wrong := scheduleFault(s.Schedule, r.Release); wrong != "" {
		all = append(all, wrong)
	}
	switch allowed := !r.Release.Has(kubeversion.ScheduleZoneRefused) || old != nil && strings.Contains(old.Schedule, "TZ"); {
	case !strings.Contains(s.Schedule, "TZ"):
	case !allowed:
		all = append(all, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")
	case s.TimeZone != nil:
		all = append(all, "cannot use both timeZone field and TZ or CRON_TZ in schedule")
	}
	return all
}

// scheduleFault returns the error of robfig/cron about a schedule, if any. A schedule consists of five fields, or is a
// descriptor, with or without a time zone before it. Earlier versions of the library know no time zones, and their errors
// begin with a capital letter.
func scheduleFault(schedule string, r *kubeversion.Release) string {
	if !r.Has(kubeversion.SchedulesParsedByV3) {
		wrong := timesFault(schedule, schedule)
		if wrong == "" {
			return ""
		}
		return strings.ToUpper(wrong[:1]) + wrong[1:]
	}
	if strings.HasPrefix(schedule, "TZ=") || strings.HasPrefix(schedule, "CRON_TZ=") {
		_, zone, _ := strings.Cut(schedule, "=")
		zone, rest, spaced := strings.Cut(zone, " ")
		if !spaced {
			return "invalid schedule format: runtime error: slice bounds out of range [:-1]"
		}
		if _, err := time.LoadLocation(zone); err != nil {
			return fmt.Sprintf("provided bad location %s: unknown time zone %s", zone, zone)
		}
		schedule = strings.TrimSpace(rest)
	}
	return timesFault(schedule, strings.Fields(schedule))
}

// timesFault returns what is wrong with a schedule without a time zone. shown is what the error about the number of its
// fields shows.
func timesFault(schedule string, shown any) string {
	if strings.HasPrefix(schedule, "@") {
		return descriptorFault(schedule)
	}
	fields := strings.Fields(schedule)
	if len(fields) != len(cronBounds) {
		return fmt.Sprintf("expected exactly %d fields, found %d: %v", len(cronBounds), len(fields), shown)
	}
	for i, f := range fields {
		for part := range strings.FieldsFuncSeq(f, func(r rune) bool { return r == ',' }) {
			if wrong := cronBounds[i].fault(part); wrong != "" {
				return wrong
			}
		}
	}
	return ""
}

func descriptorFault(schedule string) string {
	switch schedule {
	case "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly":
		return ""
	}
	if text, ok := strings.CutPrefix(schedule, "@every "); ok {
		if _, err := time.ParseDuration(text); err != nil {
			return fmt.Sprintf("failed to parse duration %s: %s", schedule, err)
		}
		return ""
	}
	return "unrecognized descriptor: " + schedule
}

// A cronBound says which values a field of a schedule may have.
type cronBound struct {
	min, max int
	names    string // of the values from min on, three letters each
}

var cronBounds = [...]cronBound{{0, 59, ""}, {0, 23, ""}, {1, 31, ""}, {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"}, {0, 6, "sunmontuewedthufrisat"}}

// fault returns what is wrong with one of the ranges of a field: "*", "n" or "n-m", optionally followed by "/step".
func (b cronBound) fault(expr string) string {
	span, step, stepped := strings.Cut(expr, "/")
	from, to, ranged := strings.Cut(span, "-")
	low, high := b.min, b.max
	if from != "*" && from != "?" {
		var wrong string
		if low, wrong = b.number(from); wrong != "" {
			return wrong
		}
		switch {
		case strings.Contains(to, "-"):
			return "too many hyphens: " + expr
		case ranged:
			if high, wrong = b.number(to); wrong != "" {
				return wrong
			}
		case !stepped:
			high = low
		}
	}
	every := 1
	switch {
	case strings.Contains(step, "/"):
		return "too many slashes: " + expr
	case stepped:
		var wrong string
		if every, wrong = notNegative(step); wrong != "" {
			return wrong
		}
	}
	switch {
	case low < b.min:
		return fmt.Sprintf("beginning of range (%d) below minimum (%d): %s", low, b.min, expr)
	case high > b.max:
		return fmt.Sprintf("end of range (%d) above maximum (%d): %s", high, b.max, expr)
	case low > high:
		return fmt.Sprintf("beginning of range (%d) beyond end of range (%d): %s", low, high, expr)
	case every == 0:
		return "step of range should be a positive number: " + expr
	}
	return ""
}

func (b cronBound) number(text string) (n int, wrong string) {
	if at := strings.Index(b.names, strings.ToLower(text)); len(text) == 3 && at >= 0 && at%3 == 0 {
		return b.min + at/3, ""
	}
	return notNegative(text)
}

func notNegative(text string) (n int, wrong string) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Sprintf("failed to parse int from %s: %s", text, err)
	}
	if n < 0 {
		return 0, fmt.Sprintf("negative number (%d) not allowed: %s", n, text)
	}
	return n, ""
}
