package rules

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Kind is an [Of] for callers that do not know the Go type: what the server does with the objects of the kind, in its
// hub version. All objects are of that Go type; old is nil if there is none.
type Kind interface {
	GVK() schema.GroupVersionKind
	How() Behaviour

	// SetDefaults and Normal are the two steps of Of; Changes reports which of them exist.
	SetDefaults(obj runtime.Object, o Options)
	Normal(obj runtime.Object, r *kubeversion.Release)
	Changes() (defaults, normalises bool)

	// Settled reports whether it is known that neither of them changes an object.
	Settled(obj runtime.Object, r *kubeversion.Release) bool

	// Prepare changes an object before it is created, also behind pointers if PreparesDepths. PrepareChange changes an
	// object before it replaces old.
	Prepare(obj runtime.Object, r Request)
	PreparesDepths() bool
	// ChangeExported changes an object for a GET with export=true, or returns why that is not possible.
	ChangeExported(obj runtime.Object, exact bool, r Request) field.ErrorList
	PrepareChange(obj, old runtime.Object, r Request)
	// AfterChange returns old as it is once PrepareChange has prepared the object that replaces it, without changing old.
	// It must only be called if SharesOld.
	SharesOld() bool
	AfterChange(old runtime.Object, r Request) runtime.Object

	// CountsDropped reports whether dropped fields, whose gates are off, count as a change.
	CountsDropped() bool
	// StatusDrops returns the feature of the releases in which an update of the status drops fields whose gates are off.
	StatusDrops() kubeversion.Feature

	// ValidateNew returns what is wrong with a new object, including its metadata if the kind IsNamed. ValidateChange does
	// so for an object that replaces old.
	ValidateNew(obj runtime.Object, r Request) field.ErrorList
	IsNamed(*kubeversion.Release) bool
	ValidateChange(obj, old runtime.Object, r Request) field.ErrorList

	// IsDeclared reports whether the rules that are declared with the type apply in addition.
	IsDeclared() bool
	// IsUndeclared reports whether no declared rules apply.
	IsUndeclared() bool
	// IsTakenOver reports whether the gate DeclarativeValidationTakeover enforces declared rules, in releases that have it.
	IsTakenOver() bool
	// InHub returns the function that translates the path of a field to the hub's; nil if all versions have the same
	// paths.
	InHub() func(path string) string
	// IsDeclaredAlone reports whether some of the enforced declared rules have no handwritten counterpart.
	IsDeclaredAlone() bool
	// Warn returns the warnings about an accepted object. It must only be called if Warns.
	Warn(obj, old runtime.Object, r Request) []string
	WarnsIn(r *kubeversion.Release) bool

	// AsShown returns an object as clients get it, AsRead a stored object as the server reads it.
	AsShown(obj runtime.Object, r *kubeversion.Release) runtime.Object
	AsRead(obj runtime.Object, r *kubeversion.Release) runtime.Object

	// AllocateFor gives an object its addresses and ports.
	AllocateFor(obj, old runtime.Object, from Allocator, r Request) (runtime.Object, field.ErrorList, error)
}

// Hub lists the rules of a kind.
func Hub[T runtime.Object](gv schema.GroupVersion, kind string, r Of[T]) Kind {
	return &kindOf[T]{gv.WithKind(kind), r}
}

// Plain returns a kind without rules.
func Plain(gvk schema.GroupVersionKind) Kind { return &kindOf[runtime.Object]{gvk: gvk} }

type kindOf[T runtime.Object] struct {
	gvk   schema.GroupVersionKind
	rules Of[T]
}

// typed returns an object as a T, or the zero value if there is none.
func typed[T runtime.Object](obj runtime.Object) T {
	t, _ := obj.(T)
	return t
}

func (k *kindOf[T]) GVK() schema.GroupVersionKind { return k.gvk }
func (k *kindOf[T]) How() Behaviour               { return k.rules.Behaviour }
func (k *kindOf[T]) IsNamed(r *kubeversion.Release) bool {
	return (k.rules.Name != nil || k.rules.NameIn != nil) && r.Has(k.rules.OwnMetadata)
}

func (k *kindOf[T]) IsDeclared() bool                 { return k.rules.Declared }
func (k *kindOf[T]) IsDeclaredAlone() bool            { return k.rules.DeclaredAlone }
func (k *kindOf[T]) IsUndeclared() bool               { return k.rules.Undeclared }
func (k *kindOf[T]) IsTakenOver() bool                { return k.rules.TakenOver }
func (k *kindOf[T]) CountsDropped() bool              { return k.rules.CountsDropped }
func (k *kindOf[T]) StatusDrops() kubeversion.Feature { return k.rules.StatusDrops }
func (k *kindOf[T]) InHub() func(string) string       { return k.rules.InHub }

// WarnsIn reports whether servers of the release warn about objects of the kind (WA-01).
func (k *kindOf[T]) WarnsIn(r *kubeversion.Release) bool {
	return k.rules.Warnings != nil && r.Has(kubeversion.KindWarnings) && r.Has(k.rules.WarnsSince)
}

func (k *kindOf[T]) Changes() (defaults, normalises bool) {
	return k.rules.Defaults != nil || k.rules.DefaultsIn != nil, k.rules.Normalise != nil
}

func (k *kindOf[T]) SetDefaults(obj runtime.Object, o Options) {
	if k.rules.Defaults != nil {
		k.rules.Defaults(obj.(T))
	}
	if k.rules.DefaultsIn != nil {
		k.rules.DefaultsIn(obj.(T), o)
	}
}

func (k *kindOf[T]) Normal(obj runtime.Object, r *kubeversion.Release) {
	if k.rules.Normalise != nil {
		k.rules.Normalise(obj.(T), r)
	}
}

func (k *kindOf[T]) Settled(obj runtime.Object, r *kubeversion.Release) bool {
	if k.rules.Defaults == nil && k.rules.DefaultsIn == nil && k.rules.Normalise == nil {
		return true
	}
	return k.rules.IsSettled != nil && k.rules.IsSettled(obj.(T), r)
}

func (k *kindOf[T]) PreparesDepths() bool {
	return k.rules.PrepareForCreate != nil && !k.rules.SparesDepths
}

func (k *kindOf[T]) Prepare(o runtime.Object, r Request) {
	obj := o.(T)
	if k.counts(r) {
		SetGeneration(obj, 1)
	}
	if k.rules.Status != nil && !k.rules.OwnStatus && !k.statusInBody(r) {
		reflect.ValueOf(k.rules.Status(obj)).Elem().SetZero()
	}
	if !k.statusInBody(r) {
		setFormer(obj, nil, isStatus)
	}
	if k.rules.PrepareForCreate != nil {
		k.rules.PrepareForCreate(obj, r)
	}
	if k.rules.DropGated != nil {
		k.rules.DropGated(obj, nil, r)
	}
	DropUnsaved(obj, r.Release, r.Warn)
}

func (k *kindOf[T]) ChangeExported(obj runtime.Object, exact bool, r Request) field.ErrorList {
	prepare := func() { k.Prepare(obj, r) }
	if k.rules.Export != nil {
		return k.rules.Export(obj.(T), exact, prepare)
	}
	prepare()
	return nil
}

// counts reports whether the kind has a generation in the release.
func (k *kindOf[T]) counts(r Request) bool {
	return k.rules.Spec != nil && r.Release.Has(k.rules.Counted)
}

func (k *kindOf[T]) SharesOld() bool { return k.rules.ChangeOld != nil }

func (k *kindOf[T]) AfterChange(old runtime.Object, r Request) runtime.Object {
	return k.rules.ChangeOld(old.(T), r)
}

func (k *kindOf[T]) PrepareChange(o, replaced runtime.Object, r Request) {
	obj, old := o.(T), replaced.(T)
	SetGeneration(obj, generation(old))
	sent := annotationsOf(obj)
	switch status := k.rules.Status; {
	case r.Subresource == "status":
		keepAllButStatus(obj, old, status)
		if k.rules.StatusAlone && r.Release.Has(k.rules.StatusAloneIn) {
			keepMetadata(obj, old)
		}
		setFormer(obj, annotationsOf(old), isSpec)
		setFormer(obj, sent, isStatus)
	case !k.statusInBody(r):
		if status != nil {
			keep(status(obj), status(old))
		}
		setFormer(obj, annotationsOf(old), isStatus)
	}
	if k.rules.PrepareForUpdate != nil {
		k.rules.PrepareForUpdate(obj, old, r)
	}
	if k.rules.DropGated != nil {
		k.rules.DropGated(obj, old, r)
	}
	if k.counts(r) && !k.sameSpec(obj, old) {
		SetGeneration(obj, generation(old)+1)
	}
	DropUnsaved(obj, r.Release, r.Warn)
	KeepSystemMetadata(obj, old)
}

func (k *kindOf[T]) statusInBody(r Request) bool {
	return k.rules.StatusInBody != nil && k.rules.StatusInBody(r)
}

func (k *kindOf[T]) sameSpec(a, b T) bool {
	if k.rules.ExactSpec {
		return reflect.DeepEqual(k.rules.Spec(a), k.rules.Spec(b))
	}
	return semantic.DeepEqual(k.rules.Spec(a), k.rules.Spec(b))
}

// newMetadata checks the metadata of a new object by the rule for names in a release.
func (k *kindOf[T]) newMetadata(obj runtime.Object, r Request) field.ErrorList {
	switch {
	case k.rules.DeclaredName != (kubeversion.Feature{}) && r.Release.Has(k.rules.DeclaredName):
		return declaredMetadata(obj, r)
	case k.rules.NameIn != nil:
		return ValidateNewMetadata(obj, r, k.rules.NameIn(r.Release))
	}
	return ValidateNewMetadata(obj, r, k.rules.Name)
}

func (k *kindOf[T]) ValidateNew(obj runtime.Object, r Request) field.ErrorList {
	errs := k.validateNew(obj, r)
	if r.Old == nil && !r.Release.Has(k.rules.CreatedOnce) {
		errs = append(errs, k.validateNew(obj, r)...)
	}
	return withoutSelectorValues(errs, r.Release)
}

func (k *kindOf[T]) validateNew(obj runtime.Object, r Request) field.ErrorList {
	var errs Errors
	if r.Release.Has(k.rules.OwnMetadata) {
		errs.Add(k.newMetadata(obj, r))
		if !k.rules.AnyFinalizer {
			errs.Add(ValidateFinalizers(obj))
		}
	}
	errs.Add(k.validate(obj, r))
	return errs.List()
}

// validate checks everything but metadata.
func (k *kindOf[T]) validate(obj runtime.Object, r Request) field.ErrorList {
	if k.rules.Validate == nil {
		return nil
	}
	return k.rules.Validate(obj.(T), r)
}

func (k *kindOf[T]) ValidateChange(obj, old runtime.Object, r Request) field.ErrorList {
	r.Old = old
	return excused(withoutSelectorValues(k.validateChange(obj, old, r), r.Release), func() field.ErrorList {
		r.Old, r.Sent, r.Subresource = nil, nil, ""
		return k.validate(old, r)
	})
}

func (k *kindOf[T]) validateChange(obj, old runtime.Object, r Request) field.ErrorList {
	var errs Errors
	if r.Subresource == "status" && k.rules.AnyStatus {
		return nil
	}
	updates := k.rules.OnUpdate
	if r.Subresource == "status" && updates != CheckNothing && !k.rules.WholeStatus || r.Subresource == "finalize" {
		updates = CheckChange
	}
	if (r.Subresource == "" || r.Subresource == "status" && k.rules.WholeStatus) && r.Release.Has(k.rules.CheckedTwice) && !r.Release.Has(k.rules.CheckedOnce) {
		errs.Add(k.ValidateNew(obj, r))
	}
	if updates == CheckWhole || updates == CheckNew {
		errs.Add(k.ValidateNew(obj, r))
	}
	if updates == CheckTwice {
		errs.Add(k.ValidateNew(obj, r))
		errs.Add(k.ValidateNew(obj, r))
	}
	if updates == CheckKind {
		errs.Add(k.validate(obj, r))
	}
	if (updates == CheckWhole || updates == CheckChange || updates == CheckKind) && r.Release.Has(k.rules.OwnMetadata) {
		errs.Add(ValidateAnyMetadataUpdate(obj, old, r.Release))
		if !k.rules.AnyFinalizer {
			errs.Add(ValidateFinalizers(obj))
		}
	}
	if k.rules.ValidateUpdate != nil {
		errs.Add(k.rules.ValidateUpdate(obj.(T), old.(T), r))
	}
	return errs.List()
}

func (k *kindOf[T]) Warn(obj, old runtime.Object, r Request) []string {
	return k.rules.Warnings(obj.(T), typed[T](old), r)
}

func (k *kindOf[T]) AllocateFor(obj, old runtime.Object, from Allocator, r Request) (runtime.Object, field.ErrorList, error) {
	if k.rules.Allocate == nil {
		return obj, nil, nil
	}
	return k.rules.Allocate(obj.(T), typed[T](old), from, r)
}

func (k *kindOf[T]) AsShown(obj runtime.Object, r *kubeversion.Release) runtime.Object {
	if k.rules.Shown == nil {
		return obj
	}
	return k.rules.Shown(obj.(T), r)
}

func (k *kindOf[T]) AsRead(obj runtime.Object, r *kubeversion.Release) runtime.Object {
	if k.rules.Read == nil {
		return obj
	}
	return k.rules.Read(obj.(T), r)
}

// keep sets the value that a points to to a copy of the value that b points to.
func keep(a, b any) {
	from := reflect.ValueOf(b)
	to := reflect.ValueOf(a).Elem()
	if m := from.MethodByName("DeepCopy"); m.IsValid() {
		to.Set(m.Call(nil)[0].Elem())
		return
	}
	to.Set(from.Elem())
}

// keepAllButStatus copies everything from old except metadata and, if the kind has one, status.
func keepAllButStatus[T runtime.Object](obj, old T, status func(T) any) {
	if status == nil {
		return
	}
	result := old.DeepCopyObject().(T)
	keep(status(result), status(obj))
	copyMetadata(result, obj)
	reflect.ValueOf(obj).Elem().Set(reflect.ValueOf(result).Elem())
}

func generation(obj runtime.Object) int64 {
	m, err := meta.Accessor(obj)
	if err != nil {
		return 0
	}
	return m.GetGeneration()
}

// SetGeneration sets the generation of an object that has metadata.
func SetGeneration(obj runtime.Object, n int64) {
	if m, err := meta.Accessor(obj); err == nil {
		m.SetGeneration(n)
	}
}
