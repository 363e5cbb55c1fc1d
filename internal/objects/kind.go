package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// A kind is how the server treats the objects of one kind. There are two: [typed], the
// built-in ones, and [custom.Kind], those of a CRD.
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
