package rest

import (
	"context"
	"errors"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/change"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// nameAttempts is how often a generated name is tried if it already exists (W-023).
const nameAttempts = 8

// generatedPrefix is how much of a generateName is used: it leaves room for the suffix in 63 characters.
const generatedPrefix = 58

// create answers a POST: kubernetes/apiserver:pkg/endpoints/handlers/create.go.
func (x *exchange) create(ctx context.Context) (int, runtime.Object, error) {
	options, strictness, err := x.createOptions()
	if err != nil {
		return 0, nil, err
	}
	object, err := x.decode(strictness)
	if err != nil {
		return 0, nil, err
	}
	m, _ := meta.Accessor(object) // nil for the few kinds without metadata
	if x.req.Name == "" && m != nil && x.server.release().Has(kubeversion.NamedCreates) {
		x.req.Name = m.GetName()
	}
	if isNamespace(x.req.Resource) && x.req.Namespace == "" && x.server.release().Has(kubeversion.NamespacedNamespaces) {
		x.req.Namespace = x.req.Name
	}
	if m != nil {
		if x.server.release().Has(kubeversion.SystemMetadata) && !x.keepsSystemMetadata() {
			x.resetMetadata(m)
		}
		// In earlier releases the namespace was checked with the scope, after the mutating phase.
		if x.server.release().Has(kubeversion.ObjectNamespaces) {
			if err := matchNamespace(m, x.expectedNamespace()); err != nil {
				return 0, nil, err
			}
		}
		x.warnings.Add(change.DedupReferences(m, change.BeforeAdmission))
	}
	if object, err = x.ownership().Track(nil, object, options.FieldManager); err != nil {
		return 0, nil, err
	}

	if m != nil {
		if m, err = meta.Accessor(object); err != nil {
			return 0, nil, err
		}
		x.owners = m.GetManagedFields()
	}
	if err := x.refuseWhileTerminating(); err != nil {
		return 0, nil, err
	}
	a, err := x.mutate(ctx, x.attributes(admissionv1.Create, object, nil, options))
	if err != nil {
		return 0, nil, err
	}
	if a.Object, err = x.repairMetadata(a.Object, object); err != nil {
		return 0, nil, err
	}
	if err := x.mayGrant(ctx, a.Object, nil); err != nil {
		return 0, nil, err
	}
	if answer, ok := x.answererOf(); ok {
		object, err = answer(ctx, x, a)
		if x.dropsOwners(err) { // an eviction, which writes into the pod why it is deleted
			x.admissions = append(x.admissions, trace.Admission{Request: a, Object: a.Object})
			object, err = answer(ctx, x, a)
		}
		if err != nil {
			return 0, nil, err
		}
		object, err = x.asSent(object)
		return http.StatusCreated, object, err
	}
	mutated := x.elapsed
	created, err := x.storeNew(ctx, a, nil)
	if err != nil {
		return 0, nil, err
	}
	return x.whenInitialized(created, mutated)
}

// storeNew takes a mutated object through preparation, validation and the validating phase, and writes it. may is
// called right before the validating phase, unless it is nil. Since 1.31 another name is generated if the first one
// exists already, even if it was a webhook that said so (W-023).
func (x *exchange) storeNew(ctx context.Context, a admission.Request, may func(context.Context) error) (runtime.Object, error) {
	left := 1
	if m, err := meta.Accessor(a.Object); err == nil && m.GetName() == "" && m.GetGenerateName() != "" && x.server.release().Enabled("RetryGenerateName") {
		left = nameAttempts
	}
	for {
		left--
		object, err := x.tryStoreNew(ctx, a, may)
		if err := x.settle(ctx, err == nil); err != nil {
			return nil, err
		}
		refused, ok := err.(*refusal)
		if !ok {
			return object, err
		}
		if left == 0 || !refused.is(apierrors.IsAlreadyExists) {
			if left > 0 {
				refused.alternatives = refused.alternatives.without(apierrors.IsAlreadyExists)
			}
			return nil, refused
		}
	}
}

func (x *exchange) tryStoreNew(ctx context.Context, a admission.Request, may func(context.Context) error) (runtime.Object, error) {
	sent := a.Object
	object := cluster.ShallowCopy(sent)
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	if !x.server.release().Has(kubeversion.SystemMetadata) {
		x.resetMetadata(m)
	}
	m.SetCreationTimestamp(metav1.NewTime(x.server.Now()))
	m.SetUID(x.course.UID(x.server.NewUID))
	if m.GetName() == "" && m.GetGenerateName() != "" {
		m.SetName(x.generatedName(m.GetGenerateName()))
	}
	if m.GetUID() == "" && x.server.release().Has(kubeversion.SystemMetadata) {
		// A webhook replaced the metadata of a custom resource by something that cannot hold system metadata.
		return nil, refuse(apierrors.NewInternalError(errors.New("system metadata was not initialized")))
	}
	if err := x.matchScope(m); err != nil {
		return nil, err
	}

	object, write, err := x.begin(ctx, object, nil)
	if err != nil {
		return nil, err
	}
	object = x.server.Types.PrepareCopy(object, write)
	if errs := append(x.access().MayAdminister(object, nil), x.server.Types.Validate(object, write)...); len(errs) > 0 {
		return nil, x.invalid(object, errs, x.brokenRules(object, nil, write, errs)...)
	}
	if errs := x.access().MayReadParams(ctx, object, nil); len(errs) > 0 {
		return nil, x.invalid(object, errs)
	}
	for _, w := range x.server.Types.WarningsOnCreate(object, write) {
		x.warnings.Add(w)
	}
	x.prepared(trace.Step{Plugin: "create", Before: a.Object, After: object, Hint: hintForPriority(a.Object, object)})

	if m, err = meta.Accessor(object); err != nil {
		return nil, err
	}
	if a.Object = object; a.Name == "" && x.server.release().Has(kubeversion.NamedCreates) {
		a.Name = m.GetName()
	}
	if may != nil {
		if err := may(ctx); err != nil {
			return nil, err
		}
	}
	if err := x.validate(ctx, a); err != nil {
		return nil, err
	}
	// An invalid version or version 0 is ignored, and so is any version if an update creates the object (PL-02).
	if version, err := versionOf(m); err == nil && version != 0 && may == nil && !x.dryRun() {
		return nil, plain("resourceVersion should not be set on objects to be created")
	}
	stored, err := x.insert(object, m)
	if may == nil && x.dropsOwners(err) { // a POST: an update that creates starts again
		if err := x.settle(ctx, false); err != nil {
			return nil, err
		}
		return x.storeWithoutOwners(ctx, a, sent)
	}
	return stored, err
}

// storeWithoutOwners validates and writes a new object again, without managedFields. The server prepares objects in
// place, except for copies that get a generated name since 1.31.
func (x *exchange) storeWithoutOwners(ctx context.Context, prepared admission.Request, sent runtime.Object) (runtime.Object, error) {
	again := prepared
	if m, err := meta.Accessor(sent); err == nil && m.GetName() == "" && x.server.release().Enabled("RetryGenerateName") {
		again.Object, again.Name = sent, ""
	}
	again.Object = change.WithoutOwners(again.Object)
	x.admissions = append(x.admissions, trace.Admission{Request: again, Object: again.Object})
	return x.tryStoreNew(ctx, again, nil)
}

func (x *exchange) generatedName(prefix string) string {
	if x.server.Types.Behaviour(x.resource.Kind).KeepsPrefix {
		return prefix
	}
	return prefix[:min(len(prefix), generatedPrefix)] + x.course.Suffix(x.server.Suffix)
}

// insert writes a new object, unless it already exists.
func (x *exchange) insert(object runtime.Object, m metav1.Object) (runtime.Object, error) {
	kept, taken := x.state.Find(x.key(m.GetName()))
	if !taken {
		kept, err := x.keep(object, cluster.Object{})
		if err != nil {
			return nil, err
		}
		return x.shown(kept), nil
	}
	status := apierrors.NewAlreadyExists(x.req.Resource.GroupResource(), m.GetName())
	if m.GetGenerateName() != "" { // even if the client chose the name
		status = apierrors.NewGenerateNameConflict(x.req.Resource.GroupResource(), m.GetName(), 1)
	}
	if old, err := meta.Accessor(kept.Object); err == nil && old.GetDeletionTimestamp() != nil {
		status.ErrStatus.Message = "object is being deleted: " + status.ErrStatus.Message
	}
	return nil, refuse(status)
}
