package objects

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/objects/rules"
)

// A kind is how the server treats the objects of one kind. There are two: [typed], the
// built-in ones, and [Custom], those of a CRD.
//
// Objects handed to defaults, VersionDefaults and PrepareForUpdate as the first argument belong
// to the kind: it may change and return them, or return others. So does what PrepareForCreate
// gets, but what is behind its metadata is shared. All other arguments stay as they are.
type kind interface {
	// Decode reads the JSON of a request's body. It does not default. err is a status error.
	Decode(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error)

	// DecodePatched reads the JSON that the patch of a client left. It does not default. err is
	// the reason alone. s is not Strict.
	DecodePatched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error)

	// Patched reads the JSON that the patch of a webhook or policy left. It does not default.
	Patched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, error)

	// Defaults fills in the defaults of the object's version, and changes what the round trip
	// through the internal version changes.
	Defaults(obj runtime.Object) runtime.Object

	// VersionDefaults and normalised are the two halves of that. normalised leaves obj itself
	// as it is.
	VersionDefaults(obj runtime.Object) runtime.Object
	Normalised(obj runtime.Object) runtime.Object

	// Convert returns obj in another version. obj itself is not changed.
	Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error)

	PrepareForCreate(obj runtime.Object, w rules.Write) runtime.Object
	PrepareForUpdate(obj, old runtime.Object, w rules.Write) runtime.Object

	// Validate and ValidateUpdate check metadata too.
	Validate(obj runtime.Object, w rules.Write) field.ErrorList
	ValidateUpdate(obj, old runtime.Object, w rules.Write) field.ErrorList

	// Warnings are about an accepted object; old is nil on create.
	Warnings(obj, old runtime.Object, w rules.Write) []string

	Behaviour() rules.Behaviour
}

// Custom is the kind of a CRD, whose objects are *unstructured.Unstructured: package custom has it.
type Custom interface {
	kind
	scaled

	// Stored and Served are what the methods of [Types] do of that name. written is nil where the
	// storage has the object as it is.
	Stored(u *unstructured.Unstructured) (stored, written runtime.Object, err error)
	Served(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error)

	// Published is the schema of a version, around that of metadata.
	Published(version string, metadata *spec.Schema) (s *spec.Schema, ok bool)

	BrokenRules(obj, old runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule
	BrokenSchema(obj runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule
}
