package rest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// delete answers a DELETE: kubernetes/apiserver:pkg/endpoints/handlers/delete.go.
func (x *exchange) delete(ctx context.Context) (int, runtime.Object, error) {
	options, err := x.deleteOptions()
	if err != nil {
		return 0, nil, err
	}
	if ignoresUnreadable(options) {
		return x.deleteUnreadable(ctx, options)
	}
	x.warnOfOrphans(options)
	if err := x.refuseToDelete(); err != nil {
		return 0, nil, err
	}
	answer, gone, err := x.removeNamed(ctx, x.req.Name, options, options)
	if err != nil {
		return 0, nil, err
	}
	code := http.StatusOK
	//lint:ignore SA1019 the server still answers 202 by this old option
	if !gone && options.OrphanDependents != nil && !*options.OrphanDependents {
		code = http.StatusAccepted
	}
	return code, answer, nil
}

// warnOfOrphans warns clients that delete jobs without saying what happens to their pods:
// kubernetes/kubernetes:pkg/registry/batch/job/storage/storage.go.
func (x *exchange) warnOfOrphans(o *metav1.DeleteOptions) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	//lint:ignore SA1019 the server still honours the old option
	if x.req.Resource.GroupResource() == jobs && o.PropagationPolicy == nil && o.OrphanDependents == nil {
		x.warnings.Add("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}

// A removal is the deletion of one object.
type removal struct {
	*exchange
	options  *metav1.DeleteOptions
	shown    *metav1.DeleteOptions // passed to admission; usually the same as options
	kept     cluster.Object
	object   runtime.Object // in the requested version; changes during the deletion
	name     string
	admitted bool // part of a request that was admitted already (W-039)
}

// removeNamed deletes one object, or marks it as being deleted if something holds it. Admission sees shown, which may
// be the same as options and then shows changes to them.
func (x *exchange) removeNamed(ctx context.Context, name string, options, shown *metav1.DeleteOptions) (answer runtime.Object, gone bool, err error) {
	kept, object, err := x.stored(name)
	if err != nil {
		return nil, false, err
	}
	r := &removal{exchange: x, options: options, shown: shown, kept: kept, object: object, name: name}
	switch x.resource.Storage.GroupKind() {
	case schema.GroupKind{Kind: "Namespace"}:
		return r.removeNamespace(ctx)
	case apiextensionsv1.Kind("CustomResourceDefinition"):
		return r.removeDefinition(ctx)
	}
	if service, ok := kept.Object.(*corev1.Service); ok && !x.server.release().Has(kubeversion.ServicesReleasedWhenGone) {
		return r.removeService(ctx, service)
	}
	return r.remove(ctx)
}

// admit runs both phases of the chain for the deletion of the object in its current state. Nothing has to be prepared
// in between (W-027).
func (r *removal) admit(ctx context.Context) error {
	if r.admitted {
		return nil
	}
	a := r.attributes(admissionv1.Delete, nil, r.object, r.shown.DeepCopy())
	a, err := r.mutate(ctx, a)
	if err != nil {
		return err
	}
	return r.validate(ctx, a)
}

// remove follows kubernetes/apiserver:pkg/registry/generic/registry/store.go, Delete. The number of admissions on each
// path is that of recordings (W-027).
func (r *removal) remove(ctx context.Context) (answer runtime.Object, gone bool, err error) {
	if err := r.checkPreconditions(); err != nil {
		return nil, false, err
	}
	m, err := meta.Accessor(r.object)
	if err != nil {
		return nil, false, err
	}
	if p := r.options.GracePeriodSeconds; p != nil && *p < 0 {
		r.options.GracePeriodSeconds = seconds(1)
	}
	grace := change.GraceOf(r.object, r.options)
	finalizers, changed := change.Finalizers(m.GetFinalizers(), r.options, r.req.Resource.GroupResource())

	switch {
	case grace.Pending:
		return r.answer(r.object), false, nil // being deleted already: no admission
	case !grace.Graceful && len(m.GetFinalizers()) == 0 && !changed:
		if err := r.admit(ctx); err != nil {
			return nil, false, err
		}
		return r.drop(ctx)
	case !grace.Graceful:
		return r.markThenDrop(ctx, finalizers)
	}
	return r.removeGracefully(ctx, grace, finalizers)
}

// markThenDrop deletes an object that has finalizers, or that must get some first.
func (r *removal) markThenDrop(ctx context.Context, finalizers []string) (runtime.Object, bool, error) {
	if err := r.admit(ctx); err != nil {
		return nil, false, err
	}
	if len(finalizers) == 0 {
		// The object without its finalizers is never stored: it is deleted together with them.
		if err := r.admit(ctx); err != nil {
			return nil, false, err
		}
		return r.drop(ctx)
	}
	r.object = r.object.DeepCopyObject()
	m, err := meta.Accessor(r.object)
	if err != nil {
		return nil, false, err
	}
	m.SetFinalizers(finalizers)
	now := metav1.NewTime(r.server.Now())
	if m.GetDeletionTimestamp() == nil && m.GetGeneration() > 0 {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	if m.GetDeletionTimestamp() == nil || m.GetDeletionTimestamp().After(now.Time) {
		m.SetDeletionTimestamp(&now)
	}
	m.SetDeletionGracePeriodSeconds(seconds(0))
	kept, err := r.keep(r.object, r.kept)
	return kept, false, err
}

// removeGracefully gives the object its grace period. With a period of 0 it is deleted at once, for which the chain is
// called again.
func (r *removal) removeGracefully(ctx context.Context, g change.Grace, finalizers []string) (runtime.Object, bool, error) {
	at := metav1.NewTime(r.server.Now().Add(time.Duration(g.Period) * time.Second))
	stays := g.Period > 0 || len(finalizers) > 0
	if err := r.admit(ctx); err != nil {
		return nil, false, err
	}
	if !stays && !r.dryRun() && r.isOutdated(!g.Terminating) {
		// The server tries to delete the object in its cache, which is still the one before the update.
		if err := r.admit(ctx); err != nil {
			return nil, false, err
		}
	}
	r.object = r.object.DeepCopyObject()
	m, err := meta.Accessor(r.object)
	if err != nil {
		return nil, false, err
	}
	if !g.Terminating && m.GetGeneration() > 0 {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	m.SetDeletionTimestamp(&at)
	m.SetDeletionGracePeriodSeconds(seconds(g.Period))
	m.SetFinalizers(finalizers)
	if stays || r.dryRun() {
		kept, err := r.keep(r.object, r.kept)
		return kept, !stays, err
	}
	// Two writes, so that watches see the object marked before it is deleted:
	// kubernetes/apiserver:pkg/registry/generic/registry/store.go, updateForGracefulDeletionAndFinalizers.
	if _, err := r.keep(r.object, r.kept); err != nil {
		return nil, false, err
	}
	if err := r.admit(ctx); err != nil {
		return nil, false, err
	}
	r.noteStaleCache(!g.Terminating)
	return r.drop(ctx)
}

// drop removes the object from the cluster.
func (r *removal) drop(ctx context.Context) (runtime.Object, bool, error) {
	if !r.dryRun() {
		if err := r.forget(ctx, r.name); err != nil {
			return nil, false, err
		}
	}
	return r.answer(r.object), true, nil
}

// answer returns the object if the server returns what it deleted, or else a Status that names it.
func (r *removal) answer(object runtime.Object) runtime.Object {
	if returnsDeleted(r.req.Resource) {
		return r.exchange.shown(object)
	}
	return r.success(object)
}

// success returns a Status that names a deleted object.
func (r *removal) success(object runtime.Object) *metav1.Status {
	status := &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusSuccess,
		Details:  &metav1.StatusDetails{Name: r.name, Group: r.req.Resource.Group, Kind: r.req.Resource.Resource},
	}
	if m, err := meta.Accessor(object); err == nil {
		status.Details.UID = m.GetUID()
	}
	return status
}

// checkPreconditions refuses to delete an object that is not the one that the client means.
func (r *removal) checkPreconditions() error {
	p := r.options.Preconditions
	if p == nil {
		return nil
	}
	m, err := meta.Accessor(r.object)
	if err != nil {
		return err
	}
	conflict := func(format string, args ...any) error {
		return refuse(apierrors.NewConflict(schema.GroupResource{Group: r.resource.Kind.Group, Resource: r.resource.Kind.Kind}, r.name, fmt.Errorf(format, args...)))
	}
	if p.UID != nil && *p.UID != m.GetUID() {
		return conflict("the UID in the precondition (%s) does not match the UID in record (%s). The object might have been deleted and then recreated", *p.UID, m.GetUID())
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != m.GetResourceVersion() {
		return conflict("the ResourceVersion in the precondition (%s) does not match the ResourceVersion in record (%s). The object might have been modified", *p.ResourceVersion, m.GetResourceVersion())
	}
	return nil
}

func seconds(n int64) *int64 { return &n }
