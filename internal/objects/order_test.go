package objects_test

import (
	"encoding/json"
	"testing"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/internal/unset"
)

// A tree whose members have no order becomes what Go writes, for objects of all kinds (PL-10a).
func TestOrder(t *testing.T) {
	for i, gvk := range builtinKinds() {
		object := random(int64(i), gvk)
		want, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := moved.Tree(want)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := new(unset.Order).Encode(object, tree); err != nil || string(got) != string(want) {
			t.Errorf("%v is written as\n%s, want\n%s (%v)", gvk, got, want, err)
		}
	}
}
