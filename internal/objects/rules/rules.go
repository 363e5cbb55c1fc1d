// Package rules has what the rules of all built-in kinds are made of: how a kind says what is
// special about it ([Of]), how it is listed ([Hub], [VersionOf], [Reshape]), the checks that many
// kinds share ([Unless], [OneOf], [EachOf], …), and paths that cost nothing while nothing is wrong
// ([Located]).
//
// It knows no kind. Start with [Of].
package rules

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Of are what is special about one built-in kind, in its hub version, whose Go type T
// is. Any of them may be missing.
type Of[T runtime.Object] struct {
	// Defaults of the hub version (DF-01 to DF-15), and what the round trip through the internal version
	// changes besides (RT-01). Both must leave an object alone to which they were applied before.
	Defaults  func(T)
	Normalise func(T)

	// IsSettled tells of objects that the two surely leave as they are, as most are by the time
	// that they are stored: these need not be copied.
	IsSettled func(T) bool

	// Name is the rule for metadata.name; without one, any name fits that fits a URL.
	Name validation.ValidateNameFunc

	// AnyPrefix is the feature with which the rule is not asked about generateName.
	AnyPrefix kubeversion.Feature

	// AnyFinalizer is set where finalizers need not be qualified.
	AnyFinalizer bool

	// Spec and status point to the parts of that name. With spec, the kind has a generation,
	// which counts changes of it. With status, a create empties it, an update of the main
	// resource keeps the old one, and one of the subresource status keeps everything else
	// but metadata.
	Spec   func(T) any
	Status func(T) any

	// counted is what a release has in which a kind with spec has a generation; empty where all
	// do.
	Counted kubeversion.Feature

	// ExactSpec is set where a list that is empty instead of missing is a change of the spec.
	ExactSpec bool

	// OwnStatus is set where PrepareForCreate empties the status itself, of which it looks at
	// something before.
	OwnStatus bool

	// PrepareForCreate and PrepareForUpdate run after what spec and status say is done. They
	// may change the first object only.
	PrepareForCreate func(T, Request)
	PrepareForUpdate func(obj, old T, r Request)

	// DropGated drops fields behind feature gates that are off, after PrepareForCreate and
	// PrepareForUpdate; old is nil on create. What it changes behind a pointer it copies before.
	DropGated func(obj, old runtime.Object, r Request)

	// allocate gives an object that is written what it needs of addresses and ports, and makes
	// those fields that depend on each other agree, which the server does before all its other
	// checks (PL-08). old is nil on create. What is wrong with the object ends the write;
	// so does err, an answer of the server that is about no field of it.
	Allocate func(obj, old T, from Allocator, r Request) (allocated T, wrong field.ErrorList, err error)

	// SparesDepths is set where PrepareForCreate does with a shallow copy: what it changes
	// behind a pointer, in a list or in a map, it copies before.
	SparesDepths bool

	// Validate checks everything but metadata, on create; on update too, unless the kind asks
	// for other checks. ValidateUpdate tells what is wrong with the change.
	Validate       func(T, Request) field.ErrorList
	ValidateUpdate func(obj, old T, r Request) field.ErrorList
	OnUpdate       checks

	// CheckedOnce is the feature without which an update checked the new object twice, and said
	// all that was wrong with it twice: the ValidateUpdate of a strategy in
	// kubernetes/kubernetes:pkg/registry asked for both, and the second for the first.
	CheckedOnce kubeversion.Feature

	// StatusAlone is set where an update of the status does not change what metadata says of
	// the object either: labels, annotations, finalizers and owners.
	StatusAlone bool

	// WholeStatus is set where an update of the status has the whole object checked.
	WholeStatus bool

	// AnyStatus is set where an update of the status is not checked, and only metadata is.
	AnyStatus bool

	Warnings func(obj, old T, r Request) []string // old is nil on create

	Behaviour Behaviour
}

// Kinds are what the server knows of the kinds of some API groups: the rules of those that have
// some, each in its hub version, and the other versions where they differ from their hub in more
// than name.
type Kinds struct {
	Hubs     []*Kind
	Versions []*Version
}

// Join lists the kinds of several groups.
func Join(groups ...Kinds) Kinds {
	var all Kinds
	for _, g := range groups {
		all.Hubs = append(all.Hubs, g.Hubs...)
		all.Versions = append(all.Versions, g.Versions...)
	}
	return all
}

// An Allocator has the addresses and node ports of a cluster. Who asks for none in particular
// gets any. refused says why one cannot be had.
type Allocator interface {
	Families() []corev1.IPFamily // of addresses that services can have, the usual one first
	Address(family corev1.IPFamily, ip string) (taken, refused string)
	Port(port int32) (taken int32, refused string)
}

// checks is what an update runs before ValidateUpdate.
type checks int

const (
	CheckWhole  checks = iota // the new object as on create, then the change of its metadata
	CheckChange               // the change of its metadata
	CheckNew                  // the new object as on create
	CheckNothing
	CheckKind  // as CheckWhole, without the rule for the name
	CheckTwice // the new object, which the server checks twice
)

// A request is a [Write] with what the rules need besides.
type Request struct {
	Write
	Options
	Namespaced bool
	Old        runtime.Object // what is replaced; nil on create
}

// Was is the object that a request replaces; nil on create.
func Was[T runtime.Object](r Request) T {
	old, _ := r.Old.(T)
	return old
}

// An entry is the rules of one kind without their Go type.
type Kind struct {
	GVK                 schema.GroupVersionKind
	Defaults, Normalise func(runtime.Object)
	IsSettled           func(runtime.Object) bool
	Name                validation.ValidateNameFunc
	anyPrefix           kubeversion.Feature
	anyFinalizer        bool
	spec, status        func(runtime.Object) any
	counted             kubeversion.Feature
	exactSpec           bool
	ownStatus           bool
	onCreate            func(runtime.Object, Request)
	onUpdate            func(obj, old runtime.Object, r Request)
	dropGated           func(obj, old runtime.Object, r Request)
	Allocate            func(obj, old runtime.Object, from Allocator, r Request) (runtime.Object, field.ErrorList, error)
	validate            func(runtime.Object, Request) field.ErrorList
	validateUpdate      func(obj, old runtime.Object, r Request) field.ErrorList
	updates             checks
	checkedOnce         kubeversion.Feature
	wholeStatus         bool
	anyStatus           bool
	statusAlone         bool
	Warnings            func(obj, old runtime.Object, r Request) []string
	Behaviour           Behaviour
	ChangesDepths       bool // onCreate needs a deep copy
}

// Hub lists the rules of a kind.
func Hub[T runtime.Object](gv schema.GroupVersion, kind string, r Of[T]) *Kind {
	e := &Kind{
		GVK: gv.WithKind(kind), Name: r.Name, anyPrefix: r.AnyPrefix, anyFinalizer: r.AnyFinalizer,
		updates: r.OnUpdate, checkedOnce: r.CheckedOnce,
		wholeStatus: r.WholeStatus, anyStatus: r.AnyStatus, statusAlone: r.StatusAlone, ownStatus: r.OwnStatus,
		exactSpec: r.ExactSpec, Behaviour: r.Behaviour, counted: r.Counted, dropGated: r.DropGated,
	}
	e.Defaults = untyped(r.Defaults)
	e.Normalise = untyped(r.Normalise)
	if r.IsSettled != nil {
		e.IsSettled = func(o runtime.Object) bool { return r.IsSettled(o.(T)) }
	}
	if r.Spec != nil {
		e.spec = func(o runtime.Object) any { return r.Spec(o.(T)) }
	}
	if r.Status != nil {
		e.status = func(o runtime.Object) any { return r.Status(o.(T)) }
	}
	if r.PrepareForCreate != nil {
		e.onCreate = func(o runtime.Object, q Request) { r.PrepareForCreate(o.(T), q) }
	}
	e.ChangesDepths = r.PrepareForCreate != nil && !r.SparesDepths
	if r.PrepareForUpdate != nil {
		e.onUpdate = func(o, old runtime.Object, q Request) { r.PrepareForUpdate(o.(T), old.(T), q) }
	}
	if r.Validate != nil {
		e.validate = func(o runtime.Object, q Request) field.ErrorList { return r.Validate(o.(T), q) }
	}
	if r.ValidateUpdate != nil {
		e.validateUpdate = func(o, old runtime.Object, q Request) field.ErrorList {
			return r.ValidateUpdate(o.(T), old.(T), q)
		}
	}
	if r.Allocate != nil {
		e.Allocate = func(o, old runtime.Object, from Allocator, q Request) (runtime.Object, field.ErrorList, error) {
			was, _ := old.(T)
			return r.Allocate(o.(T), was, from, q)
		}
	}
	if r.Warnings != nil {
		e.Warnings = func(o, old runtime.Object, q Request) []string {
			was, _ := old.(T)
			return r.Warnings(o.(T), was, q)
		}
	}
	return e
}

func untyped[T runtime.Object](f func(T)) func(runtime.Object) {
	if f == nil {
		return nil
	}
	return func(o runtime.Object) { f(o.(T)) }
}

func (e *Kind) ApplyDefaults(obj runtime.Object) {
	if e.Defaults != nil {
		e.Defaults(obj)
	}
	if e.Normalise != nil {
		e.Normalise(obj)
	}
}

func (e *Kind) PrepareForCreate(obj runtime.Object, r Request) {
	if e.counts(r) {
		SetGeneration(obj, 1)
	}
	if e.status != nil && !e.ownStatus {
		reflect.ValueOf(e.status(obj)).Elem().SetZero()
	}
	if e.onCreate != nil {
		e.onCreate(obj, r)
	}
	if e.dropGated != nil {
		e.dropGated(obj, nil, r)
	}
}

// counts tells whether the kind has a generation in the release.
func (e *Kind) counts(r Request) bool {
	return e.spec != nil && r.Release.Has(e.counted)
}

func (e *Kind) PrepareForUpdate(obj, old runtime.Object, r Request) {
	SetGeneration(obj, generation(old))
	switch {
	case r.Subresource == "status":
		keepAllButStatus(obj, old, e.status)
		if e.statusAlone {
			keepMetadata(obj, old)
		}
	case e.status != nil:
		keep(e.status(obj), e.status(old))
	}
	if e.onUpdate != nil {
		e.onUpdate(obj, old, r)
	}
	if e.dropGated != nil {
		e.dropGated(obj, old, r)
	}
	if e.counts(r) && !e.sameSpec(obj, old) {
		SetGeneration(obj, generation(old)+1)
	}
	KeepSystemMetadata(obj, old)
}

func (e *Kind) sameSpec(a, b runtime.Object) bool {
	if e.exactSpec {
		return reflect.DeepEqual(e.spec(a), e.spec(b))
	}
	return semantic.DeepEqual(e.spec(a), e.spec(b))
}

// nameRule is the rule for names in a release.
func (e *Kind) nameRule(r Request) validation.ValidateNameFunc {
	if e.anyPrefix == (kubeversion.Feature{}) || !r.Release.Has(e.anyPrefix) {
		return e.Name
	}
	return func(name string, prefix bool) []string {
		if prefix {
			return nil
		}
		return e.Name(name, false)
	}
}

func (e *Kind) ValidateKind(obj runtime.Object, r Request) field.ErrorList {
	var errs Errors
	errs.Add(ValidateNewMetadata(obj, r, e.nameRule(r)))
	if !e.anyFinalizer {
		errs.Add(ValidateFinalizers(obj))
	}
	if e.validate != nil {
		errs.Add(e.validate(obj, r))
	}
	return errs.List()
}

func (e *Kind) ValidateKindUpdate(obj, old runtime.Object, r Request) field.ErrorList {
	var errs Errors
	r.Old = old
	if r.Subresource == "status" && e.anyStatus {
		return nil
	}
	updates := e.updates
	if r.Subresource == "status" && updates != CheckNothing && !e.wholeStatus || r.Subresource == "finalize" {
		updates = CheckChange
	}
	if updates == CheckWhole || updates == CheckNew {
		errs.Add(e.ValidateKind(obj, r))
	}
	if r.Subresource == "" && !r.Release.Has(e.checkedOnce) && e.validate != nil {
		errs.Add(e.validate(obj, r))
	}
	if updates == CheckTwice {
		errs.Add(e.ValidateKind(obj, r))
		errs.Add(e.ValidateKind(obj, r))
	}
	if updates == CheckKind && e.validate != nil {
		errs.Add(e.validate(obj, r))
	}
	if updates == CheckWhole || updates == CheckChange || updates == CheckKind {
		errs.Add(ValidateAnyMetadataUpdate(obj, old))
		if !e.anyFinalizer {
			errs.Add(ValidateFinalizers(obj))
		}
	}
	if e.validateUpdate != nil {
		errs.Add(e.validateUpdate(obj, old, r))
	}
	return errs.List()
}

// keep sets what a points to, to a copy of what b points to.
func keep(a, b any) {
	from := reflect.ValueOf(b)
	to := reflect.ValueOf(a).Elem()
	if m := from.MethodByName("DeepCopy"); m.IsValid() {
		to.Set(m.Call(nil)[0].Elem())
		return
	}
	to.Set(from.Elem())
}

// keepAllButStatus takes everything from old but metadata and, where the kind has one, status.
func keepAllButStatus(obj, old runtime.Object, status func(runtime.Object) any) {
	if status == nil {
		return
	}
	result := old.DeepCopyObject()
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

func SetGeneration(obj runtime.Object, n int64) {
	if m, err := meta.Accessor(obj); err == nil {
		m.SetGeneration(n)
	}
}
