// Package rules has the building blocks of the rules of all built-in kinds: how a kind declares
// its special behaviour ([Of]), how it is listed ([Hub], [VersionOf], [Reshape]), the checks that
// many kinds share ([Unless], [OneOf], [EachOf], …), and field paths that cost nothing for valid
// objects ([Located]).
//
// It knows no kind. Start with [Of].
package rules

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Of are what is special about one built-in kind, in its hub version, whose Go type T
// is. Any of them may be missing.
type Of[T runtime.Object] struct {
	// Defaults of the hub version (DF-01 to DF-16), and what the round trip through the internal version
	// changes besides (RT-01). Both must leave an object alone to which they were applied before.
	Defaults func(T)
	// DefaultsIn are those that only some releases have, or that depend on the time.
	DefaultsIn func(T, Options)
	Normalise  func(T, *kubeversion.Release)

	// IsSettled tells of objects that the two surely leave as they are, as most are by the time
	// that they are stored: these need not be copied.
	IsSettled func(T, *kubeversion.Release) bool

	// Name is the rule for metadata.name; without one, any name fits that fits a URL.
	Name validation.ValidateNameFunc

	// DeclaredName is the feature with which the rule, that of a DNS subdomain, is declared with the type: then it
	// is not asked about generateName.
	DeclaredName kubeversion.Feature

	// AnyFinalizer is set where finalizers need not be qualified.
	AnyFinalizer bool

	// Spec and status point to the parts of that name. With spec, the kind has a generation,
	// which counts changes of it. With status, a create empties it, an update of the main
	// resource keeps the old one, and one of the subresource status keeps everything else
	// but metadata.
	Spec   func(T) any
	Status func(T) any

	// Counted is what a release has in which a kind with Spec has a generation; empty if all
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

	// Allocate gives an object that is written what it needs of addresses and ports, and makes
	// those fields that depend on each other agree, which the server does before all its other
	// checks (PL-08). old is nil on create. What is wrong with the object ends the write;
	// so does err, an answer of the server that is about no field of it.
	Allocate func(obj, old T, from Allocator, r Request) (allocated T, wrong field.ErrorList, err error)

	// Shown leaves out what the storage has of an object and no client gets. Where it changes something, it returns a
	// copy.
	Shown func(T) T

	// SparesDepths is set where PrepareForCreate does with a shallow copy: what it changes
	// behind a pointer, in a list or in a map, it copies before.
	SparesDepths bool

	// Validate checks everything but metadata, on create; on update too, unless the kind asks
	// for other checks. ValidateUpdate returns what is wrong with the change.
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

	// Declared is set where the rules that are declared with the type are asked, too; the others
	// are what these cannot say. Other kinds have theirs written out.
	Declared bool

	// DeclaredAlone is set where, of the rules that are declared with the type and enforced since 1.37, some
	// are not written: they are asked even where what is written finds nothing.
	DeclaredAlone bool

	// Undeclared is set where the server of the kind asks no declared rules at all: it is that of definitions or of
	// API services, which stand beside the server of the other kinds.
	Undeclared bool

	// InHub is the path by which the hub knows a field that some version has elsewhere, for errors about the
	// same field to be known as such; nil if all versions have the same paths.
	InHub func(path string) string

	// CountsDropped is set where the server compares an object with the old one before it drops fields whose
	// gates are off: they count as a change.
	CountsDropped bool

	Warnings func(obj, old T, r Request) []string // old is nil on create

	Behaviour Behaviour
}

// Kinds are what the server knows of the kinds of some API groups: the rules of those that have
// some, each in its hub version, and the other versions where they differ from their hub in more
// than name.
type Kinds struct {
	Hubs     []Kind
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

// RangeFull is what an [Allocator] says that has no address left.
const RangeFull = "range is full"

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

// A Request is a [Write] with what the rules need besides.
type Request struct {
	Write
	Options
	Namespaced bool
	Old        runtime.Object // what is replaced; nil on create
}

// OldOf is the object that a request replaces; nil on create.
func OldOf[T runtime.Object](r Request) T {
	old, _ := r.Old.(T)
	return old
}
