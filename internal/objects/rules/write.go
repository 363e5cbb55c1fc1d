package rules

import (
	"errors"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Converter answers for the conversion webhook of a CRD. The review's apiVersion is the
// first of the CRD's conversionReviewVersions that the server knows, v1 or v1beta1, which
// have the same fields. An error is what the server would say if it could not call it.
type Converter func(crd *apiextensionsv1.CustomResourceDefinition, review *apiextensionsv1.ConversionReview) (*apiextensionsv1.ConversionReview, error)

// ErrNoConverter is why a conversion is not known: the CRD has a conversion webhook and
// nothing answers for it. It says nothing about what the server would do.
var ErrNoConverter = errors.New("nothing answers for its conversion webhook")

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

	// Static is set where the server reads the object from a folder of its own, which is no request:
	// only what is written as a check is checked, and the name may be one that is kept for such
	// objects.
	Static bool

	// Stored is set where a server has stored the object already. It may have been one of another release, which knew more.
	Stored bool

	Now    time.Time
	NewUID func() types.UID

	Course *admission.Course // of the request; nil: there is only one

	// Warn hears what is changed before a write that nobody should rely on, and what rules of a CRD
	// have against a part that an update leaves as it was; nil: nobody does.
	Warn func(string)
}

// Behaviour is how writes of a kind differ from the usual.
type Behaviour struct {
	CreateOnUpdate bool // a PUT on a missing object creates it (W-014)
	StatusCreates  bool // an apply of the status of a missing object creates it (W-016)
	NeedsVersion   bool // an update must say the resourceVersion that it starts from (W-024)
	Graceful       bool // a delete has a grace period (W-018)
	KeepsPrefix    bool // a generateName is the name, without a suffix
	StoredAsJSON   bool // and not as protocol buffers (RT-09)

	// Keeps returns why the object of that name cannot be deleted; empty if it can. Nil: all can.
	Keeps func(name string) (why string)
}

// Options are what the kinds need from elsewhere. The zero value works.
type Options struct {
	// Release is the server's; nil stands for the newest.
	Release *kubeversion.Release

	// Clock is for defaults that are the moment at which an object is read. Nil: these are not set.
	Clock func() time.Time

	// CheckMatchConditions checks the match conditions of a webhook (W-081). stored are the
	// expressions that were there before the request. Nil finds no fault with any.
	CheckMatchConditions func(list []admissionregistrationv1.MatchCondition, path *field.Path, stored sets.Set[string]) field.ErrorList

	// CheckDeviceExpression checks the expression of a selector of devices, or of an attribute that is derived from
	// theirs, and says what it costs. It was there before the request if stored. Nil finds no fault with any.
	CheckDeviceExpression func(expression string, derived, stored bool, path *field.Path) (cost uint64, errs field.ErrorList)

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

func (o Options) WithDefaults() Options {
	if o.Release == nil {
		o.Release = kubeversion.Default()
	}
	if o.CheckMatchConditions == nil {
		o.CheckMatchConditions = func([]admissionregistrationv1.MatchCondition, *field.Path, sets.Set[string]) field.ErrorList {
			return nil
		}
	}
	if o.CheckDeviceExpression == nil {
		o.CheckDeviceExpression = func(string, bool, bool, *field.Path) (uint64, field.ErrorList) { return 0, nil }
	}
	if o.CheckValidatingPolicy == nil {
		o.CheckValidatingPolicy = func(_, _ *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList { return nil }
	}
	if o.CheckMutatingPolicy == nil {
		o.CheckMutatingPolicy = func(_, _ *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList { return nil }
	}
	return o
}
