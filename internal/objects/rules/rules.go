// Package rules has the building blocks of the rules of all built-in kinds: how a kind declares its special behaviour
// ([Of]), how it is listed ([Hub], [VersionOf], [Reshape]), the checks that many kinds share ([Unless], [OneOf],
// [EachOf], …), and field paths that cost nothing for valid objects ([Located]).
//
// It does not know any kind. Start with [Of].
package rules

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Of describes what is special about one built-in kind in its hub version, whose Go type is T. All fields are optional.
type Of[T runtime.Object] struct {
	// Defaults are those of the hub version (DF-01 to DF-16). Normalise makes the further changes of a round trip through
	// the internal version (RT-01). Neither may change an object to which it was applied before.
	Defaults func(T)
	// DefaultsIn are the defaults that only some releases have, or that depend on the time.
	DefaultsIn func(T, Options)
	Normalise  func(T, *kubeversion.Release)

	// IsSettled reports that defaults and Normalise surely leave an object unchanged. This is true of most objects by the
	// time that they are stored, and saves copying them.
	IsSettled func(T, *kubeversion.Release) bool

	// Name is the rule for metadata.name. The default accepts any name that fits a URL.
	Name validation.ValidateNameFunc

	// NameIn returns this rule if it is not the same in all releases.
	NameIn func(*kubeversion.Release) validation.ValidateNameFunc

	// DeclaredName is the feature with which the rule, that of a DNS subdomain, is declared with the type. It then no
	// longer applies to generateName.
	DeclaredName kubeversion.Feature

	// AnyFinalizer is set if finalizers need not be qualified.
	AnyFinalizer bool

	// OwnMetadata is the feature without which the kind did not check its metadata, so that only the rules for the metadata
	// of all kinds applied. It is empty if it always did.
	OwnMetadata kubeversion.Feature

	// Spec and Status return pointers to the parts with these names. With Spec, the kind has a generation, which counts
	// changes of the spec. With Status, a create clears the status, an update of the main resource keeps the old one, and
	// an update of the subresource status keeps everything else except metadata.
	Spec   func(T) any
	Status func(T) any

	// Counted is the feature of the releases in which a kind with Spec has a generation. It is empty if all have it.
	Counted kubeversion.Feature

	// ExactSpec is set if an empty list instead of a missing one counts as a change of the spec.
	ExactSpec bool

	// StatusInBody reports whether a create or an update of the main resource sets the status, too, as in some old versions.
	// It is nil if none does.
	StatusInBody func(Request) bool

	// OwnStatus is set if PrepareForCreate clears the status itself, after reading something in it.
	OwnStatus bool

	// PrepareForCreate and PrepareForUpdate run after the changes that Spec and Status imply. They may only change the
	// first object.
	PrepareForCreate func(T, Request)
	PrepareForUpdate func(obj, old T, r Request)

	// Export changes an object for a GET with export=true (PL-35), and may refuse it. prepare changes it as a create does;
	// nil: that is all.
	Export func(obj T, exact bool, prepare func()) field.ErrorList

	// ChangeOld returns the old object as PrepareForUpdate leaves it on the server, which lets the new object share some
	// of it. It must not change its argument. It is nil if nothing is shared.
	ChangeOld func(old T, r Request) T

	// DropGated drops fields behind feature gates that are off, after PrepareForCreate and PrepareForUpdate; old is nil on
	// create. It copies what it changes behind a pointer.
	DropGated func(obj, old runtime.Object, r Request)

	// Allocate gives an object that is written the addresses and ports that it needs, and makes interdependent fields
	// consistent. The server does this before all other checks (PL-08). old is nil on create. Errors in wrong end the
	// write, and so does err, which is an answer of the server that is not about a field.
	Allocate func(obj, old T, from Allocator, r Request) (allocated T, wrong field.ErrorList, err error)

	// Shown removes what the storage has of an object and no client gets. If it changes anything, it returns a copy.
	Shown func(T, *kubeversion.Release) T

	// Read fills in fields that an object does not have because it was stored before they existed. If it changes anything,
	// it returns a copy.
	Read func(T, *kubeversion.Release) T

	// SparesDepths is set if a shallow copy suffices for PrepareForCreate: it copies what it changes behind a pointer, in
	// a list or in a map.
	SparesDepths bool

	// Validate checks everything but metadata on create, and on update as well unless OnUpdate says otherwise.
	// ValidateUpdate returns what is wrong with the change.
	Validate       func(T, Request) field.ErrorList
	ValidateUpdate func(obj, old T, r Request) field.ErrorList
	OnUpdate       checks

	// CheckedOnce is the feature without which an update checked the new object twice, and reported all errors twice: the
	// ValidateUpdate of a strategy in kubernetes/kubernetes:pkg/registry called both functions, and the second one called
	// the first. With CheckChange it checked it at all.
	CheckedOnce kubeversion.Feature

	// CheckedTwice is the feature that began this; it is empty if all earlier releases did it.
	CheckedTwice kubeversion.Feature

	// CreatedOnce is the feature without which a create checked the object twice as well.
	CreatedOnce kubeversion.Feature

	// StatusAlone is set if an update of the status keeps labels, annotations, finalizers and owners as well. StatusAloneIn
	// is the feature of the releases in which it does; it is empty if all do.
	StatusAlone   bool
	StatusAloneIn kubeversion.Feature

	// WholeStatus is set if an update of the status checks the whole object.
	WholeStatus bool

	// AnyStatus is set if an update of the status checks nothing but metadata.
	AnyStatus bool

	// Declared is set if the rules that are declared with the type apply as well; the other rules are those that cannot be
	// declared. Kinds without it have all of their rules written by hand.
	Declared bool

	// DeclaredAlone is set if some of the rules that are declared with the type and enforced since 1.37 have no
	// handwritten counterpart. The declared rules then apply even if the handwritten ones find nothing.
	DeclaredAlone bool

	// TakenOver is set if the server applies the rules that were declared with the type when the gate
	// DeclarativeValidationTakeover, and no stage of a rule, said whether they are enforced.
	TakenOver bool

	// Undeclared is set if the server of the kind does not apply declared rules at all. This is the server for definitions
	// or for API services, which are separate from the server for the other kinds.
	Undeclared bool

	// InHub translates the path of a field that is in another place in some version to the hub's path, so that errors
	// about the same field can be recognized. It is nil if all versions have the same paths.
	InHub func(path string) string

	// CountsDropped is set if the server compares an object with the old one before it drops fields whose gates are off:
	// these fields count as a change.
	CountsDropped bool

	// StatusDrops is the feature of the releases in which an update of the status drops fields whose gates are off. It is
	// empty if all do.
	StatusDrops kubeversion.Feature

	Warnings func(obj, old T, r Request) []string // old is nil on create

	// WarnsSince is the feature of the release that warns about the kind for the first time. If it is empty, all releases
	// with warnings about kinds warn about this one.
	WarnsSince kubeversion.Feature

	Behaviour Behaviour
}

// Kinds holds what is known about the kinds of some API groups: the rules of the kinds that have any, each in its hub
// version, and the other versions if they differ from their hub in more than name.
type Kinds struct {
	Hubs     []Kind
	Versions []*Version
}

// Join merges the kinds of several groups.
func Join(groups ...Kinds) Kinds {
	var all Kinds
	for _, g := range groups {
		all.Hubs = append(all.Hubs, g.Hubs...)
		all.Versions = append(all.Versions, g.Versions...)
	}
	return all
}

// RangeFull is the error of an [Allocator] without any address left.
const RangeFull = "range is full"

// An Allocator has the addresses and node ports of a cluster. If no particular one is asked for, it picks any. refused
// says why it cannot be allocated.
type Allocator interface {
	Families() []corev1.IPFamily // of addresses that services can have, the preferred one first
	Address(family corev1.IPFamily, ip string) (taken, refused string)
	Port(port int32) (taken int32, refused string)
}

// checks says what an update checks before ValidateUpdate.
type checks int

const (
	CheckWhole  checks = iota // the new object as on create, then the change of its metadata
	CheckChange               // the change of its metadata
	CheckNew                  // the new object as on create
	CheckNothing
	CheckKind  // like CheckWhole, without the rule for the name
	CheckTwice // the new object, which the server checks twice
)

// A Request is a [Write] with everything else that the rules need.
type Request struct {
	Write
	Options
	Namespaced bool
	Old        runtime.Object // the object to be replaced; nil on create
	Sent       runtime.Object // the object to be checked, in the version of the request; nil unless it is checked
}

// IsBeta reports whether a request is about version v1beta1 of its resource, whose rules are often laxer than those of v1.
func (r Request) IsBeta() bool { return r.Resource.Version == "v1beta1" }

// OldOf returns the object that a request replaces, or nil on create.
func OldOf[T runtime.Object](r Request) T {
	old, _ := r.Old.(T)
	return old
}
