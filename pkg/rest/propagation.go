package rest

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A collection is what the garbage collector does by default with the dependents of an object.
type collection int

const (
	collecting  collection = iota
	orphaning              // from the time when clients did it
	uncollected            // it ignores objects of the kind
)

func (x *exchange) collection() collection {
	switch x.req.Resource.GroupResource() {
	case schema.GroupResource{Resource: "replicationcontrollers"}, schema.GroupResource{Group: "batch", Resource: "jobs"}:
		return orphaning
	case schema.GroupResource{Resource: "events"}, schema.GroupResource{Group: "events.k8s.io", Resource: "events"}:
		return uncollected
	}
	return collecting
}

// warnOfOrphans warns clients that delete jobs without saying what happens to their pods:
// kubernetes/kubernetes:pkg/registry/batch/job/storage/storage.go.
func (x *exchange) warnOfOrphans(o *metav1.DeleteOptions) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	//lint:ignore SA1019 the server still honours the old option
	if x.req.Resource.GroupResource() == jobs && o.PropagationPolicy == nil && o.OrphanDependents == nil {
		x.warnings.Add("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// finalizersFor returns the finalizers that the garbage collector needs, and whether they differ from those that exist.
func finalizersFor(have []string, options *metav1.DeleteOptions, c collection) (want []string, changed bool) {
	if c == uncollected {
		return have, false
	}
	orphan, foreground := propagation(have, options, c == orphaning)
	return withFinalizers(have, orphan, foreground)
}

func withFinalizers(have []string, orphan, foreground bool) (want []string, changed bool) {
	for _, f := range have {
		if f != metav1.FinalizerOrphanDependents && f != metav1.FinalizerDeleteDependents {
			want = append(want, f)
		}
	}
	if orphan {
		want = append(want, metav1.FinalizerOrphanDependents)
	}
	if foreground {
		want = append(want, metav1.FinalizerDeleteDependents)
	}
	if len(have) == len(want) && !slices.ContainsFunc(want, func(f string) bool { return !slices.Contains(have, f) }) {
		return have, false
	}
	return want, true
}

// propagation returns what happens to the dependents, according to the options, or else to the existing finalizers, or
// else to the kind.
func propagation(have []string, options *metav1.DeleteOptions, orphansByDefault bool) (orphan, foreground bool) {
	//lint:ignore SA1019 the server still honours the old option
	if o := options.OrphanDependents; o != nil {
		return *o, false
	}
	if p := options.PropagationPolicy; p != nil {
		return *p == metav1.DeletePropagationOrphan, *p == metav1.DeletePropagationForeground
	}
	for _, f := range have {
		switch f {
		case metav1.FinalizerOrphanDependents:
			return true, false
		case metav1.FinalizerDeleteDependents:
			return false, true
		}
	}
	return orphansByDefault, false
}
