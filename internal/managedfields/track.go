package managedfields

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	smdschema "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"

	"github.com/admsim/admsim/pkg/cluster"
)

// mostUpdaters is how many managers that update an object has before the oldest are put
// together.
const mostUpdaters = 10

// trackDirectly is Track for what nearly every write is: of a built-in kind, in the one
// version that all owners know. It follows
// kubernetes/apimachinery:pkg/util/managedfields/internal and structured-merge-diff's
// Updater, but compares the objects by a plan; the library turns them into values of its
// own, checks these, converts them to each owner's version and compares them then. ok is false
// for everything else.
//
// The library takes 18 times as long for a new pod, and 10 times for one that changes
// (BenchmarkTrack): to create a Pod, with all that a server does, would take three times as long.
func (t Target) trackDirectly(live, updated runtime.Object, w Writer) (tracked runtime.Object, ok bool) {
	entries, ok := t.entriesAfter(live, updated, w)
	if !ok {
		return nil, false
	}
	return withOwners(cluster.ShallowCopy(updated), entries), true
}

// entriesAfter are the managedFields that an object has after a write; see trackDirectly.
func (t Target) entriesAfter(live, updated runtime.Object, w Writer) (entries []metav1.ManagedFieldsEntry, ok bool) {
	if !t.Schema.direct || !t.Schema.knows(t.Kind) {
		return nil, false
	}
	isNew := live == nil
	if isNew {
		if live, ok = t.Schema.nothing(t.Kind); !ok {
			return nil, false
		}
	}
	if reflect.TypeOf(live) != reflect.TypeOf(updated) {
		return nil, false
	}
	if _, isTree := updated.(*unstructured.Unstructured); isTree {
		return nil, false
	}
	old, err := meta.Accessor(live)
	if err != nil {
		return nil, false
	}
	if entries, ok = t.entriesBefore(old, updated); !ok {
		return nil, false
	}
	if len(entries) == 0 && old.GetUID() != "" {
		return nil, true // it was not tracked so far, and stays so
	}
	ref := smdschema.TypeRef{NamedType: t.Schema.namedType(t.Kind)}
	plan := t.Schema.planOf(reflect.TypeOf(updated), ref)
	after := reflect.ValueOf(updated)
	if isNew && len(entries) == 0 {
		return t.firstEntry(plan, after, w)
	}
	return t.nextEntries(plan, reflect.ValueOf(live), after, entries, w)
}

// firstEntry returns the entry of the creator of an object.
func (t Target) firstEntry(p *plan, made reflect.Value, w Writer) ([]metav1.ManagedFieldsEntry, bool) {
	fields, ok, err := t.Schema.createdFields(p, made, t.resetFields())
	if !ok || err != nil || fields == nil {
		return nil, ok && err == nil
	}
	entry := t.entryOf(w)
	entry.FieldsV1 = &metav1.FieldsV1{Raw: fields}
	return []metav1.ManagedFieldsEntry{entry}, true
}

// nextEntries are those after a write of an object that had some.
func (t Target) nextEntries(p *plan, before, after reflect.Value, entries []metav1.ManagedFieldsEntry, w Writer) ([]metav1.ManagedFieldsEntry, bool) {
	owners, ok := t.readOwners(before.Interface().(runtime.Object), entries)
	if !ok {
		return nil, false
	}
	changed, ok := p.compare(before, after)
	if !ok {
		return nil, false
	}
	if owners, ok = t.hand(owners, changed.sets(), w); !ok {
		return nil, false
	}
	next, err := encodeOwners(owners)
	return next, err == nil
}

// entryOf is an entry of who writes, now, still without fields.
func (t Target) entryOf(w Writer) metav1.ManagedFieldsEntry {
	manager, now := w.Manager, w.Now
	if manager == "" {
		manager = "unknown"
	}
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &now,
		APIVersion: t.Kind.GroupVersion().String(), Subresource: t.Subresource, FieldsType: "FieldsV1",
	}
}

// entriesBefore are the managedFields that a write starts from: its own where it brings
// some, else those of the live object. The library handles entries that cannot be read.
func (t Target) entriesBefore(live metav1.Object, updated runtime.Object) (entries []metav1.ManagedFieldsEntry, ok bool) {
	entries = live.GetManagedFields()
	if t.Subresource == "" {
		m, err := meta.Accessor(updated)
		if err != nil {
			return nil, false
		}
		own := m.GetManagedFields()
		if own != nil && (len(own) == 0 || len(own) == 1 && reflect.DeepEqual(own[0], metav1.ManagedFieldsEntry{})) {
			return nil, true // a reset
		}
		if len(own) > 0 {
			entries = own
		}
	}
	for _, e := range entries {
		if e.Operation != metav1.ManagedFieldsOperationApply && e.Operation != metav1.ManagedFieldsOperationUpdate ||
			e.FieldsType != "FieldsV1" || e.APIVersion != t.Kind.GroupVersion().String() {
			return nil, false
		}
	}
	return entries, true
}

// An owner is an entry of managedFields while the set of its fields is known.
type owner struct {
	metav1.ManagedFieldsEntry
	set *fieldpath.Set
}

func (o owner) is(manager string, operation metav1.ManagedFieldsOperationType, subresource string) bool {
	return o.Manager == manager && o.Operation == operation && o.Subresource == subresource
}

// readOwners reads entries, and brings them into line with the schema, as far as what is
// atomic in it was not always.
func (t Target) readOwners(live runtime.Object, entries []metav1.ManagedFieldsEntry) ([]owner, bool) {
	if len(entries) == 0 {
		return nil, true
	}
	seen, err := value.NewValueReflect(live)
	if err != nil {
		return nil, false
	}
	shaped := typed.AsTypedUnvalidated(seen, &t.Schema.types.Schema, smdschema.TypeRef{NamedType: t.Schema.namedType(t.Kind)})
	var owners []owner
	for _, e := range entries {
		o := owner{e, &fieldpath.Set{}}
		if slices.ContainsFunc(owners, func(other owner) bool { return other.is(e.Manager, e.Operation, e.Subresource) }) {
			return nil, false
		}
		if e.FieldsV1 != nil {
			if o.set, err = t.Schema.sets.read(t.Kind, e.FieldsV1.Raw, shaped); err != nil {
				return nil, false
			}
		}
		owners = append(owners, o)
	}
	return owners, true
}

// neverOwned are the fields that have no owner.
var neverOwned = sync.OnceValue(func() *fieldpath.Set {
	return fieldpath.NewSet(
		fieldpath.MakePathOrDie("apiVersion"),
		fieldpath.MakePathOrDie("kind"),
		fieldpath.MakePathOrDie("metadata"),
		fieldpath.MakePathOrDie("metadata", "name"),
		fieldpath.MakePathOrDie("metadata", "namespace"),
		fieldpath.MakePathOrDie("metadata", "creationTimestamp"),
		fieldpath.MakePathOrDie("metadata", "selfLink"),
		fieldpath.MakePathOrDie("metadata", "uid"),
		fieldpath.MakePathOrDie("metadata", "clusterName"),
		fieldpath.MakePathOrDie("metadata", "generation"),
		fieldpath.MakePathOrDie("metadata", "managedFields"),
		fieldpath.MakePathOrDie("metadata", "resourceVersion"),
	)
})

// hand gives what was changed to who changed it.
func (t Target) hand(owners []owner, changed *typed.Comparison, w Writer) ([]owner, bool) {
	changed = changed.FilterFields(t.resetFilter())
	taken := changed.Modified.Union(changed.Added)
	if !taken.Empty() || !changed.Removed.Empty() {
		lost := taken.Union(changed.Removed)
		for i := range owners {
			owners[i].set = owners[i].set.Difference(lost)
		}
	}
	owners = slices.DeleteFunc(owners, func(o owner) bool { return o.set.Empty() })
	if taken = taken.Difference(neverOwned()); !taken.Empty() {
		entry := t.entryOf(w)
		i := slices.IndexFunc(owners, func(o owner) bool { return o.is(entry.Manager, entry.Operation, entry.Subresource) })
		if i < 0 {
			i = len(owners)
			owners = append(owners, owner{entry, &fieldpath.Set{}})
		}
		owners[i].set, owners[i].Time = owners[i].set.Union(taken), entry.Time
	}
	updaters := 0
	for _, o := range owners {
		if o.Operation == metav1.ManagedFieldsOperationUpdate {
			updaters++
		}
	}
	return owners, updaters <= mostUpdaters
}

func encodeOwners(owners []owner) ([]metav1.ManagedFieldsEntry, error) {
	var entries []metav1.ManagedFieldsEntry
	for _, o := range owners {
		raw, err := o.set.ToJSON()
		if err != nil {
			return nil, fmt.Errorf("the fields of %s: %w", o.Manager, err)
		}
		o.FieldsV1 = &metav1.FieldsV1{Raw: raw}
		entries = append(entries, o.ManagedFieldsEntry)
	}
	slices.SortStableFunc(entries, compareEntries)
	return entries, nil
}
