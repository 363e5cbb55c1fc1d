package managedfields

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The library reads the clock for the managedFields entries that it writes. To make the result of a run independent of
// the time of day, times are hidden from the library: each is replaced by its rank, as seconds in 1970. A time in 1970
// in the library's result was there before, and any other time is new.

// times holds the times of the existing entries, sorted and without duplicates.
type times []time.Time

func readTimes(objects ...runtime.Object) times {
	var ts times
	for _, obj := range objects {
		accessor, err := meta.Accessor(obj)
		if err != nil {
			continue
		}
		for _, entry := range accessor.GetManagedFields() {
			if entry.Time != nil {
				ts = append(ts, entry.Time.Time)
			}
		}
	}
	slices.SortFunc(ts, time.Time.Compare)
	return slices.CompactFunc(ts, time.Time.Equal)
}

// hidden returns a copy of the object with ranks instead of times.
func (ts times) hidden(obj runtime.Object) runtime.Object {
	obj = obj.DeepCopyObject()
	changeTimes(obj, func(t metav1.Time) metav1.Time {
		rank, _ := slices.BinarySearchFunc(ts, t.Time, time.Time.Compare)
		return metav1.Unix(int64(rank), 0)
	})
	return obj
}

// restore replaces ranks with the original times, and all other times with now.
func (ts times) restore(obj runtime.Object, now metav1.Time) {
	changeTimes(obj, func(t metav1.Time) metav1.Time {
		if rank := t.Unix(); rank < int64(len(ts)) {
			return metav1.NewTime(ts[rank])
		}
		return now
	})
}

func changeTimes(obj runtime.Object, change func(metav1.Time) metav1.Time) {
	accessor, err := meta.Accessor(obj)
	if err != nil || accessor.GetManagedFields() == nil {
		return
	}
	entries := accessor.GetManagedFields()
	for i := range entries {
		if entries[i].Time != nil {
			changed := change(*entries[i].Time)
			entries[i].Time = &changed
		}
	}
	slices.SortStableFunc(entries, compareEntries)
	accessor.SetManagedFields(entries)
}

// WholeSeconds returns entries with times in whole seconds, as in JSON and in etcd.
func WholeSeconds(entries []metav1.ManagedFieldsEntry) []metav1.ManagedFieldsEntry {
	fraction := func(e metav1.ManagedFieldsEntry) bool { return e.Time != nil && e.Time.Nanosecond() != 0 }
	if !slices.ContainsFunc(entries, fraction) {
		return entries
	}
	entries = slices.Clone(entries)
	for i, e := range entries {
		if fraction(e) {
			whole := metav1.NewTime(e.Time.Truncate(time.Second))
			entries[i].Time = &whole
		}
	}
	return entries
}

// compareEntries orders entries as the server writes them in managedFields.
func compareEntries(a, b metav1.ManagedFieldsEntry) int {
	seconds := func(e metav1.ManagedFieldsEntry) int64 {
		if e.Time == nil {
			return 0
		}
		return e.Time.Unix()
	}
	return cmp.Or(
		cmp.Compare(a.Operation, b.Operation),
		cmp.Compare(seconds(a), seconds(b)),
		cmp.Compare(a.Manager, b.Manager),
		cmp.Compare(a.APIVersion, b.APIVersion),
		cmp.Compare(a.Subresource, b.Subresource),
	)
}
