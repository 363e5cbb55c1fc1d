package change

import (
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/managedfields"
)

// When duplicate owner references are looked for; the warning says which (W-030).
const (
	BeforeAdmission = ""
	afterAdmission  = " after mutating admission happens"
)

// DedupReferences removes duplicate owner references, and returns the warning about them, if any.
func DedupReferences(m metav1.Object, when string) (warning string) {
	kept, duplicates := distinct(m.GetOwnerReferences())
	if len(duplicates) == 0 {
		return ""
	}
	m.SetOwnerReferences(kept)
	return ".metadata.ownerReferences contains duplicate entries" + when +
		"; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
		strings.Join(duplicates, ", ")
}

// distinct returns references without duplicates, and the UIDs of the duplicates.
func distinct(refs []metav1.OwnerReference) (kept []metav1.OwnerReference, duplicates []string) {
	kept = refs
	for i, ref := range refs {
		same := func(other metav1.OwnerReference) bool { return reflect.DeepEqual(ref, other) }
		switch {
		case slices.ContainsFunc(refs[:i], same):
			if duplicates == nil {
				kept = slices.Clone(refs[:i])
			}
			duplicates = append(duplicates, string(ref.UID))
		case duplicates != nil:
			kept = append(kept, ref)
		}
	}
	return kept, duplicates
}

// RepairMetadata repairs what a patch, or webhooks, may have done to the metadata: duplicate owner references, and managed
// fields that cannot be parsed (W-029). before is the object at the beginning of the mutating phase; written are the
// managed fields that the server itself gave it, which need no check.
func RepairMetadata(object, before runtime.Object, written []metav1.ManagedFieldsEntry) (repaired runtime.Object, warnings []string, err error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return object, nil, nil // a kind without metadata
	}
	var problem error
	if object != before && (written == nil || !slices.EqualFunc(written, m.GetManagedFields(), sameOwner)) {
		problem = managedfields.CheckManagedFields(m.GetManagedFields())
	}
	if _, duplicates := distinct(m.GetOwnerReferences()); problem == nil && len(duplicates) == 0 {
		return object, nil, nil
	}
	object = object.DeepCopyObject()
	if m, err = meta.Accessor(object); err != nil {
		return nil, nil, err
	}
	if problem != nil {
		if old, err := meta.Accessor(before); err == nil {
			m.SetManagedFields(old.GetManagedFields())
		}
		warnings = append(warnings, ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: "+problem.Error())
	}
	return object, append(warnings, DedupReferences(m, afterAdmission)), nil
}

// sameOwner reports whether two entries are equal except for their times.
func sameOwner(a, b metav1.ManagedFieldsEntry) bool {
	a.Time, b.Time = nil, nil
	return reflect.DeepEqual(a, b)
}
