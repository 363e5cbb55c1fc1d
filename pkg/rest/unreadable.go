// kubernetes/apiserver:pkg/storage/etcd3/corrupt_obj_deleter.go
// kubernetes/apiserver:pkg/registry/generic/registry/corrupt_obj_deleter.go

package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An unreadableError is why the server cannot read a stored object, which only happens to custom resources whose webhook
// does not convert them.
type unreadableError struct {
	key     string
	version string
	err     error
}

func (e *unreadableError) Error() string {
	return fmt.Sprintf("object not decodable revision=%s: %v", e.version, e.err)
}

// inStorage returns the error with the key of the object below a prefix.
func (e *unreadableError) inStorage(prefix string) error {
	return storageError("corrupt object", 7, prefix+e.key, e.Error())
}

// storageError returns an error of the storage: kubernetes/apiserver:pkg/storage/errors.go.
func storageError(what string, code int, key, more string) error {
	return fmt.Errorf("StorageError: %s, Code: %d, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: %s", what, code, key, more)
}

// invalidInStorage returns the error about an object that the storage does not write.
func invalidInStorage(key, why string) error { return storageError("invalid object", 4, key, why) }

// tellsUnreadable reports whether the server tells objects that it cannot read from other errors, and can delete them.
func (x *exchange) tellsUnreadable() bool {
	return x.server.release().Enabled("AllowUnsafeMalformedObjectDeletion")
}

// fromStorage returns an object of the cluster in the requested version, or an unreadableError.
func (x *exchange) fromStorage(stored runtime.Object) (runtime.Object, error) {
	object, err := x.server.Types.Served(stored, x.resource.Kind)
	if err == nil || errors.Is(err, objects.ErrNoConverter) || !x.tellsUnreadable() {
		return object, err
	}
	m, invalid := meta.Accessor(stored)
	if invalid != nil {
		return nil, invalid
	}
	return nil, &unreadableError{key: x.keyBelow(x.resource.StoragePrefix, m.GetNamespace(), m.GetName()), version: m.GetResourceVersion(), err: err}
}

// mostUnreadable is how many objects that cannot be read the error of a list names.
const mostUnreadable = 100

// tooManyUnreadable is how many of them end the list.
func (x *exchange) tooManyUnreadable() int {
	if !x.server.release().Has(kubeversion.UnreadableInBeta) {
		return mostUnreadable + 1
	}
	return mostUnreadable
}

// unreadableItems returns the error of a list of objects, all of which cannot be read.
func (x *exchange) unreadableItems(all []*unreadableError) error {
	of := x.req.Resource.GroupResource()
	details := &metav1.StatusDetails{Group: of.Group, Kind: of.Resource, Name: "list"}
	for _, e := range all[:min(len(all), mostUnreadable)] {
		details.Causes = append(details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeUnexpectedServerResponse, Field: registry + e.key, Message: e.inStorage(registry).Error(),
		})
	}
	if len(all) == x.tooManyUnreadable() {
		details.Causes = append(details.Causes, metav1.StatusCause{
			Type: metav1.CauseTypeTooMany, Message: "too many errors, the list is truncated",
		})
	}
	message := fmt.Sprintf("failed to read one or more %s from the storage", of)
	if x.server.release().Has(kubeversion.UnreadableInBeta) {
		message = fmt.Sprintf("%s: %v", message, all[0].inStorage(registry))
		if len(all) > 1 {
			message = fmt.Sprintf("%s (and %d more)", message, len(all)-1)
		}
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError, Reason: metav1.StatusReasonStoreReadError,
		Details: details, Message: message,
	}}
}

// ignoring is the option of a client that insists on deleting an object that the server cannot read.
var ignoring = field.NewPath("ignoreStoreReadErrorWithClusterBreakingPotential")

// ignoresUnreadable reports whether a client has set that option.
func ignoresUnreadable(o *metav1.DeleteOptions) bool {
	ignores := o.IgnoreStoreReadErrorWithClusterBreakingPotential
	return ignores != nil && *ignores
}

// validateDeleteOptions follows kubernetes/apimachinery:pkg/apis/meta/v1/validation/validation.go.
func (x *exchange) validateDeleteOptions(o *metav1.DeleteOptions) field.ErrorList {
	errs := metav1validation.ValidateDeleteOptions(o)
	if !ignoresUnreadable(o) || len(o.DryRun) == 0 || x.server.release().Has(kubeversion.UnreadableInBeta) {
		return errs
	}
	at := slices.IndexFunc(errs, func(e *field.Error) bool { return e.Field == ignoring.String() })
	if at < 0 {
		at = len(errs)
	}
	return slices.Insert(errs, at, field.Invalid(ignoring, true, "cannot be set together with .dryRun"))
}

// keepReadable refuses to delete a whole collection of objects that cannot be read.
func keepReadable(o *metav1.DeleteOptions) error {
	if !ignoresUnreadable(o) {
		return nil
	}
	return refuse(apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "DeleteOptions"}, "", field.ErrorList{
		field.Invalid(ignoring, true, "is not allowed with DELETECOLLECTION, try again after removing the option"),
	}))
}

// wrapped lists the kinds whose storage hides how to delete what cannot be read.
var wrapped = map[schema.GroupKind]bool{
	{Kind: "Namespace"}: true,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRole"}:        true,
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: true,
	{Group: "rbac.authorization.k8s.io", Kind: "Role"}:               true,
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        true,
}

// deleteUnreadable deletes an object that the server cannot read: without admission, and whatever its finalizers are.
func (x *exchange) deleteUnreadable(ctx context.Context, options *metav1.DeleteOptions) (int, runtime.Object, error) {
	x.annotations.Add("apiserver.k8s.io/unsafe-delete-ignore-read-error", "")
	if wrapped[x.resource.Storage.GroupKind()] {
		return 0, nil, refuse(apierrors.NewInternalError(errors.New("no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential")))
	}
	if err := x.mayIgnoreUnreadable(ctx); err != nil {
		return 0, nil, err
	}
	if err := x.mustBeUnreadable(); err != nil {
		return 0, nil, err
	}
	if !x.server.release().Has(kubeversion.UnreadableInBeta) {
		// The usual way first, which succeeds if the object can be read by now.
		answer, _, err := x.removeNamed(ctx, x.req.Name, options, options)
		if refused := (*refusal)(nil); !errors.As(err, &refused) || !refused.unreadable {
			return http.StatusOK, answer, err
		}
	}
	if !x.server.release().Has(kubeversion.UnreadableNotAdmitted) {
		return 0, nil, refuse(admission.ErrPanicked)
	}
	if !x.dryRun() {
		if err := x.forget(ctx, x.req.Name); err != nil {
			return 0, nil, err
		}
	}
	return http.StatusOK, &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusSuccess, Code: http.StatusOK,
		Details: &metav1.StatusDetails{Name: x.req.Name, Kind: x.resource.Kind.Kind},
	}, nil
}

// mustBeUnreadable refuses to delete another object, or one that does not exist.
func (x *exchange) mustBeUnreadable() error {
	name, resource := x.req.Name, x.req.Resource.GroupResource()
	kept, ok := x.state.Find(x.key(name))
	var err error
	if ok {
		_, err = x.fromStorage(kept.Object)
	}
	switch unreadable := (*unreadableError)(nil); {
	case errors.As(err, &unreadable):
		return nil
	case err != nil:
		return refuse(err)
	case !x.server.release().Has(kubeversion.UnreadableInBeta):
		return refuse(apierrors.NewInvalid(schema.GroupKind{Group: resource.Group, Kind: resource.Resource}, name, field.ErrorList{
			field.Invalid(ignoring, true, "is exclusively used to delete corrupt object(s), try again by removing this option"),
		}))
	case !ok:
		return refuse(apierrors.NewNotFound(x.missing(), name))
	}
	return refuse(apierrors.NewConflict(resource, name, invalidInStorage(
		registry+x.keyBelow(x.resource.StoragePrefix, x.req.Namespace, name), "unsafe deletion is not allowed because the object is decodable from storage")))
}

// mayIgnoreUnreadable checks a permission of its own: kubernetes/apiserver:pkg/endpoints/handlers/delete.go.
func (x *exchange) mayIgnoreUnreadable(ctx context.Context) error {
	question := x.access().Question()
	question.Verb, question.Namespace = "unsafe-delete-ignore-read-errors", x.req.Namespace
	decision, reason, err := x.access().Ask(ctx, question)
	switch {
	case err != nil:
		err = fmt.Errorf("error while checking permission for %q, %w", question.Verb, err)
	case decision == authorizer.DecisionAllow:
		return nil
	default:
		err = fmt.Errorf("not permitted to do %q, reason: %s", question.Verb, reason)
	}
	return refuse(apierrors.NewForbidden(x.req.Resource.GroupResource(), x.req.Name, err))
}
