package objects_test

import (
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// An object of a built-in kind loses what it loses as protocol buffers, and nothing else (RT-11).
func TestLossesAreThoseOfProtocolBuffers(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	compared, lost := 0, 0
	for i, gvk := range builtinKinds() {
		for n := range 10 {
			seed := int64(100*i + n)
			obj := random(seed, gvk)
			coded, ok := obj.(interface {
				Marshal() ([]byte, error)
				Unmarshal([]byte) error
			})
			if !ok || strings.HasSuffix(reflect.TypeOf(obj).Elem().PkgPath(), "internal/builtin") {
				continue // k8s.io/api no longer has the type
			}
			makeEmpty(reflect.ValueOf(obj), rand.New(rand.NewSource(seed)))
			data, err := coded.Marshal()
			if err != nil {
				t.Fatalf("%v, seed %d: %v", gvk, seed, err)
			}
			kept, hasLosses := types.WithoutLosses(obj)
			read, _ := builtin.New(gvk)
			if err := read.(interface{ Unmarshal([]byte) error }).Unmarshal(data); err != nil {
				t.Fatalf("%v, seed %d: %v", gvk, seed, err)
			}
			read.GetObjectKind().SetGroupVersionKind(gvk)
			if diff := cmp.Diff(read, kept, sameNumbers, sameTimes, sameMicroTimes); diff != "" {
				t.Errorf("%v, seed %d: (-read +kept):\n%s", gvk, seed, diff)
			}
			changed := !cmp.Equal(obj, kept, sameNumbers, sameTimes, sameMicroTimes)
			if changed != hasLosses {
				t.Errorf("%v, seed %d: has losses: %v, but they are found: %v", gvk, seed, changed, hasLosses)
			}
			compared++
			if changed {
				lost++
			}
		}
	}
	if t.Logf("%d of %d objects lost something", lost, compared); lost < compared/2 || lost == compared {
		t.Errorf("%d of %d objects lost something", lost, compared)
	}
}

var (
	sameNumbers    = cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 })
	sameTimes      = cmp.Comparer(func(a, b metav1.Time) bool { return a.Truncate(time.Second).Equal(b.Truncate(time.Second)) })
	sameMicroTimes = cmp.Comparer(func(a, b metav1.MicroTime) bool {
		return a.Truncate(time.Microsecond).Equal(b.Truncate(time.Microsecond))
	})
)

// makeEmpty makes some lists and maps in v empty, and some items that are lists missing.
func makeEmpty(v reflect.Value, r *rand.Rand) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			makeEmpty(v.Elem(), r)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				makeEmpty(v.Field(i), r)
			}
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[[]byte]() {
			return
		}
		if r.Intn(4) == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			makeEmpty(v.Index(i), r)
		}
	case reflect.Map:
		if r.Intn(4) == 0 {
			v.Set(reflect.MakeMap(v.Type()))
		}
		for _, key := range v.MapKeys() {
			item := reflect.New(v.Type().Elem()).Elem()
			item.Set(v.MapIndex(key))
			if item.Kind() == reflect.Slice && r.Intn(4) == 0 {
				item.SetZero()
			} else {
				makeEmpty(item, r)
			}
			v.SetMapIndex(key, item)
		}
	}
}
