// kubernetes/kubernetes:pkg/apis/apps/validation/validation.go

package apps

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A count is a number in a status.
type count struct {
	name string
	n    int64
}

func countsNotNegative(counts ...count) field.ErrorList {
	var errs rules.Errors
	for _, c := range counts {
		errs.Add(rules.NotNegative(c.n, field.NewPath("status", c.name)))
	}
	return errs.List()
}

// within requires numbers not to exceed a limit.
func within(limit int64, words string, counts ...count) field.ErrorList {
	var errs rules.Errors
	for _, c := range counts {
		errs.Add(rules.Unless(c.n <= limit, field.NewPath("status", c.name), c.n, words))
	}
	return errs.List()
}

// notDecremented checks a number that may only increase.
func notDecremented(n, old *int32) field.ErrorList {
	if old == nil || n != nil && *n >= *old {
		return nil
	}
	value := int32(0)
	if n != nil {
		value = *n
	}
	return field.ErrorList{field.Invalid(field.NewPath("status", "collisionCount"), value, "cannot be decremented")}
}

func given32(name string, n *int32) []count {
	if n == nil {
		return nil
	}
	return []count{{name, int64(*n)}}
}

func deploymentStatus(d, old *appsv1.Deployment) field.ErrorList {
	s := &d.Status
	all := append([]count{
		{"observedGeneration", s.ObservedGeneration}, {"replicas", int64(s.Replicas)}, {"updatedReplicas", int64(s.UpdatedReplicas)},
		{"readyReplicas", int64(s.ReadyReplicas)}, {"availableReplicas", int64(s.AvailableReplicas)}, {"unavailableReplicas", int64(s.UnavailableReplicas)},
	}, given32("terminatingReplicas", s.TerminatingReplicas)...)
	var errs rules.Errors
	errs.Add(countsNotNegative(append(all, given32("collisionCount", s.CollisionCount)...)...))
	errs.Add(within(int64(s.Replicas), "cannot be greater than status.replicas", all[2], all[3], all[4]))
	errs.Add(within(int64(s.ReadyReplicas), "cannot be greater than readyReplicas", all[4]))
	errs.Add(notDecremented(s.CollisionCount, old.Status.CollisionCount))
	return errs.List()
}

func daemonSetStatus(d, old *appsv1.DaemonSet) field.ErrorList {
	s := &d.Status
	var errs rules.Errors
	errs.Add(countsNotNegative(append([]count{
		{"currentNumberScheduled", int64(s.CurrentNumberScheduled)}, {"numberMisscheduled", int64(s.NumberMisscheduled)},
		{"desiredNumberScheduled", int64(s.DesiredNumberScheduled)}, {"numberReady", int64(s.NumberReady)},
		{"observedGeneration", s.ObservedGeneration}, {"updatedNumberScheduled", int64(s.UpdatedNumberScheduled)},
		{"numberAvailable", int64(s.NumberAvailable)}, {"numberUnavailable", int64(s.NumberUnavailable)},
	}, given32("collisionCount", s.CollisionCount)...)...))
	errs.Add(notDecremented(s.CollisionCount, old.Status.CollisionCount))
	return errs.List()
}

func replicaSetStatus(s *appsv1.ReplicaSetStatus) field.ErrorList {
	all := append([]count{
		{"replicas", int64(s.Replicas)}, {"fullyLabeledReplicas", int64(s.FullyLabeledReplicas)}, {"readyReplicas", int64(s.ReadyReplicas)},
		{"availableReplicas", int64(s.AvailableReplicas)}, {"observedGeneration", s.ObservedGeneration},
	}, given32("terminatingReplicas", s.TerminatingReplicas)...)
	var errs rules.Errors
	errs.Add(countsNotNegative(all...))
	errs.Add(within(int64(s.Replicas), "cannot be greater than status.replicas", all[1], all[2], all[3]))
	errs.Add(within(int64(s.ReadyReplicas), "cannot be greater than readyReplicas", all[3]))
	return errs.List()
}

func statefulSetStatus(s, old *appsv1.StatefulSet, r *kubeversion.Release) field.ErrorList {
	t := &s.Status
	all := []count{
		{"replicas", int64(t.Replicas)}, {"readyReplicas", int64(t.ReadyReplicas)}, {"currentReplicas", int64(t.CurrentReplicas)},
		{"updatedReplicas", int64(t.UpdatedReplicas)},
	}
	placed := all[1:]
	var available []count
	if r.Has(kubeversion.StatefulSetMinReadySeconds) {
		available = []count{{"availableReplicas", int64(t.AvailableReplicas)}}
	}
	all = append(slices.Concat(all, available), count{"observedGeneration", t.ObservedGeneration})
	var errs rules.Errors
	errs.Add(countsNotNegative(append(all, given32("collisionCount", t.CollisionCount)...)...))
	errs.Add(within(int64(t.Replicas), "cannot be greater than status.replicas", slices.Concat(placed, available)...))
	errs.Add(within(int64(t.ReadyReplicas), "cannot be greater than status.readyReplicas", available...))
	errs.Add(notDecremented(t.CollisionCount, old.Status.CollisionCount))
	return errs.List()
}
