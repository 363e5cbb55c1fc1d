package rest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// removeDefinition deletes a CustomResourceDefinition. It first terminates, and the answer is the definition in that
// state. Right after that the server deletes its custom resources, without admission, and then the definition itself.
// kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/etcd.go and pkg/controller/finalizer.
func (r *removal) removeDefinition(ctx context.Context) (answer runtime.Object, gone bool, err error) {
	crd, ok := r.server.Types.InV1(r.object, apiextensionsv1.Kind("CustomResourceDefinition")).(*apiextensionsv1.CustomResourceDefinition)
	if !ok {
		return nil, false, fmt.Errorf("definition %s is a %T", r.name, r.object)
	}
	failed := "Precondition failed"
	if r.server.release().Has(kubeversion.DefinitionPreconditionWords) {
		failed = "precondition failed"
	}
	if err := r.requireThisObject(crd, failed); err != nil {
		return nil, false, err
	}
	if crd.DeletionTimestamp != nil {
		return r.remove(ctx)
	}
	if err := r.admit(ctx); err != nil {
		return nil, false, err
	}
	crd = crd.DeepCopy()
	now := metav1.NewTime(r.server.Now())
	crd.DeletionTimestamp = &now
	if !slices.Contains(crd.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer) {
		crd.Finalizers = append(crd.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer)
	}
	objects.SetTerminating(crd, apiextensionsv1.ConditionTrue, "InstanceDeletionPending",
		"CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon", now)
	answer, err = r.keep(crd, r.kept)
	if err != nil || r.dryRun() || !objects.IsCached(crd, r.server.release()) {
		return answer, false, err
	}
	return answer, false, r.cleanUp(crd)
}

// cleanUpInitialized deletes the custom resources of a definition that was deleted before an update initialized it. Until
// then the server does not see the definition.
func (x *exchange) cleanUpInitialized(kept cluster.Object) error {
	key := cluster.KeyOf(kept.Object)
	if key.GroupKind != apiextensionsv1.Kind("CustomResourceDefinition") || objects.IsCached(kept.Object, x.server.release()) {
		return nil
	}
	now, ok := x.cached().Find(key)
	if !ok {
		return nil
	}
	crd, ok := x.server.Types.InV1(now.Object, key.GroupKind).(*apiextensionsv1.CustomResourceDefinition)
	if !ok || crd.DeletionTimestamp == nil {
		return nil
	}
	return x.cleanUp(crd)
}

// refuseWhileTerminating refuses to create custom resources whose definition is terminating. No plugin and no webhook
// is called (kubernetes/apiextensions-apiserver:pkg/apiserver/customresource_handler.go, forbidCreateAdmission).
func (x *exchange) refuseWhileTerminating() error {
	crd := x.resource.CRD
	if crd == nil || x.req.Subresource != "" || !objects.IsTerminating(crd, x.server.release()) {
		return nil
	}
	return refuse(apierrors.NewForbidden(x.req.Resource.GroupResource(), x.req.Name,
		errors.New("create not allowed while custom resource definition is terminating")))
}

// cleanUp deletes the custom resources of a terminating definition, and then updates the definition. Custom resources with
// finalizers are only marked as deleted. Those that are not initialized go with others of their namespace, which the
// server finds in a list: kubernetes/apiextensions-apiserver:pkg/controller/finalizer/crd_finalizer.go.
func (x *exchange) cleanUp(crd *apiextensionsv1.CustomResourceDefinition) error {
	found := map[string]bool{} // by namespace
	for kept := range x.cached().List(customKind(crd), "") {
		found[cluster.KeyOf(kept.Object).Namespace] = true
	}
	for kept := range x.state.List(customKind(crd), "") {
		m, err := meta.Accessor(kept.Object)
		if err != nil {
			return err
		}
		if !found[m.GetNamespace()] {
			continue
		}
		if len(m.GetFinalizers()) == 0 {
			x.state = x.state.Without(cluster.KeyOf(kept.Object))
			continue
		}
		if m.GetDeletionTimestamp() != nil {
			continue
		}
		marked := kept.Object.DeepCopyObject()
		if m, err = meta.Accessor(marked); err != nil {
			return err
		}
		m.SetDeletionTimestamp(crd.DeletionTimestamp)
		m.SetDeletionGracePeriodSeconds(seconds(0))
		m.SetResourceVersion(x.state.NextVersion(m.GetResourceVersion()))
		x.state = x.state.With(kept.Replaced(marked))
	}
	x.finishDefinition(crd.Name)
	return nil
}

func customKind(crd *apiextensionsv1.CustomResourceDefinition) schema.GroupKind {
	return schema.GroupKind{Group: crd.Spec.Group, Kind: crd.Spec.Names.Kind}
}

func (x *exchange) hasCustomResources(crd *apiextensionsv1.CustomResourceDefinition) bool {
	for range x.cached().List(customKind(crd), "") {
		return true
	}
	return false
}

// finishDefinition updates a terminating definition after custom resources were deleted: it loses its cleanup finalizer if
// none is left. Without finalizers it is removed: kubernetes/apiextensions-apiserver:pkg/controller/finalizer/crd_finalizer.go.
func (x *exchange) finishDefinition(name string) {
	key := cluster.Key{GroupKind: apiextensionsv1.Kind("CustomResourceDefinition"), Name: name}
	kept, ok := x.state.Find(key)
	if !ok {
		return
	}
	crd, ok := x.server.Types.InV1(kept.Object, key.GroupKind).(*apiextensionsv1.CustomResourceDefinition)
	if !ok || crd.DeletionTimestamp == nil || !slices.Contains(crd.Finalizers, apiextensionsv1.CustomResourceCleanupFinalizer) {
		return
	}
	crd = crd.DeepCopy()
	const inProgress = "InstanceDeletionInProgress"
	now := metav1.NewTime(x.server.Now())
	said := apihelpers.FindCRDCondition(crd, apiextensionsv1.Terminating)
	isLeft := x.hasCustomResources(crd)
	switch {
	case isLeft && said != nil && said.Reason == inProgress:
		return
	case isLeft:
		objects.SetTerminating(crd, apiextensionsv1.ConditionTrue, inProgress, "CustomResource deletion is in progress", now)
	case apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established):
		objects.SetTerminating(crd, apiextensionsv1.ConditionFalse, "InstanceDeletionCompleted", "removed all instances", now)
	default:
		objects.SetTerminating(crd, apiextensionsv1.ConditionFalse, "NeverEstablished", "resource was never established", now)
	}
	if !isLeft {
		crd.Finalizers = slices.DeleteFunc(crd.Finalizers, func(f string) bool { return f == apiextensionsv1.CustomResourceCleanupFinalizer })
	}
	if len(crd.Finalizers) == 0 {
		x.state = x.state.Without(key)
		return
	}
	crd.ResourceVersion = x.state.NextVersion(crd.ResourceVersion)
	x.state = x.state.With(kept.Replaced(crd))
}
