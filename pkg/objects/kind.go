package objects

import (
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A kind is how the server treats the objects of one kind. There are two: [typed], the
// built-in ones, and [custom], those of a CRD.
//
// Objects handed to defaults, prepareForCreate and prepareForUpdate as the first argument
// belong to the kind: it may change and return them, or return others. All other arguments
// stay as they are.
type kind interface {
	// decode reads the JSON of a request's body. It does not default. err is a status error.
	decode(data []byte, gvk schema.GroupVersionKind, s Strictness) (obj runtime.Object, warnings []string, err error)

	// patched reads the JSON that a webhook's patch left, in which unknown fields are no
	// error. It does not default.
	patched(data []byte, gvk schema.GroupVersionKind) (runtime.Object, error)

	// defaults fills in the defaults of the object's version, and changes what the round trip
	// through the internal version changes.
	defaults(obj runtime.Object) runtime.Object

	// convert returns obj in another version. obj itself is not changed.
	convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error)

	prepareForCreate(obj runtime.Object, w Write) runtime.Object
	prepareForUpdate(obj, old runtime.Object, w Write) runtime.Object

	// validate and validateUpdate check metadata too.
	validate(obj runtime.Object, w Write) field.ErrorList
	validateUpdate(obj, old runtime.Object, w Write) field.ErrorList

	// warnings are about an accepted object; old is nil on create.
	warnings(obj, old runtime.Object, w Write) []string

	behaviour() Behaviour
}

// A Write is the request by which an object gets written, as far as kinds care.
type Write struct {
	Resource    schema.GroupVersionResource
	Subresource string
	Namespace   string
	Name        string
	User        authenticationv1.UserInfo

	Now    time.Time
	NewUID func() types.UID
}

// Behaviour is how writes of a kind differ from the usual.
type Behaviour struct {
	CreateOnUpdate      bool // a PUT on a missing object creates it (W-014)
	UnconditionalUpdate bool // an update may come without a resourceVersion
	Graceful            bool // a delete has a grace period (W-018)
}

// Strictness is what happens with fields that a kind does not have, and with fields that
// are given twice: the query parameter fieldValidation.
type Strictness int

const (
	Ignore Strictness = iota
	Warn
	Strict
)

// Options are what the kinds need from elsewhere. The zero value works.
type Options struct {
	// CheckMatchConditions checks the expressions of match conditions (W-081). Nil finds no
	// fault with any.
	CheckMatchConditions func(conditions []admissionregistrationv1.MatchCondition, path *field.Path) field.ErrorList
}

func (o Options) withDefaults() Options {
	if o.CheckMatchConditions == nil {
		o.CheckMatchConditions = func([]admissionregistrationv1.MatchCondition, *field.Path) field.ErrorList { return nil }
	}
	return o
}
