package objects

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

// rules are what is special about one built-in kind, in its hub version, whose Go type T
// is. Any of them may be missing.
type rules[T runtime.Object] struct {
	// defaults of the hub version (DF-01 to DF-15), and what the round trip through the internal version
	// changes besides (RT-01). Both must leave an object alone to which they were applied before.
	defaults  func(T)
	normalise func(T)

	// isSettled tells of objects that the two surely leave as they are, as most are by the time
	// that they are stored: these need not be copied.
	isSettled func(T) bool

	// name is the rule for metadata.name; without one, any name fits that fits a URL.
	name validation.ValidateNameFunc

	// anyPrefix is the feature with which the rule is not asked about generateName.
	anyPrefix kubeversion.Feature

	// anyFinalizer is set where finalizers need not be qualified.
	anyFinalizer bool

	// spec and status point to the parts of that name. With spec, the kind has a generation,
	// which counts changes of it. With status, a create empties it, an update of the main
	// resource keeps the old one, and one of the subresource status keeps everything else
	// but metadata.
	spec   func(T) any
	status func(T) any

	// counted is what a release has in which a kind with spec has a generation; empty where all
	// do.
	counted kubeversion.Feature

	// exactSpec is set where a list that is empty instead of missing is a change of the spec.
	exactSpec bool

	// ownStatus is set where prepareForCreate empties the status itself, of which it looks at
	// something before.
	ownStatus bool

	// prepareForCreate and prepareForUpdate run after what spec and status say is done. They
	// may change the first object only.
	prepareForCreate func(T, request)
	prepareForUpdate func(obj, old T, r request)

	// dropGated drops fields behind feature gates that are off, after prepareForCreate and
	// prepareForUpdate; old is nil on create. What it changes behind a pointer it copies before.
	dropGated func(obj, old runtime.Object, r request)

	// allocate gives an object that is written what it needs of addresses and ports, and makes
	// those fields that depend on each other agree, which the server does before all its other
	// checks (PL-08). old is nil on create. What is wrong with the object ends the write;
	// so does err, an answer of the server that is about no field of it.
	allocate func(obj, old T, from Allocator, r request) (allocated T, wrong field.ErrorList, err error)

	// sparesDepths is set where prepareForCreate does with a shallow copy: what it changes
	// behind a pointer, in a list or in a map, it copies before.
	sparesDepths bool

	// validate checks everything but metadata, on create; on update too, unless the kind asks
	// for other checks. validateUpdate tells what is wrong with the change.
	validate       func(T, request) field.ErrorList
	validateUpdate func(obj, old T, r request) field.ErrorList
	onUpdate       checks

	// checkedOnce is the feature without which an update checked the new object twice, and said
	// all that was wrong with it twice: the ValidateUpdate of a strategy in
	// kubernetes/kubernetes:pkg/registry asked for both, and the second for the first.
	checkedOnce kubeversion.Feature

	// statusAlone is set where an update of the status does not change what metadata says of
	// the object either: labels, annotations, finalizers and owners.
	statusAlone bool

	// wholeStatus is set where an update of the status has the whole object checked.
	wholeStatus bool

	// anyStatus is set where an update of the status is not checked, and only metadata is.
	anyStatus bool

	warnings func(obj, old T, r request) []string // old is nil on create

	behaviour Behaviour
}

// Kinds are what the server knows of the kinds of some API groups: the rules of those that have
// some, each in its hub version, and the other versions where they differ from their hub in more
// than name.
type Kinds struct {
	Hubs     []*entry
	Versions []*spoke
}

// joinKinds lists the kinds of several groups.
func joinKinds(groups ...Kinds) Kinds {
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

// checks is what an update runs before validateUpdate.
type checks int

const (
	checkWhole  checks = iota // the new object as on create, then the change of its metadata
	checkChange               // the change of its metadata
	checkNew                  // the new object as on create
	checkNothing
	checkKind  // as checkWhole, without the rule for the name
	checkTwice // the new object, which the server checks twice
)

// A request is a [Write] with what the rules need besides.
type request struct {
	Write
	Options
	namespaced bool
	old        runtime.Object // what is replaced; nil on create
}

// was is the object that a request replaces; nil on create.
func was[T runtime.Object](r request) T {
	old, _ := r.old.(T)
	return old
}

// An entry is the rules of one kind without their Go type.
type entry struct {
	gvk                 schema.GroupVersionKind
	defaults, normalise func(runtime.Object)
	isSettled           func(runtime.Object) bool
	name                validation.ValidateNameFunc
	anyPrefix           kubeversion.Feature
	anyFinalizer        bool
	spec, status        func(runtime.Object) any
	counted             kubeversion.Feature
	exactSpec           bool
	ownStatus           bool
	onCreate            func(runtime.Object, request)
	onUpdate            func(obj, old runtime.Object, r request)
	dropGated           func(obj, old runtime.Object, r request)
	allocate            func(obj, old runtime.Object, from Allocator, r request) (runtime.Object, field.ErrorList, error)
	validate            func(runtime.Object, request) field.ErrorList
	validateUpdate      func(obj, old runtime.Object, r request) field.ErrorList
	updates             checks
	checkedOnce         kubeversion.Feature
	wholeStatus         bool
	anyStatus           bool
	statusAlone         bool
	warnings            func(obj, old runtime.Object, r request) []string
	behaviour           Behaviour
	changesDepths       bool // onCreate needs a deep copy
}

// hub lists the rules of a kind.
func hub[T runtime.Object](gv schema.GroupVersion, kind string, r rules[T]) *entry {
	e := &entry{
		gvk: gv.WithKind(kind), name: r.name, anyPrefix: r.anyPrefix, anyFinalizer: r.anyFinalizer,
		updates: r.onUpdate, checkedOnce: r.checkedOnce,
		wholeStatus: r.wholeStatus, anyStatus: r.anyStatus, statusAlone: r.statusAlone, ownStatus: r.ownStatus,
		exactSpec: r.exactSpec, behaviour: r.behaviour, counted: r.counted, dropGated: r.dropGated,
	}
	e.defaults = untyped(r.defaults)
	e.normalise = untyped(r.normalise)
	if r.isSettled != nil {
		e.isSettled = func(o runtime.Object) bool { return r.isSettled(o.(T)) }
	}
	if r.spec != nil {
		e.spec = func(o runtime.Object) any { return r.spec(o.(T)) }
	}
	if r.status != nil {
		e.status = func(o runtime.Object) any { return r.status(o.(T)) }
	}
	if r.prepareForCreate != nil {
		e.onCreate = func(o runtime.Object, q request) { r.prepareForCreate(o.(T), q) }
	}
	e.changesDepths = r.prepareForCreate != nil && !r.sparesDepths
	if r.prepareForUpdate != nil {
		e.onUpdate = func(o, old runtime.Object, q request) { r.prepareForUpdate(o.(T), old.(T), q) }
	}
	if r.validate != nil {
		e.validate = func(o runtime.Object, q request) field.ErrorList { return r.validate(o.(T), q) }
	}
	if r.validateUpdate != nil {
		e.validateUpdate = func(o, old runtime.Object, q request) field.ErrorList {
			return r.validateUpdate(o.(T), old.(T), q)
		}
	}
	if r.allocate != nil {
		e.allocate = func(o, old runtime.Object, from Allocator, q request) (runtime.Object, field.ErrorList, error) {
			was, _ := old.(T)
			return r.allocate(o.(T), was, from, q)
		}
	}
	if r.warnings != nil {
		e.warnings = func(o, old runtime.Object, q request) []string {
			was, _ := old.(T)
			return r.warnings(o.(T), was, q)
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

func (e *entry) applyDefaults(obj runtime.Object) {
	if e.defaults != nil {
		e.defaults(obj)
	}
	if e.normalise != nil {
		e.normalise(obj)
	}
}

func (e *entry) prepareForCreate(obj runtime.Object, r request) {
	if e.counts(r) {
		setGeneration(obj, 1)
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
func (e *entry) counts(r request) bool {
	return e.spec != nil && r.Release.Has(e.counted)
}

func (e *entry) prepareForUpdate(obj, old runtime.Object, r request) {
	setGeneration(obj, generation(old))
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
		setGeneration(obj, generation(old)+1)
	}
	keepSystemMetadata(obj, old)
}

func (e *entry) sameSpec(a, b runtime.Object) bool {
	if e.exactSpec {
		return reflect.DeepEqual(e.spec(a), e.spec(b))
	}
	return semantic.DeepEqual(e.spec(a), e.spec(b))
}

// nameRule is the rule for names in a release.
func (e *entry) nameRule(r request) validation.ValidateNameFunc {
	if e.anyPrefix == (kubeversion.Feature{}) || !r.Release.Has(e.anyPrefix) {
		return e.name
	}
	return func(name string, prefix bool) []string {
		if prefix {
			return nil
		}
		return e.name(name, false)
	}
}

func (e *entry) validateKind(obj runtime.Object, r request) field.ErrorList {
	errs := validateNewMetadata(obj, r, e.nameRule(r))
	if !e.anyFinalizer {
		errs = append(errs, validateFinalizers(obj)...)
	}
	if e.validate != nil {
		errs = append(errs, e.validate(obj, r)...)
	}
	return errs
}

func (e *entry) validateKindUpdate(obj, old runtime.Object, r request) field.ErrorList {
	var errs field.ErrorList
	r.old = old
	if r.Subresource == "status" && e.anyStatus {
		return nil
	}
	updates := e.updates
	if r.Subresource == "status" && updates != checkNothing && !e.wholeStatus || r.Subresource == "finalize" {
		updates = checkChange
	}
	if updates == checkWhole || updates == checkNew {
		errs = e.validateKind(obj, r)
	}
	if r.Subresource == "" && !r.Release.Has(e.checkedOnce) && e.validate != nil {
		errs = append(errs, e.validate(obj, r)...)
	}
	if updates == checkTwice {
		errs = append(e.validateKind(obj, r), e.validateKind(obj, r)...)
	}
	if updates == checkKind && e.validate != nil {
		errs = append(errs, e.validate(obj, r)...)
	}
	if updates == checkWhole || updates == checkChange || updates == checkKind {
		errs = append(errs, validateAnyMetadataUpdate(obj, old)...)
		if !e.anyFinalizer {
			errs = append(errs, validateFinalizers(obj)...)
		}
	}
	if e.validateUpdate != nil {
		errs = append(errs, e.validateUpdate(obj, old, r)...)
	}
	return errs
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

func setGeneration(obj runtime.Object, n int64) {
	if m, err := meta.Accessor(obj); err == nil {
		m.SetGeneration(n)
	}
}
