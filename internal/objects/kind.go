package objects

import (
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A kind is how the server treats the objects of one kind. There are two: [typed], the
// built-in ones, and [custom], those of a CRD.
//
// Objects handed to defaults, versionDefaults and prepareForUpdate as the first argument belong
// to the kind: it may change and return them, or return others. So does what prepareForCreate
// gets, but what is behind its metadata is shared. All other arguments stay as they are.
type kind interface {
	// decode reads the JSON of a request's body. It does not default. err is a status error.
	decode(data []byte, gvk schema.GroupVersionKind, s Strictness) (obj runtime.Object, warnings []string, err error)

	// decodePatched reads the JSON that the patch of a client left. It does not default. err is
	// the reason alone. s is not Strict.
	decodePatched(data []byte, gvk schema.GroupVersionKind, s Strictness) (obj runtime.Object, warnings []string, err error)

	// patched reads the JSON that the patch of a webhook or policy left. It does not default.
	patched(data []byte, gvk schema.GroupVersionKind, s Strictness) (runtime.Object, error)

	// defaults fills in the defaults of the object's version, and changes what the round trip
	// through the internal version changes.
	defaults(obj runtime.Object) runtime.Object

	// versionDefaults and normalised are the two halves of that. normalised leaves obj itself
	// as it is.
	versionDefaults(obj runtime.Object) runtime.Object
	normalised(obj runtime.Object) runtime.Object

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

	// Kind is what is served at Resource, where that may differ from what the object says
	// that it is, as a custom resource can. Empty means that it does not.
	Kind schema.GroupVersionKind

	Now    time.Time
	NewUID func() types.UID

	// Warn hears what is changed before a write that nobody should rely on, and what rules of a CRD
	// have against a part that an update leaves as it was; nil: nobody does.
	Warn func(string)
}

// Behaviour is how writes of a kind differ from the usual.
type Behaviour struct {
	CreateOnUpdate bool // a PUT on a missing object creates it (W-014)
	NeedsVersion   bool // an update must say the resourceVersion that it starts from (W-024)
	Graceful       bool // a delete has a grace period (W-018)
	KeepsPrefix    bool // a generateName is the name, without a suffix
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
	// Release is the server's; nil stands for the newest.
	Release *kubeversion.Release

	// CheckMatchConditions checks the match conditions of a webhook (W-081). stored are the
	// expressions that were there before the request. Nil finds no fault with any.
	CheckMatchConditions func(list []admissionregistrationv1.MatchCondition, path *field.Path, stored sets.Set[string]) field.ErrorList

	// CheckDeviceSelector checks the expression of a selector of devices, which was there before
	// the request if stored. Nil finds no fault with any.
	CheckDeviceSelector func(expression string, stored bool, path *field.Path) field.ErrorList

	// CheckValidatingPolicy and CheckMutatingPolicy check the expressions of a policy (W-300,
	// W-321); old is what it was before, nil on create. Nil finds no fault with any.
	CheckValidatingPolicy func(policy, old *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList
	CheckMutatingPolicy   func(policy, old *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList

	// TypeCheck checks the expressions of a policy against the schemas of what it matches. Nil
	// finds no fault with any.
	TypeCheck func(policy *admissionregistrationv1.ValidatingAdmissionPolicy, schemas func(schema.GroupVersionKind) (*spec.Schema, bool)) []admissionregistrationv1.ExpressionWarning

	// Convert answers for the conversion webhooks of CRDs. Without it, conversions that need
	// one end in [ErrNoConverter].
	Convert Converter
}

func (o Options) withDefaults() Options {
	if o.Release == nil {
		o.Release = kubeversion.Default()
	}
	if o.CheckMatchConditions == nil {
		o.CheckMatchConditions = func([]admissionregistrationv1.MatchCondition, *field.Path, sets.Set[string]) field.ErrorList {
			return nil
		}
	}
	if o.CheckDeviceSelector == nil {
		o.CheckDeviceSelector = func(string, bool, *field.Path) field.ErrorList { return nil }
	}
	if o.CheckValidatingPolicy == nil {
		o.CheckValidatingPolicy = func(_, _ *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList { return nil }
	}
	if o.CheckMutatingPolicy == nil {
		o.CheckMutatingPolicy = func(_, _ *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList { return nil }
	}
	return o
}
