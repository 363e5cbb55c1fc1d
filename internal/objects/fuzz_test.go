package objects_test

import (
	"encoding/json"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/equality"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// builtinKinds are the kinds of objects, in order: no lists, no options of requests.
func builtinKinds() []schema.GroupVersionKind {
	var kinds []schema.GroupVersionKind
	for _, gvk := range builtin.Kinds() {
		if gvk.Version == runtime.APIVersionInternal || strings.HasSuffix(gvk.Kind, "List") ||
			strings.HasSuffix(gvk.Kind, "Options") || gvk.Kind == "WatchEvent" {
			continue
		}
		if gvk.Kind == "CustomResourceDefinition" { // a schema made up at random never ends
			continue
		}
		kinds = append(kinds, gvk)
	}
	slices.SortFunc(kinds, func(a, b schema.GroupVersionKind) int { return strings.Compare(a.String(), b.String()) })
	return kinds
}

func random(seed int64, gvk schema.GroupVersionKind) runtime.Object {
	f := fuzzer.FuzzerFor(metafuzzer.Funcs, rand.NewSource(seed), clientgoscheme.Codecs)
	obj, ok := builtin.New(gvk)
	if !ok {
		panic(gvk.String())
	}
	f.Fill(obj)
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return obj
}

// FuzzBuiltin checks what must hold of every object of every built-in kind.
func FuzzBuiltin(f *testing.F) {
	all := builtinKinds()
	for i := range all {
		f.Add(int64(i), i)
	}
	types := kinds.New(nil, objects.Options{})
	f.Fuzz(func(t *testing.T, seed int64, kind int) {
		gvk := all[uint(kind)%uint(len(all))]
		obj := random(seed, gvk)
		before := obj.DeepCopyObject()
		once := types.Default(obj)
		if diff := differ(once, types.Default(once)); diff != "" {
			t.Errorf("%v, seed %d: defaults of defaults (-once +twice):\n%s", gvk, seed, diff)
		}
		if diff := differ(before, obj); diff != "" {
			t.Errorf("%v, seed %d: Default changed its argument:\n%s", gvk, seed, diff)
		}

		// What was read once stays as it is, however often it is written and read. Before
		// that, an empty map may get lost, and its default come in its place.
		read, err := reread(types, once)
		if err != nil {
			t.Skip(err) // a random string that stands for no number, say
		}
		again, err := reread(types, read)
		if err != nil {
			t.Fatalf("%v, seed %d: Decode(Encode(x)): %v", gvk, seed, err)
		}
		if diff := differ(read, again); diff != "" {
			t.Errorf("%v, seed %d: Decode(Encode(x)) (-x +got):\n%s", gvk, seed, diff)
		}

		before = once.DeepCopyObject()
		stored := types.PrepareForCreate(once, objects.Write{})
		if diff := differ(before, once); diff != "" {
			t.Errorf("%v, seed %d: PrepareForCreate changed its argument:\n%s", gvk, seed, diff)
		}
		types.Validate(stored, objects.Write{})
		before = stored.DeepCopyObject()
		types.ValidateUpdate(types.PrepareForUpdate(once, stored, objects.Write{}), stored, objects.Write{})
		if diff := differ(before, stored); diff != "" {
			t.Errorf("%v, seed %d: PrepareForUpdate changed what is replaced:\n%s", gvk, seed, diff)
		}
		types.WarningsOnCreate(stored, objects.Write{})
		types.WarningsOnUpdate(stored, stored, objects.Write{})
	})
}

func reread(types *objects.Types, obj runtime.Object) (runtime.Object, error) {
	data, err := types.Encode(obj)
	if err != nil {
		return nil, err
	}
	read, _, err := types.Decode(data, obj.GetObjectKind().GroupVersionKind(), objects.Strict)
	return read, err
}

// differ returns where two objects differ, if they do.
func differ(a, b runtime.Object) string {
	if equality.Semantic.DeepEqual(a, b) {
		return ""
	}
	x, _ := json.MarshalIndent(a, "", " ")
	y, _ := json.MarshalIndent(b, "", " ")
	if diff := cmp.Diff(strings.Split(string(x), "\n"), strings.Split(string(y), "\n")); diff != "" {
		return diff
	}
	return "in what is not encoded"
}

// FuzzConversion checks that an object which goes to another version of its kind and back
// is what it was.
func FuzzConversion(f *testing.F) {
	var all []schema.GroupVersionKind
	types := kinds.New(nil, objects.Options{})
	for _, gvk := range builtinKinds() {
		if hub, err := types.Hub(gvk); err == nil && hub != gvk {
			all = append(all, gvk)
		}
	}
	for i := range all {
		f.Add(int64(i), i)
	}
	f.Fuzz(func(t *testing.T, seed int64, kind int) {
		gvk := all[uint(kind)%uint(len(all))]
		hubKind, err := types.Hub(gvk)
		if err != nil {
			t.Fatal(err)
		}
		there := func(obj runtime.Object) runtime.Object {
			hub, err := types.Convert(obj, hubKind)
			if err != nil {
				t.Fatalf("%v, seed %d: Convert(%v): %v", gvk, seed, hubKind, err)
			}
			back, err := types.Convert(hub, gvk)
			if err != nil {
				t.Fatalf("%v, seed %d: Convert back: %v", gvk, seed, err)
			}
			return back
		}
		obj, err := reread(types, types.Default(random(seed, gvk)))
		if err != nil {
			t.Skip(err)
		}
		// What autoscaling/v1 cannot say is an annotation from then on; the two selectors of an
		// old Scale are one; of the API version of a subject that is of no known kind the group
		// is kept; endpoints of old name their node in their topology, too.
		if gvk.Group == "autoscaling" || gvk.Group == "discovery.k8s.io" || gvk.Kind == "Scale" || gvk.Group == rbacv1.GroupName {
			obj = there(obj)
		}
		back := there(obj)
		if diff := differ(obj, back); diff != "" && !sameJSON(t, obj, back) {
			t.Errorf("%v, seed %d: there and back (-x +got):\n%s", gvk, seed, diff)
		}
	})
}

// sameJSON reports whether two objects are the same but for the order of keys in what is
// opaque to the kind.
func sameJSON(t *testing.T, a, b runtime.Object) bool {
	t.Helper()
	var values [2]any
	for i, obj := range []runtime.Object{a, b} {
		data, err := json.Marshal(obj)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &values[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reflect.DeepEqual(values[0], values[1])
}
