// kubernetes/kubernetes:pkg/apis/batch/validation/validation.go

package batch

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// jobScheduling checks how the pods of a job are scheduled together. Most of it is declared.
func jobScheduling(s *batchv1.JobSpec, at *field.Path) field.ErrorList {
	g := s.Scheduling
	if g == nil {
		return nil
	}
	var errs rules.Errors
	if p := g.SchedulingPolicy; p != nil && p.Gang != nil && p.Gang.MinCount != nil {
		most := int32(1)
		if s.Parallelism != nil {
			most = *s.Parallelism
		}
		errs.Add(rules.Unless(*p.Gang.MinCount <= most, at.Child("schedulingPolicy", "gang", "minCount"), *p.Gang.MinCount, fmt.Sprintf("must not be greater than parallelism (%d)", most)))
	}
	if p, mode := g.SchedulingPolicy, g.DisruptionMode; (p == nil || p.Gang == nil) && mode != nil && mode.All != nil && mode.Single == nil {
		errs.Invalid(at.Child("disruptionMode"), "", "the disruptionMode `all` is not supported with the Basic scheduling policy")
	}
	return errs.List()
}

// jobSchedulingChange requires that a gang stays a gang.
func jobSchedulingChange(after, before *batchv1.JobSchedulingConfiguration) field.ErrorList {
	if after == nil || before == nil || after.SchedulingPolicy == nil || before.SchedulingPolicy == nil || (after.SchedulingPolicy.Basic != nil) == (before.SchedulingPolicy.Basic != nil) {
		return nil
	}
	return field.ErrorList{field.Invalid(rules.SpecPath.Child("scheduling", "schedulingPolicy"), nil, "the basic/gang policy variant is immutable after creation; only schedulingPolicy.gang.minCount may be updated")}
}
