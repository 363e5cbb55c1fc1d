package chance_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/chance"
)

// The same seed makes the same changes, another one others, and the given recordings stay as they are.
func TestChange(t *testing.T) {
	load := func() []conformance.Recording {
		recordings, err := conformance.Load("../../../testdata/recorded")
		if err != nil {
			t.Fatal(err)
		}
		return recordings
	}
	all := load()
	encoded := func(seed uint64) (text string) {
		values := chance.Learn(all, seed)
		for _, r := range all {
			changed := values.Change(r)
			for _, request := range changed.Requests {
				if request.Expect != nil {
					t.Errorf("%s/%s still has the answer to another request", r.ID, request.ID)
				}
				if request.Object != nil && !json.Valid(request.Object) {
					t.Errorf("%s/%s has a body that is no JSON: %s", r.ID, request.ID, request.Object)
				}
			}
			one, err := changed.Encode()
			if err != nil {
				t.Fatal(err)
			}
			text += string(one)
		}
		return text
	}
	first := encoded(1)
	if first != encoded(1) {
		t.Error("the same seed makes other changes")
	}
	if first == encoded(2) {
		t.Error("another seed makes the same changes")
	}
	if !reflect.DeepEqual(load(), all) {
		t.Error("the given recordings were changed")
	}
}
