package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// A revision is the change that a PUT or PATCH makes to an object.
type revision struct {
	options  *metav1.UpdateOptions
	puts     bool // a PUT
	applies  bool // an apply, which creates the object if it does not exist
	checkUID bool
	// next returns the new object, given the current one, or nil if there is none.
	next func(current runtime.Object) (runtime.Object, error)
}

// put answers a PUT: kubernetes/apiserver:pkg/endpoints/handlers/update.go.
func (x *exchange) put(ctx context.Context) (int, runtime.Object, error) {
	options, strictness, err := x.updateOptions()
	if err != nil {
		return 0, nil, err
	}
	object, err := x.decode(strictness)
	if err != nil {
		return 0, nil, err
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return 0, nil, err
	}
	if err := x.matchURL(m); err != nil {
		return 0, nil, err
	}
	x.warnings.Add(change.DedupReferences(m, change.BeforeAdmission))
	return x.revise(ctx, revision{
		options:  options,
		puts:     true,
		checkUID: m.GetUID() != "" && !x.readsScaleFirst(),
		next: func(current runtime.Object) (runtime.Object, error) {
			return x.ownership().Track(current, object, options.FieldManager)
		},
	})
}

// revise writes the result of a PUT or PATCH, or creates the object where the resource, or the kind of write, allows
// that. What is too large is written again without managedFields, unless it is an apply.
func (x *exchange) revise(ctx context.Context, r revision) (int, runtime.Object, error) {
	code, object, err := x.tryRevise(ctx, r)
	if !r.applies && x.dropsOwners(err) {
		return x.tryRevise(ctx, r)
	}
	return code, object, err
}

func (x *exchange) tryRevise(ctx context.Context, r revision) (int, runtime.Object, error) {
	kept, exists := x.state.Find(x.key(x.req.Name))
	if !exists {
		if !x.createsMissing(r.applies) {
			if err := x.mutateMissing(ctx, r); err != nil {
				return 0, nil, err
			}
			return 0, nil, refuse(apierrors.NewNotFound(x.missing(), x.req.Name))
		}
		created, err := x.createByUpdate(ctx, r)
		if err != nil {
			return 0, nil, err
		}
		if dropped, err := x.dropUninitialized(ctx, created); dropped || err != nil {
			return http.StatusOK, created, err
		}
		return http.StatusCreated, created, nil
	}
	current, err := x.served(kept.Object)
	if err != nil {
		return 0, nil, err
	}
	through, err := x.viewOf(current)
	if err != nil {
		return 0, nil, err
	}
	updated, err := x.update(ctx, kept, current, through, r)
	return http.StatusOK, updated, err
}

// mutateMissing takes a PUT of an object that does not exist through the mutating phase: releases up to 1.18 only
// notice afterwards that it is missing.
func (x *exchange) mutateMissing(ctx context.Context, r revision) error {
	if !r.puts || x.readsScaleFirst() || x.server.release().Has(kubeversion.MissingNotMutated) {
		return nil
	}
	object, err := r.next(nil)
	if err != nil {
		return err
	}
	_, err = x.mutate(ctx, x.attributes(admissionv1.Create, object, nil, selectors.CreateOptionsOf(r.options)))
	return err
}

// createsMissing reports whether a PUT or an apply creates an object that does not exist (W-014, W-016).
func (x *exchange) createsMissing(applies bool) bool {
	kind := x.server.Types.Behaviour(x.resource.Kind)
	switch x.req.Subresource {
	case "":
		return applies || kind.CreateOnUpdate
	case "status": // a status update of a service creates the service, too
		return applies && kind.StatusCreates || kind.CreateOnUpdate
	}
	return false
}

// createByUpdate answers a PUT or apply of an object that does not exist (W-014, W-015).
func (x *exchange) createByUpdate(ctx context.Context, r revision) (runtime.Object, error) {
	object, err := r.next(nil)
	if err != nil {
		return nil, err
	}
	if r.checkUID {
		if err := x.sameUID(object, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: x.req.Name}}); err != nil {
			return nil, err
		}
	}
	if err := x.refuseWhileTerminating(); err != nil {
		return nil, err
	}
	a, err := x.mutate(ctx, x.attributes(admissionv1.Create, object, nil, selectors.CreateOptionsOf(r.options)))
	if err != nil {
		return nil, err
	}
	if a.Object, err = x.repairMetadata(a.Object, object); err != nil {
		return nil, err
	}
	if err := x.mayGrant(ctx, a.Object, nil); err != nil {
		return nil, err
	}
	if m, err := meta.Accessor(a.Object); err == nil {
		if _, err := versionOf(m); err != nil {
			return nil, plain("%w", err)
		}
		if x.server.release().Has(kubeversion.SystemMetadataWiped) {
			a.Object = cluster.ShallowCopy(a.Object)
			if m, err = meta.Accessor(a.Object); err != nil {
				return nil, err
			}
			x.resetMetadata(m)
		}
	}
	return x.storeNew(ctx, a, x.mayCreate)
}

// update writes to an existing object: kubernetes/apiserver:pkg/registry/generic/registry/store.go, Update.
func (x *exchange) update(ctx context.Context, kept cluster.Object, current runtime.Object, v view, r revision) (runtime.Object, error) {
	admit := func() (runtime.Object, error) { return x.admitUpdate(ctx, current, v, r) }
	if x.readsScaleFirst() {
		c, err := x.mutateUpdate(ctx, current, v, r)
		if err != nil {
			return nil, err
		}
		admit = func() (runtime.Object, error) {
			revised, err := x.validateUpdate(ctx, current, v, c)
			return revised, x.notScaled(err)
		}
	}
	revised, err := admit()
	if x.triesAgain(err) {
		x.serverStep(trace.Step{Plugin: "storage", Outcome: trace.Skipped, Because: "the refused write may be of an outdated object: admission starts again"})
		revised, err = admit()
	}
	if err != nil {
		return nil, err
	}
	same := change.Unchanged(revised, current, kept)
	if same {
		rewrites, err := x.rewrites(revised, kept)
		if err != nil {
			return nil, err
		}
		if rewrites {
			// An object that was read from the cache and not changed is compared with the storage. If that differs,
			// everything starts again and the object is written: kubernetes/apiserver:pkg/storage/etcd3/store.go,
			// GuaranteedUpdate.
			x.serverStep(trace.Step{Plugin: "storage", Outcome: trace.Skipped, Because: fmt.Sprintf(
				"nothing changed in %s, but what is stored has other fields or defaults: admission starts again", x.kind.Version)})
			if revised, err = admit(); err != nil {
				return nil, err
			}
			same = false
		}
	}
	stored, err := x.replace(ctx, revised, current, kept, same)
	if err != nil {
		return nil, err
	}
	if err := x.cleanUpInitialized(kept); err != nil {
		return nil, err
	}
	return v.show(x.shown(stored))
}

// triesAgain reports whether the server repeats the admission of a write that was refused with err. The server starts
// with the cached object and, up to 1.18, reads the stored one after any error
// (kubernetes/apiserver:pkg/storage/etcd3/store.go, GuaranteedUpdate). A dry run reads the stored object at once, and
// events are not cached. A write that is refused before admission is refused again, and nobody notices.
func (x *exchange) triesAgain(err error) bool {
	refused := errors.As(err, new(*refusal)) && len(x.admissions) > 0
	return refused && !x.dryRun() && x.kind.Kind != "Event" && !x.server.release().Has(kubeversion.RefusedWritesOnce)
}

// admitUpdate takes a change through all of admission, preparation and validation.
func (x *exchange) admitUpdate(ctx context.Context, current runtime.Object, v view, r revision) (runtime.Object, error) {
	c, err := x.mutateUpdate(ctx, current, v, r)
	if err != nil {
		return nil, err
	}
	return x.validateUpdate(ctx, current, v, c)
}

// A mutated update has been through the mutating phase.
type mutated struct {
	admission.Request
	revised   runtime.Object
	validated bool // at least once
}

// mutateUpdate takes a change through the mutating phase.
func (x *exchange) mutateUpdate(ctx context.Context, current runtime.Object, v view, r revision) (*mutated, error) {
	old := v.shown
	object, err := r.next(old)
	if err != nil {
		return nil, x.withoutScale(err)
	}
	if r.checkUID {
		if err := x.sameUID(object, old); err != nil {
			return nil, err
		}
	}
	a, err := x.mutate(ctx, x.attributes(admissionv1.Update, object, old, r.options))
	if err != nil {
		return nil, x.withoutScale(err)
	}
	repaired, err := x.repairMetadata(a.Object, object)
	if err != nil {
		return nil, err
	}
	if x.ownerless && !r.puts {
		repaired = change.WithoutOwners(repaired)
	}
	revised, err := v.putBack(repaired)
	return &mutated{Request: a, revised: revised}, err
}

// validateUpdate prepares a change and takes it through the validating phase.
func (x *exchange) validateUpdate(ctx context.Context, current runtime.Object, v view, c *mutated) (runtime.Object, error) {
	if c.validated {
		x.admissions = append(x.admissions, trace.Admission{Request: c.Request, Object: c.Object})
	}
	c.validated = true
	revised, err := x.tryValidateUpdate(ctx, current, v, c)
	if err := x.settle(ctx, err == nil); err != nil {
		return nil, err
	}
	return revised, err
}

func (x *exchange) tryValidateUpdate(ctx context.Context, current runtime.Object, v view, c *mutated) (runtime.Object, error) {
	a, revised, admitted := c.Request, c.revised, c.Object
	var err error
	if err := x.mayGrant(ctx, revised, current); err != nil {
		return nil, err
	}
	if revised, err = x.upToDate(revised, current); err != nil {
		return nil, err
	}
	current = x.shown(current)
	if revised, err = x.prepareUpdate(ctx, revised, current); err != nil {
		return nil, err
	}
	if a.Object, err = v.show(revised); err != nil {
		return nil, err
	}
	if a.OldObject, err = v.show(x.server.Types.AfterUpdate(current, x.write())); err != nil {
		return nil, err
	}
	if x.resource.Storage.GroupKind() == (schema.GroupKind{Kind: "Node"}) && !x.server.release().Has(kubeversion.OldNodesKept) {
		a.OldObject = a.Object
	}
	x.prepared(trace.Step{Plugin: "update", Before: admitted, After: a.Object})
	return revised, x.validate(ctx, a)
}

// upToDate refuses a write that is based on an older version of the object (W-024).
func (x *exchange) upToDate(object, current runtime.Object) (runtime.Object, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	old, err := meta.Accessor(current)
	if err != nil {
		return nil, err
	}
	if m.GetResourceVersion() == old.GetResourceVersion() {
		return object, nil
	}
	version, err := versionOf(m)
	if err != nil {
		return nil, plain("%w", err)
	}
	if version == 0 {
		how := x.server.Types.Behaviour(x.resource.Kind)
		if how.VersionChecked && x.req.Subresource == "" {
			return object, nil // validation refuses it
		}
		if how.NeedsVersion {
			kind := schema.GroupKind{Group: x.req.Resource.Group, Kind: x.req.Resource.Resource}
			return nil, x.refuseInvalid(kind, x.req.Name, field.ErrorList{
				field.Invalid(field.NewPath("metadata", "resourceVersion"), version, "must be specified for an update")})
		}
		object = cluster.ShallowCopy(object)
		m, err := meta.Accessor(object)
		if err != nil {
			return nil, err
		}
		m.SetResourceVersion(old.GetResourceVersion())
		return object, nil
	}
	return nil, refuse(apierrors.NewConflict(x.req.Resource.GroupResource(), x.req.Name,
		fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again")))
}

// versionOf parses the resourceVersion of an object as the storage does, as a number; empty is 0:
// kubernetes/apiserver:pkg/storage/api_object_versioner.go.
func versionOf(m metav1.Object) (uint64, error) {
	if m.GetResourceVersion() == "" {
		return 0, nil
	}
	return strconv.ParseUint(m.GetResourceVersion(), 10, 64)
}

// prepareUpdate returns the object as it would be stored, or refuses it because of its content:
// kubernetes/apiserver:pkg/registry/rest/update.go, BeforeUpdate.
func (x *exchange) prepareUpdate(ctx context.Context, object, current runtime.Object) (runtime.Object, error) {
	object = cluster.ShallowCopy(object)
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if err := x.matchScope(m); err != nil {
		return nil, err
	}
	if x.resource.CRD != nil && object.GetObjectKind().GroupVersionKind().Version == "" { // a patch may remove it
		return nil, refuse(apierrors.NewInternalError(runtime.NewMissingVersionErr("object has no apiVersion field")))
	}
	object, write, err := x.begin(ctx, object, current)
	if err != nil {
		return nil, err
	}
	asked := object // errors name its kind, whatever preparation returns
	object = x.server.Types.PrepareForUpdate(object, current, write)
	errs := append(x.access().MayAdminister(object, current), x.access().MayChangeClaim(ctx, object, current)...)
	if errs = append(errs, x.server.Types.ValidateUpdate(object, current, write)...); len(errs) > 0 {
		return nil, x.invalid(asked, errs, x.brokenRules(object, current, write, errs)...)
	}
	if errs := x.access().MayReadParams(ctx, object, current); len(errs) > 0 {
		return nil, x.invalid(asked, errs)
	}
	for _, w := range x.server.Types.WarningsOnUpdate(object, current, write) {
		x.warnings.Add(w)
	}
	return object, nil
}

// replace writes the object, or removes it if its last finalizer was removed or its initialization failed, and returns it
// as the client sees it. If nothing changed, nothing is written (PL-13).
func (x *exchange) replace(ctx context.Context, object, current runtime.Object, kept cluster.Object, same bool) (runtime.Object, error) {
	goes, err := finallyGone(object, current)
	if err != nil {
		return nil, err
	}
	if goes {
		if !x.dryRun() {
			if err := x.forget(ctx, x.req.Name); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	if !same {
		if current, err = x.keep(object, kept); err != nil {
			return nil, err
		}
	}
	_, err = x.dropUninitialized(ctx, current)
	return current, err
}

// rewrites reports whether writing an unchanged object would still change what is stored: it may lack defaults, or have
// fields that are not known, or not in the version of the request.
func (x *exchange) rewrites(same runtime.Object, kept cluster.Object) (bool, error) {
	if x.dryRun() {
		return false, nil
	}
	if x.resource.CRD == nil {
		return kept.Written != nil, nil // by now all defaults are filled in
	}
	rewrites, err := x.server.Types.Rewrites(same, kept)
	if err != nil {
		return false, refuse(err)
	}
	return rewrites, nil
}

// finallyGone reports whether nothing holds a terminating object any more (W-039).
func finallyGone(object, current runtime.Object) (bool, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return false, err
	}
	old, err := meta.Accessor(current)
	if err != nil {
		return false, err
	}
	if len(m.GetFinalizers()) > 0 || old.GetDeletionTimestamp() == nil {
		return false, nil
	}
	if namespaceHeld(object) {
		return false, nil
	}
	period := old.GetDeletionGracePeriodSeconds()
	return period == nil || *period == 0, nil
}
