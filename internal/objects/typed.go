package objects

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/declared"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// typed is a built-in kind in one of its versions. Its rules are those of the hub, the version that stands for the
// server's internal version; the defaults are those of the version.
type typed struct {
	gvk        schema.GroupVersionKind
	namespaced bool
	hub        rules.Kind     // never nil; without rules for kinds that have none
	version    *rules.Version // nil for the hub itself
	types      *Types
}

func (t *Types) newTyped(gvk schema.GroupVersionKind, namespaced bool) (*typed, error) {
	if !builtin.Has(gvk) {
		return nil, runtime.NewNotRegisteredErrForKind(schemeName, gvk)
	}
	k := &typed{gvk: gvk, namespaced: namespaced, types: t}
	k.version = t.versionOf(gvk)
	if k.version == nil && t.hubs[gvk] == nil { // a hub remains one, even if a later kind has its name
		k.version = sameShape(gvk)
	}
	hub := gvk
	if k.version != nil {
		hub = k.version.Hub
	}
	k.hub = t.hubs[hub]
	if k.hub == nil {
		k.hub = rules.Plain(hub)
	}
	return k, nil
}

// versionOf returns a version with its conversions, or nil if none are listed or if it is a hub in this release.
func (t *Types) versionOf(gvk schema.GroupVersionKind) *rules.Version {
	if v := t.versions[gvk]; v != nil && t.options.Release.Has(v.Joined) {
		return v
	}
	return nil
}

func (k *typed) Defaults(obj runtime.Object) runtime.Object {
	return k.like(obj, nil, rules.Write{}, false, func() runtime.Object { return k.roundTrip(k.defaulted(obj, k.applyAll)) })
}

// hasDefaults reports whether objects of the version get defaults in this release.
func (k *typed) hasDefaults() bool {
	return k.version == nil || k.types.options.Release.Has(k.version.Defaulted)
}

func (k *typed) VersionDefaults(obj runtime.Object) runtime.Object {
	return k.like(obj, nil, rules.Write{}, false, func() runtime.Object { return k.defaulted(obj, k.ownDefaults()) })
}

// hasDefaultsOfHub reports whether they get those of the hub.
func (k *typed) hasDefaultsOfHub() bool {
	return k.version == nil || k.version.OwnDefaults == nil && k.hasDefaults()
}

// applyAll sets the defaults of the hub, and makes the changes of the round trip.
func (k *typed) applyAll(hub runtime.Object) {
	if k.hasDefaultsOfHub() {
		k.hub.SetDefaults(hub, k.types.options)
	}
	k.hub.Normal(hub, k.types.options.Release)
}

// ownDefaults returns a function that sets the defaults of the hub, or nil if it has none.
func (k *typed) ownDefaults() func(hub runtime.Object) {
	if defaults, _ := k.hub.Changes(); !defaults || !k.hasDefaultsOfHub() {
		return nil
	}
	return func(hub runtime.Object) { k.hub.SetDefaults(hub, k.types.options) }
}

// defaulted sets the defaults of the version and, if it has the shape of the hub, applies ofHub.
func (k *typed) defaulted(obj runtime.Object, ofHub func(runtime.Object)) runtime.Object {
	if k.version != nil && k.version.Defaults != nil && k.hasDefaults() {
		k.version.Defaults(obj)
	}
	if k.version != nil && k.version.OwnDefaults != nil {
		k.version.OwnDefaults(obj, k.types.options.Release)
	}
	return k.likeHub(obj, ofHub)
}

func (k *typed) Normalised(obj runtime.Object) runtime.Object {
	if _, normalises := k.hub.Changes(); !normalises || k.isSettled(obj) {
		return obj
	}
	return k.roundTrip(k.likeHub(obj.DeepCopyObject(), func(hub runtime.Object) { k.hub.Normal(hub, k.types.options.Release) }))
}

// roundTrip converts an object to the hub and back, if its version has another shape.
func (k *typed) roundTrip(obj runtime.Object) runtime.Object {
	if k.version == nil || k.version.SameShape {
		return obj
	}
	return k.restored(k.fromHub(k.toHub(obj)), obj)
}

// restored puts back into obj what the object had from which its hub was made, and the hub has no place for.
func (k *typed) restored(obj, from runtime.Object) runtime.Object {
	if k.version != nil && k.version.Restore != nil {
		k.version.Restore(obj, from)
	}
	return obj
}

// likeHub applies a change for the hub to an object of a version with the same shape.
func (k *typed) likeHub(obj runtime.Object, change func(hub runtime.Object)) runtime.Object {
	if change == nil || k.version != nil && !k.version.SameShape {
		return obj
	}
	return k.asHub(obj, func(hub runtime.Object) runtime.Object {
		change(hub)
		return hub
	})
}

// later returns the fields of the kind that the release does not have, or only in part.
func (k *typed) later() *laterInKind { return k.types.later.in(k.hub.GVK().GroupKind()) }

// isSettled reports whether it is known that defaults do not change an object. It may be false although they do not.
func (k *typed) isSettled(obj runtime.Object) bool {
	return k.version == nil && k.hub.Settled(obj, k.types.options.Release) && !k.types.later.anySet(obj, k.later())
}

func (k *typed) Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
	target, err := k.types.newTyped(to, k.namespaced)
	if err != nil {
		return nil, err
	}
	if k.hub.GVK() != target.hub.GVK() {
		if k = k.joining(target.hub); k == nil {
			return nil, target.unknownConversion(obj)
		}
	}
	if k.version != nil && k.version.Unreadable != nil {
		return nil, k.version.Unreadable
	}
	converted := target.fromHub(k.toHub(obj))
	if v := target.version; v != nil && v.Converted != nil {
		v.Converted(converted)
	}
	return converted, nil
}

// joining returns a kind that is a hub in this release and a version of another hub later, as the latter; nil if it is
// not. So the rules of plugins, which are written for one version, apply to both.
func (k *typed) joining(hub rules.Kind) *typed {
	later := k.types.versions[k.gvk]
	if k.version != nil || later == nil || later.Hub != hub.GVK() {
		return nil
	}
	return &typed{gvk: k.gvk, hub: hub, version: later, types: k.types}
}

func (k *typed) PrepareForCreate(obj runtime.Object, w rules.Write) runtime.Object {
	obj = k.prepared(obj, nil, w)
	if later := k.later(); k.version == nil && !k.hub.PreparesDepths() && !k.types.later.anySet(obj, later) {
		k.hub.Prepare(obj, k.request(w))
		k.types.later.walk(reflect.ValueOf(obj), later.places, true)
		return obj
	}
	return k.asHub(obj.DeepCopyObject(), func(hub runtime.Object) runtime.Object {
		return k.like(hub, nil, w, true, func() runtime.Object {
			k.hub.Prepare(hub, k.request(w))
			return hub
		})
	})
}

// prepared makes the changes before a write that are about the version alone. old is nil on create.
func (k *typed) prepared(obj, old runtime.Object, w rules.Write) runtime.Object {
	if k.version == nil || k.version.Prepare == nil {
		return obj
	}
	obj = obj.DeepCopyObject()
	k.version.Prepare(obj, old, k.request(w))
	return obj
}

func (k *typed) Export(obj runtime.Object, exact bool, w rules.Write) (exported runtime.Object, errs field.ErrorList) {
	exported = k.asHub(k.prepared(obj.DeepCopyObject(), nil, w), func(hub runtime.Object) runtime.Object {
		return k.like(hub, nil, w, true, func() runtime.Object {
			errs = k.hub.ChangeExported(hub, exact, k.request(w))
			return hub
		})
	})
	return exported, errs
}

func (k *typed) PrepareForUpdate(obj, old runtime.Object, w rules.Write) runtime.Object {
	obj = k.prepared(obj, old, w)
	oldHub := k.toHub(old)
	drops := w.Subresource != "status" || k.types.options.Release.Has(k.hub.StatusDrops())
	return k.asHub(obj, func(hub runtime.Object) runtime.Object {
		return k.like(hub, oldHub, w, drops, func() runtime.Object {
			k.hub.PrepareChange(hub, oldHub, k.request(w))
			return hub
		})
	})
}

func (k *typed) AfterUpdate(old runtime.Object, w rules.Write) runtime.Object {
	if !k.hub.SharesOld() {
		return old
	}
	return k.asHub(old, func(hub runtime.Object) runtime.Object { return k.hub.AfterChange(hub, k.request(w)) })
}

func (k *typed) Validate(obj runtime.Object, w rules.Write) field.ErrorList {
	hub := k.toHub(obj)
	errs := k.hub.ValidateNew(hub, k.requestFor(obj, w))
	if !w.Static {
		errs = k.withDeclared(errs, obj, nil)
	}
	if len(errs) > 0 {
		return errs
	}
	// The general checks only follow if the kind's own checks pass: kubernetes/apiserver:pkg/registry/rest/create.go. If
	// the kind has checked the metadata itself, only the name remains to be checked.
	if k.hub.IsNamed(k.types.options.Release) {
		return rules.ValidateAnyName(hub)
	}
	return rules.ValidateAnyMetadata(hub, k.namespaced)
}

func (k *typed) ValidateUpdate(obj, old runtime.Object, w rules.Write) field.ErrorList {
	hub, oldHub := k.toHub(obj), k.toHub(old)
	var errs rules.Errors
	errs.Add(rules.ValidateAnyMetadata(hub, k.namespaced))
	errs.Add(rules.ValidateAnyMetadataUpdate(hub, oldHub, k.types.options.Release))
	errs.Add(k.hub.ValidateChange(hub, oldHub, k.requestFor(obj, w)))
	return k.withDeclared(errs.List(), obj, old)
}

// withDeclared adds the errors of the rules that are declared with the object's type; old is nil for a new object. For
// most kinds these rules are written by hand as well, so if those find nothing, the declared ones find nothing either.
// Where declared rules are enforced, their messages win (kubernetes/apiserver:pkg/registry/rest/validate.go).
func (k *typed) withDeclared(written field.ErrorList, obj, old runtime.Object) field.ErrorList {
	release := k.types.options.Release
	enforced := release.Has(kubeversion.DeclaredErrors) && !k.hub.IsUndeclared()
	if enforced {
		written = rules.Once(written)
	}
	if k.hub.IsDeclared() || enforced && (len(written) > 0 || k.hub.IsDeclaredAlone()) {
		return rules.Supersede(written, declared.Wrong(obj, old, release), k.hub.InHub())
	}
	if k.hub.IsTakenOver() && release.Enabled("DeclarativeValidation") && release.Enabled("DeclarativeValidationTakeover") {
		if errs, ok := declared.WrongTakenOver(obj, old, release); ok {
			return rules.TakeOver(written, errs)
		}
	}
	return append(written, declared.LaterWrong(obj, old, release)...)
}

func (k *typed) Warnings(obj, old runtime.Object, w rules.Write) []string {
	if !k.hub.WarnsIn(k.types.options.Release) {
		return nil
	}
	if old != nil {
		old = k.toHub(old)
	}
	return k.hub.Warn(k.toHub(obj), old, k.request(w))
}

func (k *typed) request(w rules.Write) rules.Request {
	return rules.Request{Write: w, Options: k.types.options, Namespaced: k.namespaced}
}

// requestFor returns the request that writes an object of the version.
func (k *typed) requestFor(obj runtime.Object, w rules.Write) rules.Request {
	r := k.request(w)
	r.Sent = obj
	return r
}

func (k *typed) toHub(obj runtime.Object) runtime.Object {
	if k.version == nil {
		return obj
	}
	hub := k.version.ToHub(obj, newOf(k.hub.GVK()))
	if k.version.CompleteHub != nil {
		k.version.CompleteHub(hub, obj, k.types.options.Release)
	}
	hub.GetObjectKind().SetGroupVersionKind(k.hub.GVK())
	return hub
}

func (k *typed) fromHub(hub runtime.Object) runtime.Object {
	if k.version == nil {
		return hub
	}
	obj := k.version.FromHub(hub, newOf(k.gvk))
	if k.version.Complete != nil {
		k.version.Complete(obj, hub, k.types.options.Release)
	}
	obj.GetObjectKind().SetGroupVersionKind(k.gvk)
	return obj
}

// newOf returns a new object of a kind that must exist.
func newOf(gvk schema.GroupVersionKind) runtime.Object {
	obj, ok := builtin.New(gvk)
	if !ok {
		panic(fmt.Sprintf("objects: %v has no Go type", gvk))
	}
	return obj
}

// asHub applies a change to obj in the hub's version.
func (k *typed) asHub(obj runtime.Object, change func(hub runtime.Object) runtime.Object) runtime.Object {
	if k.version == nil {
		return change(obj)
	}
	hub := k.toHub(obj)
	before := hub.DeepCopyObject()
	hub = change(hub)
	if semantic.DeepEqual(before, hub) {
		return obj
	}
	return k.restored(k.fromHub(hub), obj)
}
