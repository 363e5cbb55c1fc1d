package patch_test

import (
	"errors"
	"fmt"
	"log"

	"github.com/admsim/admsim/pkg/patch"
)

// Diff returns the patch that turns one document into another.
func ExampleDiff() {
	before := []byte(`{"metadata": {"name": "a"}, "data": {"workers": "4"}}`)
	after, err := patch.Merge(before, []byte(`{"metadata": {"labels": {"owner": "shop"}}, "data": {"workers": "8"}}`))
	if err != nil {
		log.Fatal(err)
	}
	operations, err := patch.Diff(before, after)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range operations {
		fmt.Printf("%s %s %s\n", o.Op, o.Path, o.Value)
	}
	// Output:
	// replace /data/workers "8"
	// add /metadata/labels {"owner":"shop"}
}

// Callers can distinguish a failed test from other errors.
func ExamplePatch_Apply() {
	p, err := patch.DecodeJSON([]byte(`[{"op": "test", "path": "/data/workers", "value": "8"}]`))
	if err != nil {
		log.Fatal(err)
	}
	_, err = p.Apply([]byte(`{"data": {"workers": "4"}}`))
	failed, _ := errors.AsType[*patch.OperationError](err)
	fmt.Println(failed.Index, failed.TestFailed, err)
	// Output:
	// 0 true testing value /data/workers failed: test failed
}
