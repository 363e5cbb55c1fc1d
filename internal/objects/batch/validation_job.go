// kubernetes/kubernetes:pkg/apis/batch/validation/validation.go

package batch

import (
	"fmt"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// The limits of an indexed job.
const (
	maxIndexedParallelism  = 100000
	maxFailedIndexes       = 100000
	manyCompletions        = 100000
	parallelismOfMany      = 10000
	failedIndexesOfMany    = 10000
	maxSuccessRules        = 20
	maxSucceededIndexes    = 64 * 1024
	maxManagedByLength     = 63
	requiresIndexes        = "requires indexed completion mode"
	whenManyAreLimitedEach = "when completions are above %d and used with backoff limit per index"
)

func isIndexed(s *batchv1.JobSpec) bool {
	return s.CompletionMode != nil && *s.CompletionMode == batchv1.IndexedCompletion
}

// jobLimits checks how often a job may fail, and which controller runs it.
func jobLimits(s *batchv1.JobSpec, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.NotNegativePointer(s.BackoffLimitPerIndex, at.Child("backoffLimitPerIndex")))
	errs.Add(rules.NotNegativePointer(s.MaxFailedIndexes, at.Child("maxFailedIndexes")))
	if s.MaxFailedIndexes != nil && s.BackoffLimitPerIndex == nil {
		errs.Required(at.Child("backoffLimitPerIndex"), "when maxFailedIndexes is specified")
	}
	if by := s.ManagedBy; by != nil {
		errs.Add(utilvalidation.IsDomainPrefixedPath(at.Child("managedBy"), *by))
		if len(*by) > maxManagedByLength {
			errs.TooLong(at.Child("managedBy"), "", maxManagedByLength)
		}
	}
	if isIndexed(s) {
		errs.Add(indexedLimits(s, at))
		return errs.List()
	}
	if s.CompletionMode == nil || *s.CompletionMode == batchv1.NonIndexedCompletion {
		if n := s.BackoffLimitPerIndex; n != nil {
			errs.Invalid(at.Child("backoffLimitPerIndex"), *n, requiresIndexes)
		}
		if n := s.MaxFailedIndexes; n != nil {
			errs.Invalid(at.Child("maxFailedIndexes"), *n, requiresIndexes)
		}
	}
	return errs.List()
}

func indexedLimits(s *batchv1.JobSpec, at *field.Path) field.ErrorList {
	var errs rules.Errors
	atMost := func(name string, n *int32, limit int32, words string) {
		if n != nil {
			errs.Add(rules.Unless(*n <= limit, at.Child(name), *n, words))
		}
	}
	atMost("parallelism", s.Parallelism, maxIndexedParallelism, fmt.Sprintf("must be less than or equal to %d when completion mode is Indexed", maxIndexedParallelism))
	if s.Completions != nil {
		atMost("maxFailedIndexes", s.MaxFailedIndexes, *s.Completions, "must be less than or equal to completions")
	}
	atMost("maxFailedIndexes", s.MaxFailedIndexes, maxFailedIndexes, fmt.Sprintf("must be less than or equal to %d", maxFailedIndexes))
	if s.Completions == nil || *s.Completions <= manyCompletions || s.BackoffLimitPerIndex == nil {
		return errs.List()
	}
	if s.MaxFailedIndexes == nil {
		errs.Required(at.Child("maxFailedIndexes"), fmt.Sprintf("must be specified when completions is above %d", manyCompletions))
	}
	many := fmt.Sprintf(whenManyAreLimitedEach, manyCompletions)
	atMost("parallelism", s.Parallelism, parallelismOfMany, fmt.Sprintf("must be less than or equal to %d %s", parallelismOfMany, many))
	atMost("maxFailedIndexes", s.MaxFailedIndexes, failedIndexesOfMany, fmt.Sprintf("must be less than or equal to %d %s", failedIndexesOfMany, many))
	return errs.List()
}

// successPolicy checks when a job counts as done before all of it is.
func successPolicy(s *batchv1.JobSpec, at *field.Path) field.ErrorList {
	p := s.SuccessPolicy
	if p == nil {
		return nil
	}
	if !isIndexed(s) {
		return field.ErrorList{field.Invalid(at, rules.AsInternal(*p), requiresIndexes)}
	}
	var errs rules.Errors
	rules := at.Child("rules")
	if len(p.Rules) == 0 {
		errs.Required(rules, "at least one rules must be specified when the successPolicy is specified")
	}
	if len(p.Rules) > maxSuccessRules {
		errs.TooMany(rules, len(p.Rules), maxSuccessRules)
	}
	for i, r := range p.Rules {
		errs.Add(successRule(r, s.Completions, rules.Index(i)))
	}
	return errs.List()
}

func successRule(r batchv1.SuccessPolicyRule, completions *int32, at *field.Path) field.ErrorList {
	if r.SucceededCount == nil && r.SucceededIndexes == nil {
		return field.ErrorList{field.Required(at, "at least one of succeededCount or succeededIndexes must be specified")}
	}
	if completions == nil { // this has been reported already
		return nil
	}
	var errs rules.Errors
	total := int32(0)
	if list := r.SucceededIndexes; list != nil {
		if len(*list) > maxSucceededIndexes {
			errs.TooLong(at.Child("succeededIndexes"), "", maxSucceededIndexes)
		}
		n, err := countIndexes(*list, *completions)
		if total = n; err != nil {
			errs.Invalid(at.Child("succeededIndexes"), *list, "error parsing succeededIndexes: "+err.Error())
		}
	}
	if n := r.SucceededCount; n != nil {
		at := at.Child("succeededCount")
		errs.Add(rules.NotNegative(*n, at))
		errs.Add(rules.Unless(*n <= *completions, at, *n, fmt.Sprintf("must be less than or equal to %d (the number of specified completions)", *completions)))
		errs.Add(rules.Unless(r.SucceededIndexes == nil || *n <= total, at, *n, fmt.Sprintf("must be less than or equal to %d (the number of indexes in the specified succeededIndexes field)", total)))
	}
	return errs.List()
}

// countIndexes parses a list such as 1,3-5.
func countIndexes(list string, completions int32) (total int32, err error) {
	if list == "" {
		return 0, nil
	}
	last := int32(-1)
	for _, part := range strings.Split(list, ",") {
		from, to, err := indexInterval(part, completions)
		if err != nil {
			return 0, err
		}
		if last >= from {
			return 0, fmt.Errorf("non-increasing order, previous: %d, current: %d", last, from)
		}
		total, last = total+to-from+1, to
	}
	return total, nil
}

// indexInterval parses a single index or a range such as 3-5.
func indexInterval(part string, completions int32) (from, to int32, err error) {
	index := func(text string) (int32, error) {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return 0, fmt.Errorf("cannot convert string to integer for index: %q", text)
		case n >= int(completions):
			return 0, fmt.Errorf("too large index: %q", text)
		}
		return int32(n), nil
	}
	ends := strings.Split(part, "-")
	if len(ends) > 2 {
		return 0, 0, fmt.Errorf("the fragment %q violates the requirement that an index interval can have at most two parts separated by '-'", part)
	}
	if from, err = index(ends[0]); err != nil || len(ends) == 1 {
		return from, from, err
	}
	if to, err = index(ends[1]); err != nil {
		return 0, 0, err
	}
	if from >= to {
		return 0, 0, fmt.Errorf("non-increasing order, previous: %d, current: %d", from, to)
	}
	return from, to, nil
}

func podReplacement(s *batchv1.JobSpec, at *field.Path) field.ErrorList {
	switch p := s.PodReplacementPolicy; {
	case p == nil:
		return nil
	case s.PodFailurePolicy != nil:
		return rules.Choice(*p, at, batchv1.Failed)
	default:
		return rules.Choice(*p, at, batchv1.Failed, batchv1.TerminatingOrFailed)
	}
}
