package access

import (
	"context"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// OwnerReferencesPermissionEnforcement requires that users who give an object an owner may delete the object, and that
// users who block the deletion of an owner may set its finalizers (ORP-01 to ORP-06).
type OwnerReferencesPermissionEnforcement struct {
	authorizer authorizer.UnconditionalAuthorizer
	resources  *discovery.Resources
	release    *kubeversion.Release
}

func NewOwnerReferencesPermissionEnforcement(r *kubeversion.Release, resources *discovery.Resources, by authorizer.UnconditionalAuthorizer) OwnerReferencesPermissionEnforcement {
	return OwnerReferencesPermissionEnforcement{by, resources, r}
}

func (p OwnerReferencesPermissionEnforcement) Validate(ctx context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if plugin.ConcernsSub(req, "", "pods", "status") {
		return plugin.Skip(step, "the status of a pod"), nil
	}
	now, before := ownersOf(req.Object), ownersOf(req.OldObject)
	if sameOwners(now, before) {
		return plugin.Skip(step, "the owners stay as they are"), nil
	}
	if req.Operation != admissionv1.Create || !p.release.Has(kubeversion.OwnersOfNewObjects) { // ORP-02
		q := plugin.Question(req, "delete")
		q.APIGroup, q.APIVersion, q.Resource, q.Subresource = req.Resource.Group, req.Resource.Version, req.Resource.Resource, req.Subresource
		q.Namespace, q.Name = req.Namespace, req.Name
		if allowed, why := p.ask(ctx, q); !allowed {
			step.Hint = fmt.Sprintf("user %q needs the verb delete on %s", req.User.Username, req.Resource.GroupResource())
			return plugin.Forbid(step, req, "cannot set an ownerRef on a resource you can't delete: "+why), nil
		}
	}
	blocking := newlyBlocking(now, before)
	if len(blocking) == 0 {
		return plugin.Allow(step, "no new owner is kept from being deleted"), nil // ORP-03
	}
	if p.release.Has(kubeversion.FinalizersOfEverything) {
		q := plugin.Question(req, "update") // ORP-04
		q.APIGroup, q.APIVersion, q.Resource, q.Subresource, q.Name = "*", "*", "*", "finalizers", "*"
		if allowed, _ := p.ask(ctx, q); allowed {
			return plugin.Allow(step, "the user may set finalizers on everything"), nil
		}
	}
	for _, owner := range blocking {
		if text := p.mayBlock(ctx, req, owner); text != "" {
			step.Hint = fmt.Sprintf("user %q needs the verb update on the finalizers of the owner, %s %q, whose kind has to be served", req.User.Username, owner.Kind, owner.Name)
			return plugin.Forbid(step, req, text), nil
		}
	}
	return plugin.Allow(step, "the user may set finalizers on the owners"), nil
}

// mayBlock returns why the user may not block the deletion of an owner, or "" if they may (ORP-05).
func (p OwnerReferencesPermissionEnforcement) mayBlock(ctx context.Context, req admission.Request, owner metav1.OwnerReference) string {
	resource, err := p.resourceOf(owner)
	if err != nil {
		return fmt.Sprintf("cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion %v Kind %v: %v", owner.APIVersion, owner.Kind, err)
	}
	q := plugin.Question(req, "update")
	q.APIGroup, q.APIVersion, q.Resource, q.Subresource = resource.Group, resource.Version, resource.Resource, "finalizers"
	q.Name = owner.Name
	if resource.Namespaced || !p.release.Has(kubeversion.ClusterOwners) {
		q.Namespace = req.Namespace
	}
	if allowed, why := p.ask(ctx, q); !allowed {
		return "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: " + why
	}
	return ""
}

func (p OwnerReferencesPermissionEnforcement) resourceOf(owner metav1.OwnerReference) (discovery.Resource, error) {
	gv, err := schema.ParseGroupVersion(owner.APIVersion)
	if err != nil {
		return discovery.Resource{}, err
	}
	resource, ok := p.resources.ForKind(gv.WithKind(owner.Kind))
	if !ok || !resource.Served {
		kind := schema.GroupKind{Group: gv.Group, Kind: owner.Kind}
		return resource, &meta.NoKindMatchError{GroupKind: kind, SearchedVersions: []string{gv.Version}}
	}
	return resource, nil
}

// ask returns the answer to q and its reason, as messages show it (ORP-06).
func (p OwnerReferencesPermissionEnforcement) ask(ctx context.Context, q authorizer.Attributes) (allowed bool, why string) {
	decision, reason, err := p.authorizer.Authorize(ctx, q)
	return decision == authorizer.DecisionAllow, fmt.Sprintf("%v, %v", reason, err)
}

// ownersOf returns the owners of an object, or nil if there is no object or it has no metadata.
func ownersOf(object runtime.Object) []metav1.OwnerReference {
	if object == nil {
		return nil
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return nil
	}
	return m.GetOwnerReferences()
}

// sameOwners compares the owners in order: another order is a change.
func sameOwners(a, b []metav1.OwnerReference) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !semantic.DeepEqual(a[i], b[i]) {
			return false
		}
	}
	return true
}

// newlyBlocking returns the references that block now but did not before. If several old references name one owner, the
// last one counts: kubernetes/kubernetes:plugin/pkg/admission/gc/gc_admission.go.
func newlyBlocking(now, before []metav1.OwnerReference) []metav1.OwnerReference {
	blocks := func(r metav1.OwnerReference) bool { return r.BlockOwnerDeletion != nil && *r.BlockOwnerDeletion }
	blocked := map[types.UID]bool{}
	for _, r := range before {
		blocked[r.UID] = blocks(r)
	}
	var blocking []metav1.OwnerReference
	for _, r := range now {
		if blocks(r) && !blocked[r.UID] {
			blocking = append(blocking, r)
		}
	}
	return blocking
}
