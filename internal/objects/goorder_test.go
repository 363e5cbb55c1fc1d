package objects_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/objects"
)

// JSON whose members are sorted becomes what Go writes, for objects of all kinds (PL-10a).
func TestInGoOrder(t *testing.T) {
	for i, gvk := range builtinKinds() {
		if gvk.Kind == "ControllerRevision" || gvk.Group == "resource.k8s.io" {
			continue // raw JSON has an order of its own
		}
		object := random(int64(i), gvk)
		want, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := moved.Tree(want)
		if err != nil {
			t.Fatal(err)
		}
		sorted, err := json.Marshal(tree)
		if err != nil {
			t.Fatal(err)
		}
		if got := objects.InGoOrder(sorted, reflect.TypeOf(object)); string(got) != string(want) {
			t.Errorf("%v is written as\n%s, want\n%s", gvk, got, want)
		}
	}
}
