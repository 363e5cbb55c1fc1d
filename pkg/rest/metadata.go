package rest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/trace"
)

// wipeSystemMetadata removes what only the server sets (W-022).
func wipeSystemMetadata(m metav1.Object) {
	m.SetCreationTimestamp(metav1.Time{})
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetUID("")
	m.SetSelfLink("")
}

// keepsSystemMetadata tells the subresources whose body names an object that exists.
func (x *exchange) keepsSystemMetadata() bool {
	switch x.pathOf() {
	case "pods/binding":
		return true
	case "serviceaccounts/token":
		return x.server.release().AtLeast(tokensNameUIDs)
	}
	return false
}

// pathOf names what is written to, as in a rule of a webhook: pods, pods/status.
func (x *exchange) pathOf() string {
	if x.req.Subresource == "" {
		return x.req.Resource.Resource
	}
	return x.req.Resource.Resource + "/" + x.req.Subresource
}

// expectedNamespace is the namespace that an object of the request must have.
func (x *exchange) expectedNamespace() string {
	if isNamespace(x.req.Resource) {
		return ""
	}
	return x.req.Namespace
}

// matchScope does what matchNamespace does once more after mutation, for what the resource
// is: a webhook may have changed the namespace (W-215).
func (x *exchange) matchScope(m metav1.Object) error {
	if !x.resource.Namespaced {
		return matchNamespace(m, "")
	}
	return matchNamespace(m, x.req.Namespace)
}

// matchNamespace fills the namespace of an object in, clears it, or refuses it.
func matchNamespace(m metav1.Object, want string) error {
	switch {
	case m.GetNamespace() == want:
	case m.GetNamespace() == "" || want == "":
		m.SetNamespace(want)
	default:
		return refuse(apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request"))
	}
	return nil
}

// matchName refuses an object that is not the one that the URL names.
func (x *exchange) matchName(m metav1.Object) error {
	if m.GetName() == "" {
		return refuse(apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s based on URL) was undeterminable: name must be provided", x.req.Name)))
	}
	if m.GetName() != x.req.Name {
		return refuse(apierrors.NewBadRequest(fmt.Sprintf(
			"the name of the object (%s) does not match the name on the URL (%s)", m.GetName(), x.req.Name)))
	}
	return nil
}

// When duplicate owner references are looked for; the warning says which (W-030).
const (
	beforeAdmission = ""
	afterAdmission  = " after mutating admission happens"
)

// dedupOwners removes owner references that are listed twice, with a warning.
func (x *exchange) dedupOwners(m metav1.Object, when string) {
	var kept []metav1.OwnerReference
	var duplicates []string
	for _, ref := range m.GetOwnerReferences() {
		same := func(other metav1.OwnerReference) bool { return semantic.DeepEqual(ref, other) }
		if slices.ContainsFunc(kept, same) {
			duplicates = append(duplicates, string(ref.UID))
			continue
		}
		kept = append(kept, ref)
	}
	if len(duplicates) == 0 {
		return
	}
	m.SetOwnerReferences(kept)
	x.warnings.Add(".metadata.ownerReferences contains duplicate entries" + when +
		"; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " +
		strings.Join(duplicates, ", "))
}

// repairMetadata mends what a patch, or webhooks, may have done to the metadata: owner
// references listed twice, and managed fields that cannot be read (W-029). before is the object
// as it entered the mutating phase.
func (x *exchange) repairMetadata(object, before runtime.Object) (runtime.Object, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return object, nil // a kind without metadata
	}
	var problem error
	if object != before && (x.owners == nil || !slices.EqualFunc(x.owners, m.GetManagedFields(), sameOwner)) {
		problem = patch.CheckManagedFields(m.GetManagedFields())
	}
	if problem == nil && !ownedTwice(m.GetOwnerReferences()) {
		return object, nil
	}
	object = object.DeepCopyObject()
	if m, err = meta.Accessor(object); err != nil {
		return nil, err
	}
	if problem != nil {
		if old, err := meta.Accessor(before); err == nil {
			m.SetManagedFields(old.GetManagedFields())
		}
		x.warnings.Add(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: " + problem.Error())
	}
	x.dedupOwners(m, afterAdmission)
	return object, nil
}

// ownedTwice tells whether a reference is listed more than once.
func ownedTwice(refs []metav1.OwnerReference) bool {
	for i := range refs {
		for j := range i {
			if semantic.DeepEqual(refs[i], refs[j]) {
				return true
			}
		}
	}
	return false
}

// sameOwner tells whether two entries own the same, at whatever time.
func sameOwner(a, b metav1.ManagedFieldsEntry) bool {
	a.Time, b.Time = nil, nil
	return reflect.DeepEqual(a, b)
}

// invalid refuses an object for its content, and leaves the reason in the trace, with the rules
// of a CRD that are behind it.
func (x *exchange) invalid(object runtime.Object, errs field.ErrorList, rules ...trace.Hook) error {
	name := x.req.Name
	if m, err := meta.Accessor(object); err == nil {
		name = m.GetName()
	}
	status := apierrors.NewInvalid(x.kindInErrors(object), name, errs)
	step := trace.Step{
		Plugin:  "validation",
		Outcome: trace.Denied,
		Because: errs.ToAggregate().Error(),
		Denial:  &status.ErrStatus,
		Hooks:   rules,
	}
	for i := range rules {
		rules[i].Denial = step.Denial
	}
	if len(rules) > 0 {
		step.Source = rules[0].Source
	}
	x.serverStep(step)
	return refuse(status)
}

// kindInErrors is what the server calls the kind of an object that is wrong: the one that
// it is stored as, and of a custom resource the one that it says it is.
func (x *exchange) kindInErrors(object runtime.Object) schema.GroupKind {
	if x.resource.CRD != nil {
		return object.GetObjectKind().GroupVersionKind().GroupKind()
	}
	return x.resource.Storage.GroupKind()
}
