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

// unnamed is the field manager of a request that names none, and whose client does not say who it is.
const unnamed = "admsim"

// tracked returns object with managedFields that say what this write owns of it; live is
// what it replaces; nil for nothing, in which case object is told itself. Webhooks see them
// (PL-07).
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

// ownedBefore is whose the fields of an object are that was put into the cluster without
// managedFields, as kubectl prints objects. Server-side apply has the same name for it.
const ownedBefore = "before-first-apply"

// owned is an object of the cluster with owners for its fields: the server has them for
// every object that was created through it, and keeps none for one that has lost them.
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

// writer is who writes. The time of it has a fraction of a second, as a clock's mostly has,
// and that shows: JSON has none, so that an object which went through a webhook's patch
// differs from the one before, even if the patch changes nothing (W-214).
func (x *exchange) writer(manager string, force bool) managedfields.Writer {
	now := metav1.NewTime(x.server.Now().Truncate(time.Second).Add(time.Nanosecond))
	manager = cmp.Or(manager, managedfields.ManagerOf(x.req.UserAgent), unnamed)
	return managedfields.Writer{Manager: manager, Force: force, Now: now}
}

// target is what owners of fields have to know of what the request writes.
func (x *exchange) target() (managedfields.Target, error) {
	if x.kind == x.resource.Kind {
		t, err := x.wholeTarget()
		t.Subresource, t.Reset = x.req.Subresource, x.resetFields()
		return t, err
	}
	t := managedfields.Target{ // a kind of its own, and a built-in one: Scale, Binding
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

// wholeTarget is what they have to know of the object itself.
func (x *exchange) wholeTarget() (managedfields.Target, error) {
	t := managedfields.Target{Kind: x.resource.Kind, Convert: x.server.Types.Convert, Default: x.server.Types.Default}
	var err error
	if t.Schema, err = x.server.Types.FieldSchema(x.resource.Kind); err != nil {
		return t, fmt.Errorf("fields of %s: %w", x.resource.Kind, err)
	}
	return t, nil
}

// unchanged reports whether a write changes nothing, apart from the owners that an object only now gets.
func unchanged(object, current runtime.Object, kept cluster.Object) bool {
	if !kept.Tracked && !managedfields.Has(current) {
		return managedfields.UnchangedButOwners(object, current)
	}
	return managedfields.Unchanged(object, current)
}
