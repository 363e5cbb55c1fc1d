package rules

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Version is a version of a kind other than its hub, with its own defaults and its conversions.
type Version struct {
	GVK, Hub       schema.GroupVersionKind
	Defaults       func(runtime.Object) // if SameShape, only those that differ from the hub
	ToHub, FromHub conversion
	SameShape      bool

	// Joined is the feature of the releases in which the version has this hub. Before, it was a hub itself. It is empty if it
	// never was.
	Joined kubeversion.Feature

	// OwnDefaults are all defaults of a version that gets none of the hub, although it has the same shape; nil if it gets
	// those of the hub, after Defaults.
	OwnDefaults func(runtime.Object, *kubeversion.Release)

	// Defaulted is the feature of the releases in which the version has defaults. It is empty if all have them.
	Defaulted kubeversion.Feature

	// Complete adds to an object of the version what the hub has and releases convert differently; nil if there is nothing
	// to add. CompleteHub corrects a hub, made from an object of the version, in the same way.
	Complete    func(obj, hub runtime.Object, r *kubeversion.Release)
	CompleteHub func(hub, obj runtime.Object, r *kubeversion.Release)

	// Restore puts back into an object that was made from a hub what the object of the version had from which that hub was
	// made, and the hub has no place for. It is nil if the hub has a place for everything.
	Restore func(obj, from runtime.Object)

	// Prepare makes the changes before a write that depend on what the hub has no place for; old is nil on create. It is nil
	// if there are none.
	Prepare func(obj, old runtime.Object, r Request)

	// Unreadable is the error of all conversions of such an object to another version; nil if there are conversions.
	Unreadable error

	// Converted sets the fields that are always present in an object that was converted from another version, such as the
	// one that is stored; nil if there are none.
	Converted func(obj runtime.Object)
}

// A conversion returns obj in another version. empty is a new object of that version, which it may fill and return.
type conversion func(obj, empty runtime.Object) runtime.Object

// VersionOf lists a version with its conversions, which do not set apiVersion and kind, and do not change their
// arguments.
func VersionOf[T, H runtime.Object](gvk, hub schema.GroupVersionKind, defaults func(T), toHub func(T) H, fromHub func(H) T) *Version {
	return &Version{
		GVK: gvk, Hub: hub, Defaults: untyped(defaults),
		ToHub:   func(o, _ runtime.Object) runtime.Object { return toHub(o.(T)) },
		FromHub: func(o, _ runtime.Object) runtime.Object { return fromHub(o.(H)) },
	}
}

// Reshape lists a version that has the fields of the hub, possibly in another group. defaults are those in which it
// differs; those of the hub follow.
func Reshape[T runtime.Object](gv, hub schema.GroupVersion, kind string, defaults func(T)) *Version {
	s := Reshaped(gv.WithKind(kind), hub.WithKind(kind))
	s.Defaults = untyped(defaults)
	return s
}

// ReshapeApart is Reshape for a version that gets none of the defaults of the hub.
func ReshapeApart[T runtime.Object](gv, hub schema.GroupVersion, kind string, defaults func(T, *kubeversion.Release)) *Version {
	s := Reshaped(gv.WithKind(kind), hub.WithKind(kind))
	s.OwnDefaults = func(o runtime.Object, r *kubeversion.Release) { defaults(o.(T), r) }
	return s
}

// Extended adds conversions to a version of the same shape, for fields that only one of the two has, or that have
// another meaning in it.
func Extended[T, H runtime.Object](s *Version, toHub func(T, H), fromHub func(H, T)) *Version {
	plainToHub, plainFromHub := s.ToHub, s.FromHub
	s.ToHub = func(o, empty runtime.Object) runtime.Object {
		hub := plainToHub(o, empty)
		toHub(o.(T), hub.(H))
		return hub
	}
	s.FromHub = func(o, empty runtime.Object) runtime.Object {
		obj := plainFromHub(o, empty)
		fromHub(o.(H), obj.(T))
		return obj
	}
	return s
}

func Reshaped(gvk, hub schema.GroupVersionKind) *Version {
	return &Version{GVK: gvk, Hub: hub, SameShape: true, ToHub: Fill, FromHub: Fill}
}

// Refit returns obj as another Go type with the same fields.
func Refit[T runtime.Object](obj runtime.Object) T {
	empty := reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
	return Fill(obj, empty).(T)
}

// Fill sets the fields of empty to those of obj, another Go type with the same fields.
func Fill(obj, empty runtime.Object) runtime.Object {
	if err := json.Unmarshal(encodeWhole(obj), empty); err != nil {
		panic(fmt.Sprintf("objects: no conversion to %T: %v", empty, err))
	}
	keepQuantities(reflect.ValueOf(obj), reflect.ValueOf(empty))
	return empty
}

var quantity = reflect.TypeFor[resource.Quantity]()

// keepQuantities gives quantities the form that they have in from, which has the same fields as to: as JSON, they have
// their canonical form. The form is in messages that show values as Go prints them.
func keepQuantities(from, to reflect.Value) {
	if from.Kind() != to.Kind() {
		return
	}
	switch from.Kind() {
	case reflect.Pointer:
		if !from.IsNil() && !to.IsNil() {
			keepQuantities(from.Elem(), to.Elem())
		}
	case reflect.Slice:
		for i := range min(from.Len(), to.Len()) {
			keepQuantities(from.Index(i), to.Index(i))
		}
	case reflect.Map:
		for key, value := range from.Seq2() {
			key = key.Convert(to.Type().Key())
			if old := to.MapIndex(key); old.IsValid() {
				kept := reflect.New(old.Type()).Elem()
				kept.Set(old)
				keepQuantities(value, kept)
				to.SetMapIndex(key, kept)
			}
		}
	case reflect.Struct:
		if from.Type() == quantity {
			to.Set(reflect.ValueOf(from.Interface().(resource.Quantity).DeepCopy()))
			return
		}
		for field, value := range from.Fields() {
			if other := to.FieldByName(field.Name); field.IsExported() && other.IsValid() {
				keepQuantities(value, other)
			}
		}
	}
}

func untyped[T runtime.Object](f func(T)) func(runtime.Object) {
	if f == nil {
		return nil
	}
	return func(o runtime.Object) { f(o.(T)) }
}
