package change

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

func collectionOf(r schema.GroupResource) collection {
	switch r {
	case schema.GroupResource{Resource: "replicationcontrollers"}, schema.GroupResource{Group: "batch", Resource: "jobs"}:
		return orphaning
	case schema.GroupResource{Resource: "events"}, schema.GroupResource{Group: "events.k8s.io", Resource: "events"}:
		return uncollected
	}
	return collecting
}

// Finalizers returns the finalizers that an object of a resource has when it is deleted, with those that the garbage
// collector needs, and whether they differ from those that exist.
func Finalizers(have []string, options *metav1.DeleteOptions, r schema.GroupResource) (want []string, changed bool) {
	c := collectionOf(r)
	if c == uncollected {
		return have, false
	}
	orphan, foreground := propagation(have, options, c == orphaning)
	return withFinalizers(have, orphan, foreground)
}

// NamespaceFinalizers returns the finalizers for the garbage collector, as [Finalizers] does for all other kinds.
// For a namespace, not to orphan means to delete in the foreground, and what the options leave open stays as it was.
// The server writes the finalizers in the order of a map.
// kubernetes/kubernetes:pkg/registry/core/namespace/storage/storage.go.
func NamespaceFinalizers(have []string, options *metav1.DeleteOptions) []string {
	orphan := slices.Contains(have, metav1.FinalizerOrphanDependents)
	foreground := slices.Contains(have, metav1.FinalizerDeleteDependents)
	//lint:ignore SA1019 the server still honours the old option
	if o := options.OrphanDependents; o != nil {
		orphan, foreground = *o, !*o
	} else if p := options.PropagationPolicy; p != nil {
		orphan, foreground = *p == metav1.DeletePropagationOrphan, *p == metav1.DeletePropagationForeground
	}
	want, _ := withFinalizers(have, orphan, foreground)
	return want
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
