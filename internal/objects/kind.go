package objects

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/objects/rules"
)

// A kind is how the server treats the objects of one kind. There are two implementations: [typed] for built-in kinds,
// and [Custom] for those of a CRD.
//
// Defaults, VersionDefaults and PrepareForUpdate may change their first argument and return it, or return another
// object. PrepareForCreate may do so as well, but only its metadata is its own, everything else is shared. All other
// arguments must not be changed.
type kind interface {
	// Decode reads the JSON of a request's body. It does not default. found is what was wrong with the body before it
	// became JSON. err is a status error.
	Decode(data []byte, found []error, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error)

	// DecodePatched reads the JSON of an object after a client's patch. It does not default. err is only the reason. s is
	// not Strict.
	DecodePatched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (obj runtime.Object, warnings []string, err error)

	// Patched reads the JSON of an object after the patch of a webhook or policy. It does not default.
	Patched(data []byte, gvk schema.GroupVersionKind, s rules.Strictness) (runtime.Object, error)

	// Defaults sets the defaults of the object's version, and makes the changes of a round trip through the internal
	// version.
	Defaults(obj runtime.Object) runtime.Object

	// VersionDefaults and Normalised are the two halves of Defaults. Normalised does not change obj.
	VersionDefaults(obj runtime.Object) runtime.Object
	Normalised(obj runtime.Object) runtime.Object

	// Convert returns obj in another version. It does not change obj.
	Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error)

	PrepareForCreate(obj runtime.Object, w rules.Write) runtime.Object
	PrepareForUpdate(obj, old runtime.Object, w rules.Write) runtime.Object
	Export(obj runtime.Object, exact bool, w rules.Write) (runtime.Object, field.ErrorList) // does not change obj
	AfterUpdate(old runtime.Object, w rules.Write) runtime.Object                           // does not change old

	// Validate and ValidateUpdate check the metadata as well.
	Validate(obj runtime.Object, w rules.Write) field.ErrorList
	ValidateUpdate(obj, old runtime.Object, w rules.Write) field.ErrorList

	// Warnings returns warnings about an accepted object; old is nil on create.
	Warnings(obj, old runtime.Object, w rules.Write) []string

	Behaviour() rules.Behaviour
}

// Custom is the kind of a CRD, with objects of type *unstructured.Unstructured. It is implemented by package custom.
type Custom interface {
	kind
	scaled

	// Stored and Served implement the methods of [Types] with these names. written is nil if the storage has the object as
	// it is.
	Stored(u *unstructured.Unstructured) (stored, written runtime.Object, err error)
	Served(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error)

	// Published returns the schema of a version, which includes the one of metadata.
	Published(version string, metadata *spec.Schema) (s *spec.Schema, ok bool)

	BrokenRules(obj, old runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule
	BrokenSchema(obj runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule
}
