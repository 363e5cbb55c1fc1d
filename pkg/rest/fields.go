package rest

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// unnamed is the field manager of a request without one whose client does not identify itself.
const unnamed = "admsim"

// tracked returns object with managedFields for the fields that this write owns. live is the object that it replaces;
// if live is nil, object itself is modified. Webhooks see the managedFields (PL-07).
func (x *exchange) tracked(live, object runtime.Object, manager string) (runtime.Object, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return object, nil
	}
	if !x.server.release().Has(kubeversion.ServerSideApply) {
		if m.GetManagedFields() != nil {
			object = managedfields.WithoutOwners(object)
		}
		return object, nil
	}
	if !x.server.release().Has(kubeversion.ManagedFields) && !managedfields.Has(live) && len(m.GetManagedFields()) == 0 {
		return object, nil
	}
	if x.unversioned || x.ownerless && x.req.Verb == Update {
		return managedfields.WithoutOwners(object), nil // no manager can convert what has no version (PL-24a)
	}
	target, err := x.target()
	if err != nil {
		return nil, err
	}
	w := x.writer(manager, false)
	if live == nil {
		return target.TrackNew(object, w), nil
	}
	return target.Track(x.owned(target, live), object, w), nil
}

// ownedBefore is the owner of the fields of an object that was added to the cluster without managedFields, as kubectl
// prints objects. Server-side apply uses the same name.
const ownedBefore = "before-first-apply"

// owned returns an object of the cluster with owners for its fields: the server has owners for every object that was
// created through it, and keeps none for an object that lost them.
func (x *exchange) owned(t managedfields.Target, live runtime.Object) runtime.Object {
	if live == nil || t.Kind != x.resource.Kind {
		return live
	}
	if kept, ok := x.state.Find(x.key(x.req.Name)); ok && kept.Tracked {
		return live
	}
	m, err := meta.Accessor(live)
	if err != nil || len(m.GetManagedFields()) > 0 {
		return live
	}
	return t.Track(nil, live, managedfields.Writer{Manager: ownedBefore, Now: m.GetCreationTimestamp()})
}

// writer returns who writes. Its time has a fraction of a second, as the time of a real clock usually does. This is
// visible: JSON has no fraction, so an object differs after a webhook's patch even if the patch changes nothing
// (W-214).
func (x *exchange) writer(manager string, force bool) managedfields.Writer {
	now := metav1.NewTime(x.server.Now().Truncate(time.Second).Add(time.Nanosecond))
	manager = cmp.Or(manager, managedfields.ManagerOf(x.req.UserAgent), unnamed)
	return managedfields.Writer{Manager: manager, Force: force, Now: now}
}

// target returns what is needed to track owners of the fields that the request writes.
func (x *exchange) target() (managedfields.Target, error) {
	if x.kind == x.resource.Kind {
		t, err := x.wholeTarget()
		t.Subresource, t.Reset = x.req.Subresource, x.resetFields()
		return t, err
	}
	t := managedfields.Target{ // a separate, built-in kind: Scale, Binding
		Kind:        x.kind,
		Subresource: x.req.Subresource,
		Untyped:     x.resource.CRD != nil,
		Convert:     x.server.Types.Convert,
		Default:     x.server.Types.Default,
		Reset:       x.resetFields(),
	}
	if x.req.Subresource == "scale" {
		t.Schema = managedfields.Scales()
	}
	return t, nil
}

// wholeTarget returns what is needed to track owners of the object itself.
func (x *exchange) wholeTarget() (managedfields.Target, error) {
	t := managedfields.Target{Kind: x.resource.Kind, Convert: x.server.Types.Convert, Default: x.server.Types.Default}
	var err error
	if t.Schema, err = x.server.Types.FieldSchema(x.resource.Kind); err != nil {
		return t, fmt.Errorf("fields of %s: %w", x.resource.Kind, err)
	}
	return t, nil
}

// unchanged reports whether a write changes nothing, apart from owners that the object did not have before.
func unchanged(object, current runtime.Object, kept cluster.Object) bool {
	if !kept.Tracked && !managedfields.Has(current) {
		return managedfields.UnchangedButOwners(object, current)
	}
	return managedfields.Unchanged(object, current)
}
