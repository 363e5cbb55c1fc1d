package objects

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

// A spoke is a version of a kind that is not its hub: its own defaults, and the way there
// and back.
type spoke struct {
	gvk, hub       schema.GroupVersionKind
	defaults       func(runtime.Object) // with sameShape, those in which it differs from the hub
	toHub, fromHub conversion
	sameShape      bool
}

// A conversion returns obj in another version. empty is a new object of that version, which it
// may fill and return.
type conversion func(obj, empty runtime.Object) runtime.Object

// versionOf lists a version with its conversions, which neither set apiVersion and kind
// nor change what they are given.
func versionOf[T, H runtime.Object](gvk, hub schema.GroupVersionKind, defaults func(T), toHub func(T) H, fromHub func(H) T) *spoke {
	return &spoke{
		gvk: gvk, hub: hub, defaults: untyped(defaults),
		toHub:   func(o, _ runtime.Object) runtime.Object { return toHub(o.(T)) },
		fromHub: func(o, _ runtime.Object) runtime.Object { return fromHub(o.(H)) },
	}
}

// sameShape is the spoke of a version of which nothing is listed: where its kind has a
// later version, both are taken to have the same fields. Nil for the latest.
func sameShape(gvk schema.GroupVersionKind) *spoke {
	latest := builtin.LatestVersion(gvk.GroupKind())
	if latest == gvk.Version {
		return nil
	}
	return reshaped(gvk, gvk.GroupKind().WithVersion(latest))
}

// reshape lists a version that has the hub's fields, perhaps in another group. Its own
// defaults are those in which it differs; those of the hub follow.
func reshape[T runtime.Object](gv, hub schema.GroupVersion, kind string, defaults func(T)) *spoke {
	s := reshaped(gv.WithKind(kind), hub.WithKind(kind))
	s.defaults = untyped(defaults)
	return s
}

// extended adds to a spoke of the same shape what becomes of the fields that only one of the
// two has, or that mean something else in it.
func extended[T, H runtime.Object](s *spoke, toHub func(T, H), fromHub func(H, T)) *spoke {
	plainToHub, plainFromHub := s.toHub, s.fromHub
	s.toHub = func(o, empty runtime.Object) runtime.Object {
		hub := plainToHub(o, empty)
		toHub(o.(T), hub.(H))
		return hub
	}
	s.fromHub = func(o, empty runtime.Object) runtime.Object {
		obj := plainFromHub(o, empty)
		fromHub(o.(H), obj.(T))
		return obj
	}
	return s
}

func reshaped(gvk, hub schema.GroupVersionKind) *spoke {
	return &spoke{gvk: gvk, hub: hub, sameShape: true, toHub: fill, fromHub: fill}
}

// refit returns obj as another Go type with the same fields.
func refit[T runtime.Object](obj runtime.Object) T {
	empty := reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
	return fill(obj, empty).(T)
}

// fill sets the fields of empty to those of obj, another Go type with the same fields.
func fill(obj, empty runtime.Object) runtime.Object {
	data, err := json.Marshal(obj)
	if err != nil {
		panic(fmt.Sprintf("objects: %T does not encode: %v", obj, err))
	}
	if err := json.Unmarshal(data, empty); err != nil {
		panic(fmt.Sprintf("objects: no conversion to %T: %v", empty, err))
	}
	return empty
}

// unknownConversion is the server's error for a body of another kind than the URL's, which it
// wants to convert to the internal version of that: the events of all groups have the same.
func (k *typed) unknownConversion(obj runtime.Object) error {
	from, to := obj.GetObjectKind().GroupVersionKind(), k.hub.gvk
	return fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", from.Version, from.Kind, internalPackage(to.Group), to.Kind)
}

// internalPackage is the Go package of a group's internal types.
func internalPackage(group string) string {
	if group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(group, ".")
	return name
}
