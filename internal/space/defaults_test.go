package space

import (
	"encoding/json"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/internal/variation"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Fields that are said to be always set are set by the defaults of every release, whichever other field an object has.
func TestAlwaysDefaulted(t *testing.T) {
	for _, version := range kubeversion.Versions() {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		types := kinds.New(nil, objects.Options{Release: release})
		for kind, want := range defaulted {
			all := []map[string]any{{}}
			if version == kubeversion.Default().Version {
				shape := variation.ShapeOf(kind, nil)
				for _, place := range shape.Fields() {
					if made, ok := variation.Set(place).Apply(map[string]any{}, shape); ok {
						all = append(all, made)
					}
				}
				if len(all) < 5 {
					t.Errorf("%d %s are too few for this test", len(all), kind.Kind)
				}
			}
			for _, one := range all {
				if got := defaultedAs(t, types, kind, one); !holds(got, want) {
					t.Errorf("%s: %s %v gets %v, want all of %v", version, kind.Kind, one, got, want)
				}
			}
		}
	}
}

func defaultedAs(t *testing.T, types *objects.Types, kind schema.GroupVersionKind, object map[string]any) map[string]any {
	t.Helper()
	o, ok := builtin.New(kind)
	if !ok {
		t.Fatalf("there is no %s", kind)
	}
	data, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(data, o)
	}
	if err != nil {
		t.Fatalf("%s %v: %v", kind.Kind, object, err)
	}
	o.GetObjectKind().SetGroupVersionKind(kind)
	got, err := runtime.DefaultUnstructuredConverter.ToUnstructured(types.Default(o))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// holds reports whether an object has fields, of the same types.
func holds(got, want map[string]any) bool {
	for name, value := range want {
		inner, isObject := value.(map[string]any)
		if !isObject && reflect.TypeOf(got[name]) != reflect.TypeOf(value) {
			return false
		}
		if is, _ := got[name].(map[string]any); isObject && (is == nil || !holds(is, inner)) {
			return false
		}
	}
	return true
}
