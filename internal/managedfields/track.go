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

// maxUpdaters is how many managers with updates an object may have before the oldest are merged.
const maxUpdaters = 10

// trackDirectly is Track for nearly all writes: those of a built-in kind, in the one version that all owners use. ok is
// false for all others. It follows kubernetes/apimachinery:pkg/util/managedfields/internal and structured-merge-diff's
// Updater, but compares the objects by a plan. The library turns them into values of its own, checks these, converts
// them to each owner's version, and only then compares them.
//
// The library takes 18 times as long for a new pod, and 10 times for a changed one (BenchmarkTrack). Creating a Pod,
// with all that a server does, would take three times as long.
func (t target) trackDirectly(live, updated runtime.Object, w Writer) (tracked runtime.Object, ok bool) {
	entries, ok := t.entriesAfter(live, updated, w)
	if !ok {
		return nil, false
	}
	return withOwners(cluster.ShallowCopy(updated), entries), true
}

// entriesAfter returns the managedFields of an object after a write; see trackDirectly.
func (t target) entriesAfter(live, updated runtime.Object, w Writer) (entries []metav1.ManagedFieldsEntry, ok bool) {
	if !t.schema.direct || !t.schema.knows(t.Kind) {
		return nil, false
	}
	isNew := live == nil
	if isNew {
		if live, ok = t.schema.emptyObject(t.Kind); !ok {
			return nil, false
		}
	}
	if reflect.TypeOf(live) != reflect.TypeOf(updated) {
		return nil, false
	}
	if _, isTree := updated.(*unstructured.Unstructured); isTree {
		return nil, false
	}
	if moved := t.schema.movedIn(t.Kind); moved.In(live) || moved.In(updated) || t.schema.unset.MayBeIn(updated) {
		return nil, false // plans only know fields in the places of the Go types, and only if these have them
	}
	old, err := meta.Accessor(live)
	if err != nil {
		return nil, false
	}
	if entries, ok = t.entriesBefore(old, updated); !ok {
		return nil, false
	}
	if len(entries) == 0 && old.GetUID() != "" {
		return nil, true // an untracked object stays untracked
	}
	ref := smdschema.TypeRef{NamedType: t.schema.namedType(t.Kind)}
	plan := t.schema.planOf(reflect.TypeOf(updated), ref)
	after := reflect.ValueOf(updated)
	if isNew && len(entries) == 0 {
		return t.firstEntry(plan, after, w)
	}
	return t.nextEntries(plan, reflect.ValueOf(live), after, entries, w)
}

// firstEntry returns the entry of the creator of an object.
func (t target) firstEntry(p *plan, made reflect.Value, w Writer) ([]metav1.ManagedFieldsEntry, bool) {
	fields, ok, err := t.schema.createdFields(p, made, t.resetFields())
	if !ok || err != nil || fields == nil {
		return nil, ok && err == nil
	}
	entry := t.entryOf(w)
	entry.FieldsV1 = &metav1.FieldsV1{Raw: fields}
	return []metav1.ManagedFieldsEntry{entry}, true
}

// nextEntries returns the entries after a write of an object that had some before.
func (t target) nextEntries(p *plan, before, after reflect.Value, entries []metav1.ManagedFieldsEntry, w Writer) ([]metav1.ManagedFieldsEntry, bool) {
	owners, ok := t.readOwners(before.Interface().(runtime.Object), entries)
	if !ok {
		return nil, false
	}
	changed, ok := p.compare(before, after)
	if !ok {
		return nil, false
	}
	if owners, ok = t.assign(owners, changed.sets(), w); !ok {
		return nil, false
	}
	next, err := encodeOwners(owners)
	return next, err == nil
}

// entryOf returns an entry for the writer at the time of the write, without fields.
func (t target) entryOf(w Writer) metav1.ManagedFieldsEntry {
	manager, now := w.Manager, w.Now
	if manager == "" {
		manager = "unknown"
	}
	return metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate, Time: &now,
		APIVersion: t.Kind.GroupVersion().String(), Subresource: t.Subresource, FieldsType: "FieldsV1",
	}
}

// entriesBefore returns the managedFields that a write starts from: its own if it has any, otherwise those of the live
// object. ok is false for entries that are left to the library.
func (t target) entriesBefore(live metav1.Object, updated runtime.Object) (entries []metav1.ManagedFieldsEntry, ok bool) {
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

// An owner is an entry of managedFields with the set of its fields.
type owner struct {
	metav1.ManagedFieldsEntry
	set *fieldpath.Set
}

func (o owner) is(manager string, operation metav1.ManagedFieldsOperationType, subresource string) bool {
	return o.Manager == manager && o.Operation == operation && o.Subresource == subresource
}

// readOwners reads entries, and reconciles them with the schema where a field has become atomic.
func (t target) readOwners(live runtime.Object, entries []metav1.ManagedFieldsEntry) ([]owner, bool) {
	if len(entries) == 0 {
		return nil, true
	}
	seen, err := value.NewValueReflect(live)
	if err != nil {
		return nil, false
	}
	shaped := typed.AsTypedUnvalidated(seen, &t.schema.types.Schema, smdschema.TypeRef{NamedType: t.schema.namedType(t.Kind)})
	var owners []owner
	for _, e := range entries {
		o := owner{e, &fieldpath.Set{}}
		if slices.ContainsFunc(owners, func(other owner) bool { return other.is(e.Manager, e.Operation, e.Subresource) }) {
			return nil, false
		}
		if e.FieldsV1 != nil {
			if o.set, err = t.schema.sets.read(t.Kind, e.FieldsV1.Raw, shaped); err != nil {
				return nil, false
			}
		}
		owners = append(owners, o)
	}
	return owners, true
}

// neverOwned returns the fields that never have an owner.
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

// assign makes the writer the owner of what it changed.
func (t target) assign(owners []owner, changed *typed.Comparison, w Writer) ([]owner, bool) {
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
	return owners, updaters <= maxUpdaters
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
