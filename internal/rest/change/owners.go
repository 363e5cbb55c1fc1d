package change

import (
	"cmp"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/managedfields"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Owners tracks who owns which fields of the object that a request writes (PL-07).
type Owners struct {
	Resource    discovery.Resource
	Requested   schema.GroupVersionResource // by the URL
	Subresource string
	Kind        schema.GroupVersionKind // of the body
	Key         cluster.Key             // of the object

	UserAgent string
	Now       time.Time
	Dropped   bool // what is written has no owners

	State   *cluster.State
	Types   *objects.Types
	Release *kubeversion.Release
}

// unnamed is the field manager of a request without one whose client does not identify itself.
const unnamed = "admsim"

// Track returns object with managedFields for the fields that this write owns. live is the object that it replaces;
// if live is nil, object itself is modified. Webhooks see the managedFields (PL-07).
func (o Owners) Track(live, object runtime.Object, manager string) (runtime.Object, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return object, nil
	}
	if !o.Release.Has(kubeversion.ServerSideApply) {
		if m.GetManagedFields() != nil {
			object = managedfields.WithoutOwners(object)
		}
		return object, nil
	}
	if !o.Release.Has(kubeversion.ManagedFields) && !managedfields.Has(live) && len(m.GetManagedFields()) == 0 {
		return object, nil
	}
	if o.Dropped {
		return managedfields.WithoutOwners(object), nil
	}
	target, err := o.Target()
	if err != nil {
		return nil, err
	}
	w := o.Writer(manager, false)
	if live == nil {
		return target.TrackNew(object, w), nil
	}
	return target.Track(o.owned(target, live), object, w), nil
}

// ownedBefore is the owner of the fields of an object that was added to the cluster without managedFields, as kubectl
// prints objects. Server-side apply uses the same name.
const ownedBefore = "before-first-apply"

// owned returns an object of the cluster with owners for its fields: the server has owners for every object that was
// created through it, and keeps none for an object that lost them.
func (o Owners) owned(t managedfields.Target, live runtime.Object) runtime.Object {
	if live == nil || t.Kind != o.Resource.Kind {
		return live
	}
	if kept, ok := o.State.Find(o.Key); ok && kept.Tracked {
		return live
	}
	m, err := meta.Accessor(live)
	if err != nil || len(m.GetManagedFields()) > 0 {
		return live
	}
	return t.Track(nil, live, managedfields.Writer{Manager: ownedBefore, Now: m.GetCreationTimestamp()})
}

// Writer returns who writes. Its time has a fraction of a second, as the time of a real clock usually does. This is
// visible: JSON has no fraction, so an object differs after a webhook's patch even if the patch changes nothing
// (W-214).
func (o Owners) Writer(manager string, force bool) managedfields.Writer {
	now := metav1.NewTime(o.Now.Truncate(time.Second).Add(time.Nanosecond))
	manager = cmp.Or(manager, managedfields.ManagerOf(o.UserAgent), unnamed)
	return managedfields.Writer{Manager: manager, Force: force, Now: now}
}

// Target returns what is needed to track owners of the fields that the request writes.
func (o Owners) Target() (managedfields.Target, error) {
	if o.Kind == o.Resource.Kind {
		t, err := o.wholeTarget()
		t.Subresource, t.Reset = o.Subresource, o.resetFields()
		return t, err
	}
	t := managedfields.Target{ // a separate, built-in kind: Scale, Binding
		Kind:        o.Kind,
		Subresource: o.Subresource,
		Untyped:     o.Resource.CRD != nil,
		Convert:     o.Types.Convert,
		Default:     o.Types.Default,
		Reset:       o.resetFields(),
	}
	if o.Subresource == "scale" {
		t.Schema = managedfields.Scales()
	}
	return t, nil
}

// wholeTarget returns what is needed to track owners of the object itself.
func (o Owners) wholeTarget() (managedfields.Target, error) {
	t := managedfields.Target{Kind: o.Resource.Kind, Convert: o.Types.Convert, Default: o.Types.Default}
	var err error
	if t.Schema, err = o.Types.FieldSchema(o.Resource.Kind); err != nil {
		return t, fmt.Errorf("fields of %s: %w", o.Resource.Kind, err)
	}
	return t, nil
}

// OfScale returns the owners of the replicas of current, in releases whose Scales have owners. paths are the fields with
// the requested number of replicas, by version of the resource. A read does not show owners.
func (o Owners) OfScale(current runtime.Object, paths map[string]string, reads bool) (managedfields.ScaleOwners, error) {
	if reads || !o.Release.Has(kubeversion.ServerSideApply) || !o.Release.Has(kubeversion.ScaleOwners) {
		return managedfields.ScaleOwners{}, nil
	}
	whole, err := o.wholeTarget()
	if err != nil {
		return managedfields.ScaleOwners{}, err
	}
	m, err := meta.Accessor(o.owned(whole, current))
	if err != nil {
		return managedfields.ScaleOwners{}, err
	}
	return managedfields.ScaleOwnersOf(m, o.Requested.GroupVersion(), paths), nil
}

// Unchanged reports whether a write changes nothing, apart from owners that the object did not have before.
func Unchanged(object, current runtime.Object, kept cluster.Object) bool {
	if !kept.Tracked && !managedfields.Has(current) {
		return managedfields.UnchangedButOwners(object, current)
	}
	return managedfields.Unchanged(object, current)
}

// WithoutOwners returns an object as it is written again if it is too large for etcd (PL-34).
func WithoutOwners(object runtime.Object) runtime.Object { return managedfields.WithoutOwners(object) }
