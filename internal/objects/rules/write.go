package rules

import (
	"errors"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Converter stands in for the conversion webhook of a CRD. The review's apiVersion is the first of the CRD's
// conversionReviewVersions that the server knows, v1 or v1beta1, which have the same fields. The reply is handed to use,
// which returns an error if the server cannot use it. Any other error is what the server would report if it could not
// call the webhook.
type Converter func(crd *apiextensionsv1.CustomResourceDefinition, review *apiextensionsv1.ConversionReview, use func(reply *apiextensionsv1.ConversionReview) error) error

// ErrNoConverter says that a conversion is unknown, since the CRD has a conversion webhook and nothing answers for it.
// It does not say what the server would do.
var ErrNoConverter = errors.New("nothing answers for its conversion webhook")

// A Write is the request by which an object is written, as far as kinds need it.
type Write struct {
	Resource    schema.GroupVersionResource
	Subresource string
	Namespace   string
	Name        string
	User        authenticationv1.UserInfo

	// Kind is the kind served at Resource, if the object may claim to be of another kind, as a custom resource can.
	// Otherwise it is empty.
	Kind schema.GroupVersionKind

	// Static is set if the server reads the object from a directory and not from a request. Only the handwritten checks
	// apply then, and the name may be one that is reserved for such objects.
	Static bool

	// Stored is set if a server has already stored the object. This may have been a server of another release, which knew
	// more.
	Stored bool

	// Families returns the families of the addresses that services of the cluster can have, the preferred one first. Nil:
	// it is not the write of a service.
	Families func() []corev1.IPFamily

	Now    time.Time
	NewUID func() types.UID

	Course *admission.Course // of the request; nil if there is only one

	// Warn is called with changes before a write that nobody should rely on, and with errors of CRD rules about a part
	// that an update leaves unchanged. It may be nil.
	Warn func(string)

	// Dropped lists the fields that were dropped although the server knows them. It may be nil.
	Dropped *[]DroppedField
}

// A DroppedField is a field of the written object that was dropped because its gate is off or, without a gate, for another
// reason. Path has no indices: spec.containers[].resizePolicy.
type DroppedField struct{ Path, Gate, Because string }

// Beside reports whether a field, given with its indices, is in the struct that had the dropped field.
func (d DroppedField) Beside(field string) bool {
	around, at := builtin.Steps(d.Path), builtin.Steps(field)
	around = around[:len(around)-1]
	return len(at) >= len(around) && slices.Equal(at[:len(around)], around)
}

// Drops reports that a field is dropped because its gate is off.
func (w Write) Drops(path, gate string) {
	if w.Dropped != nil {
		*w.Dropped = append(*w.Dropped, DroppedField{Path: path, Gate: gate})
	}
}

// DropsBecause reports that a field is dropped for a reason other than a gate.
func (w Write) DropsBecause(path, reason string) {
	if w.Dropped != nil {
		*w.Dropped = append(*w.Dropped, DroppedField{Path: path, Because: reason})
	}
}

// Behaviour says how writes of a kind differ from the usual ones.
type Behaviour struct {
	CreateOnUpdate bool // a PUT on a missing object creates it (W-014)
	StatusCreates  bool // an apply of the status of a missing object creates it (W-016)
	NeedsVersion   bool // an update must specify the resourceVersion that it is based on (W-024)
	VersionChecked bool // and validation says so, after the mutating phase (W-024b)
	Graceful       bool // a delete has a grace period (W-018)
	KeepsPrefix    bool // generateName is used as the name, without a suffix
	StoredAsJSON   bool // and not as protocol buffers (RT-09)

	// Keeps returns why the object with that name cannot be deleted, or "" if it can. If it is nil, all can.
	Keeps func(name string) (why string)
}

// Options are what the kinds need from outside. The zero value works.
type Options struct {
	// Release is the server's release. The default is the newest one.
	Release *kubeversion.Release

	// Clock is used for defaults that are the time at which an object is read. If it is nil, these are not set.
	Clock func() time.Time

	// CheckMatchConditions checks the match conditions of a webhook (W-081). stored are the expressions that existed
	// before the request. If it is nil, there are no errors.
	CheckMatchConditions func(list []admissionregistrationv1.MatchCondition, path *field.Path, stored sets.Set[string]) field.ErrorList

	// CheckDeviceExpression checks the expression of a device selector, or of an attribute derived from those of devices,
	// and returns its cost. stored says that it existed before the request. If it is nil, there are no errors.
	CheckDeviceExpression func(expression string, derived, stored bool, path *field.Path) (cost uint64, errs field.ErrorList)

	// CheckInstanceSelector checks a selector in parameters of resource.k8s.io/v1alpha2. stored says that it existed before
	// the request. If it is nil, there are no errors.
	CheckInstanceSelector func(expression string, stored bool, path *field.Path) field.ErrorList

	// CheckValidatingPolicy and CheckMutatingPolicy check the expressions of a policy (W-300, W-321); old is the old
	// policy, nil on create. If they are nil, there are no errors.
	CheckValidatingPolicy func(policy, old *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList
	CheckMutatingPolicy   func(policy, old *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList

	// TypeCheck checks the expressions of a policy against the schemas of the kinds that it matches. If it is nil, there
	// are no warnings.
	TypeCheck func(policy *admissionregistrationv1.ValidatingAdmissionPolicy, schemas func(schema.GroupVersionKind) (*spec.Schema, bool)) []admissionregistrationv1.ExpressionWarning

	// MissingFields finds the fields that expressions of a policy or of webhooks use, and that the kinds they are about do
	// not have. bound are the resources of the bindings of a policy. If it is nil, it finds none.
	MissingFields func(obj runtime.Object, bound []*admissionregistrationv1.MatchResources, schemas Schemas) []MissingFields

	// Convert stands in for the conversion webhooks of CRDs. Without it, conversions that need a webhook fail with
	// [ErrNoConverter].
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
	if o.CheckInstanceSelector == nil {
		o.CheckInstanceSelector = func(string, bool, *field.Path) field.ErrorList { return nil }
	}
	if o.CheckValidatingPolicy == nil {
		o.CheckValidatingPolicy = func(_, _ *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList { return nil }
	}
	if o.CheckMutatingPolicy == nil {
		o.CheckMutatingPolicy = func(_, _ *admissionregistrationv1.MutatingAdmissionPolicy) field.ErrorList { return nil }
	}
	return o
}
